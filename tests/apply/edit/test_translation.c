/* SPDX-License-Identifier: Apache-2.0
 *
 * Translation where it is exact by construction. In a model of twins the row of each Fake piece is
 * its English row plus one constant vector, rows have the same length and no mean, and blocks add
 * nothing: so the means of the languages differ by that constant at every layer, a shift by it
 * makes each state its twin's, and the nearest row is the twin's own.
 */
#include "measured_fixture.h"
#include "twin_fixture.h"

#include "evaluate/evaluate.h"
#include "apply/edit/translation.h"

#include <math.h>

typedef struct {
    double bleu, convert, gold;
    int64_t n_output;
} scores;

/* Each token has a second piece that would be right, before or after the first. */
static void two_of_each(ig_translation_set *t)
{
    const int64_t n = t->gold_start[t->n];
    int32_t(*gold)[2];
    assert_ok(ig_alloc(&gold, 2 * n, sizeof *gold, "", &err), &err);
    for (int64_t i = 0; i < 2 * n; i++) {
        const bool own = i % 2 == i / 2 % 2;
        gold[i][0] = t->gold[i / 2][0];
        gold[i][1] = own ? t->gold[i / 2][1] : 0;
    }
    for (int64_t q = 0; q <= t->n; q++)
        t->gold_start[q] *= 2;
    ig_free(t->gold);
    t->gold = gold;
}

/* en → fake of the text with its own copy for reference. */
static scores translate(const char *model, int layer, double alpha, bool words, const char *text)
{
    ig_states *s;
    ig_language_means m = {0};
    ig_translation_set set = {.to = 1};
    ig_translation_count c;
    const double *mean[2];
    const ig_states_options all = {.model = model, .all_layers = true, .n_thread = 1},
                            best = {.model = model, .likeliest = true, .n_thread = 2};
    const ig_translation_files files = {text, text, 0};
    const ig_translation how = {.layer = layer, .alpha = alpha, .words = words};
    assert_ok(ig_states_open(&s, &all, &err), &err);
    for (int k = 0; k < 2; k++) {
        const char *const name = k == 0 ? "en" : "fake";
        const ig_states_source file = {.name = name, .path = text, .language = k};
        assert_ok(ig_language_means_add(&m, s, &file, IG_VARIANT_PAPER_TEXT, &err), &err);
        assert_ok(ig_language_means_find(&mean[k], &m, name, layer, "", &err), &err);
    }
    ig_states_close(s);
    assert_ok(ig_states_open(&s, &best, &err), &err);
    assert_ok(ig_translation_set_read(&set, s, &files, &err), &err);
    assert_true(set.has_gold && set.n == N_LINE);
    two_of_each(&set);
    assert_ok(ig_translate(&c, s, &set, &how, mean, &err), &err);
    assert_int_equal(c.n_gold, c.n_y);
    ig_states_close(s);
    ig_translation_set_free(&set);
    ig_language_means_free(&m);
    return (scores){ig_bleu1(&c), ig_convert_rate(&c), ig_gold_accuracy(&c), c.n_output};
}

static void twins(void **state)
{
    static const char *const model[] = {"shift", "invert"};
    char path[256], text[256];
    (void)state;
    strcpy(text, fixture_path("t.txt"));
    for (int k = 0; k < 2; k++) {
        int64_t n[2];
        strcpy(path, fixture_path(model[k]));
        for (int layer = 0; layer <= DEPTH; layer++)
            for (int words = 0; words < 2; words++) {
                const scores all = translate(path, layer, 1, words == 1, text),
                             none = translate(path, layer, 0, words == 1, text),
                             less = translate(path, layer, .4, words == 1, text);
                n[words] = all.n_output;
                /* An inverted order breaks words of several pieces, whose order BLEU-1 of words
                 * sees. */
                assert_true(all.gold == 1 && all.convert == 1);
                assert_true(words == 1 && k == 1 ? all.bleu < 1 : all.bleu == 1);
                assert_true(none.bleu == 0 && none.convert == 0 && none.gold == 0);
                assert_true(less.bleu == 0 && less.convert == 0 && less.gold == 0);
            }
        assert_true(n[1] < n[0]); /* some words have two pieces */
    }
}

