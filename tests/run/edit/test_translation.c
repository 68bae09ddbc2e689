/* SPDX-License-Identifier: Apache-2.0
 *
 * Translation where it is exact by construction. In a model of twins the row of each Fake piece is
 * its English row plus one constant vector, rows have the same length and no mean, and blocks add
 * nothing: so the means of the languages differ by that constant at every layer, a shift by it
 * makes each state its twin's, and the nearest row is the twin's own.
 */
#include "corpus_fixture.h"

#include "base/memory.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "run/edit/translation.h"

#include <jansson.h>
#include <math.h>

/* 16 orthogonal rows of ±1, and two columns that tell the language. */
enum { N_PIECE = 15, CODE = 16, D = CODE + 2, DEPTH = 2, POSITIONS = 24, N_LINE = 40 };

static const char *const piece[N_PIECE] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                           "a",     "b",     "c",     "##a",   "##b",
                                           "##c",   "e",     "f",     "g",     "h"};
static ig_err err;

/* Row `id` of the table: entry (id + 1, k) of Hadamard's matrix, and the language. */
static float entry(int id, int k)
{
    const int base = id % N_PIECE, language = id / N_PIECE;
    if (k >= CODE)
        return (k == CODE) == (language == 0) ? 2.0f : -2.0f;
    return __builtin_parity((unsigned)((base + 1) & k)) != 0 ? -1.0f : 1.0f;
}

static void fill(ig_bert *m)
{
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        float *w = ig_bert_weights(m) + p->offset;
        const bool norm = strstr(p->name, "LayerNorm.weight") != NULL,
                   words = strstr(p->name, "word_embeddings") != NULL;
        for (int r = 0; r < p->rows; r++)
            for (int k = 0; k < p->cols; k++)
                w[r * p->cols + k] = words ? entry(r, k) : norm ? 1 : 0;
    }
}

static void make_model(const char *name, const char *pipeline)
{
    ig_bert_config c = ig_bert_config_small(2 * N_PIECE);
    char dir[256], path[300], text[600] = "";
    ig_bert *m;
    c.hidden_size = D;
    c.num_attention_heads = 2;
    c.intermediate_size = 8;
    c.num_hidden_layers = DEPTH;
    c.max_position_embeddings = POSITIONS;
    c.no_transform = true;
    json_t *extra =
        json_pack("{s:{s:i, s:[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}, {s:s, "
                  "s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}}",
                  "isoglot", "base_vocab_size", N_PIECE, "languages", "name", "en", "pipeline", "",
                  "first_id", 0, "n_id", N_PIECE, "position_offset", 0, "segment", 0, "special",
                  "pad", 0, "unk", 1, "cls", 2, "sep", 3, "mask", 4, "name", "fake", "pipeline",
                  pipeline, "first_id", N_PIECE, "n_id", N_PIECE, "position_offset", 0, "segment",
                  0, "special", "pad", 0, "unk", 1, "cls", 2, "sep", 3, "mask", 4);
    strcpy(dir, fixture_path(name));
    assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
    fill(m);
    assert_ok(ig_dir_make(dir, &err), &err);
    assert_ok(ig_bert_save(m, dir, extra, &err), &err);
    json_decref(extra);
    ig_bert_free(m);
    for (int i = 0; i < 2 * N_PIECE; i++)
        sprintf(text + strlen(text), "%s%s\n", i < N_PIECE ? "" : "::", piece[i % N_PIECE]);
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_ok(ig_file_write(path, text, (int64_t)strlen(text), &err), &err);
}

static void make_text(void)
{
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    char text[N_LINE * 60] = "", *p = text;
    for (int i = 0; i < N_LINE; i++) {
        const int n = 1 + (int)ig_rng_below(&r, 7);
        for (int k = 0; k < n; k++) {
            *p++ = "abcefgh"[ig_rng_below(&r, 7)];
            if (ig_rng_below(&r, 2) == 0 && strchr("abc", p[-1]) != NULL)
                *p++ = "abc"[ig_rng_below(&r, 3)];
            *p++ = ' ';
        }
        *p++ = '\n';
    }
    assert_ok(ig_file_write(fixture_path("t.txt"), text, p - text, &err), &err);
}

typedef struct {
    double bleu, convert, gold;
    int64_t n_output;
} scores;

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
        const ig_states_file file = {.path = text, .language = k};
        const char *const name = k == 0 ? "en" : "fake";
        assert_ok(ig_language_means_add(&m, name, s, &file, IG_VARIANT_PAPER_TEXT, &err), &err);
        assert_ok(ig_language_means_find(&mean[k], &m, name, layer, "", &err), &err);
    }
    ig_states_close(s);
    assert_ok(ig_states_open(&s, &best, &err), &err);
    assert_ok(ig_translation_set_read(&set, s, &files, &err), &err);
    assert_true(set.has_gold && set.n == N_LINE);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(twins), cmocka_unit_test(unknown)};
    void *none = NULL;
    if (fixture_setup(&none) != 0)
        return 1;
    make_model("shift", "shift");
    make_model("invert", "shift | invert");
    make_text();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return fixture_teardown(&none) != 0 ? 1 : failed;
}