/* The measure: at every layer, in both directions, of a model as it is and of one whose languages'
 * means are taken off, which has nothing to shift by. */
static void measured(void **state)
{
    static const char *const edit[] = {NULL, "{layer: 1, kind: centre}"};
    char path[256], text[256];
    (void)state;
    strcpy(path, fixture_path("shift"));
    strcpy(text, fixture_path("t.txt"));
    const ig_named_text named[] = {{"en", text}, {"fake", text}};
    const int64_t layer[] = {0, 1, 2};
    for (int k = 0; k < 2; k++) {
        ig_edit_specs specs = {0};
        ig_evaluation e;
        if (edit[k] != NULL)
            assert_ok(ig_edit_specs_add(&specs, edit[k], &err), &err);
        const ig_evaluate_options o = {.layer = layer,
                                       .n_layer = 3,
                                       .step = -1,
                                       .text_take = -1,
                                       .translation = -1,
                                       .perplexity = -1,
                                       .also = IG_MEASURE_BIT(shift) | IG_MEASURE_BIT(away),
                                       .edits = &specs,
                                       .n_thread = 1,
                                       .texts = named,
                                       .n_text = 2};
        assert_ok(ig_evaluate(&e, path, &o, &err), &err);
        for (int l = 0; l < 3; l++) {
            double v[12], away[3];
            for (int i = 0; i < 12; i++)
                v[i] = at(&e.measure, ig_numbers_shift[i].name, l);
            for (int i = 0; i < 3; i++)
                away[i] = at(&e.measure, ig_numbers_away[i].name, l);
            /* Away from the other language no token becomes its; without a difference α is nothing.
             */
            for (int s = 0; s < 2; s++)
                assert_true(k == 0 ? away[s] == 0 : l == 0 || fabs(away[s] - v[4 * s]) < 1e-6);
            if (k == 0)
                assert_true(v[0] == 0 && v[1] == 1 && v[4] == 0 && v[5] == 1);
            else
                assert_true(l == 0 || fabs(v[1] - v[0]) < 1e-6);
        }
        ig_evaluation_free(&e);
        ig_edit_specs_free(&specs);
    }
}

/* [UNK] is its own translation, and common to both texts. */
static void unknown(void **state)
{
    char path[256], text[256];
    ig_states *s;
    ig_translation_set t = {.to = 1};
    (void)state;
    strcpy(path, fixture_path("shift"));
    strcpy(text, fixture_path("u.txt"));
    assert_ok(ig_file_write(text, "a z\n\nb\n", 7, &err), &err);
    const ig_states_options o = {.model = path, .likeliest = true, .n_thread = 1};
    const ig_translation_files same = {text, text, 0}, alone = {text, NULL, 2};
    assert_ok(ig_states_open(&s, &o, &err), &err);
    assert_ok(ig_translation_set_read(&t, s, &same, &err), &err);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.start[3], 4 + 2 + 3);
    assert_int_equal(t.ref_start[3], 3);
    assert_true(t.source[1] && t.target[1] && t.source[5] && !t.target[5] && t.target[5 + N_PIECE]);
    ig_translation_set_free(&t);
    t.to = 1;
    assert_ok(ig_translation_set_read(&t, s, &alone, &err), &err);
    assert_int_equal(t.n, 2);
    assert_false(t.has_reference || t.has_gold);
    ig_translation_set_free(&t);
    char shorter[256];
    strcpy(shorter, fixture_path("s.txt"));
    assert_ok(ig_file_write(shorter, "a\n", 2, &err), &err);
    const ig_translation_files uneven = {text, shorter, 0};
    t.to = 1;
    assert_int_equal(ig_translation_set_read(&t, s, &uneven, &err), IG_ERR_INPUT);
    ig_translation_set_free(&t);
    assert_string_equal(ig_translation_piece(s, 5 + N_PIECE), "::a");
    ig_states_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twins), cmocka_unit_test(measured),
                                       cmocka_unit_test(unknown)};
    void *none = NULL;
    if (fixture_setup(&none) != 0)
        return 1;
    make_twins("shift", "shift", false);
    make_twins("invert", "shift | invert", false);
    make_text();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return fixture_teardown(&none) != 0 ? 1 : failed;
}
