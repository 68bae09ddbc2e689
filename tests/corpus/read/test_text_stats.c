/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of texts against counts made by hand, distributions whose exponent is known, and the
 * stored figures of a real Bible.
 */
#include "test.h"

#include "corpus/read/text_stats.h"
#include "corpus/world/world.h"

#include <stdlib.h>
#include <string.h>

static ig_text_stats measure(const char *const *line, int n)
{
    ig_text_counter *c;
    ig_text_stats s;
    ig_err err;
    assert_ok(ig_text_counter_new(&c, &err), &err);
    for (int i = 0; i < n; i++)
        assert_ok(ig_text_counter_add(c, line[i], (int64_t)strlen(line[i]), &err), &err);
    assert_ok(ig_text_counter_finish(c, &s, &err), &err);
    ig_text_counter_free(c);
    return s;
}

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) {
        print_error("got %.9g, want %.9g\n", got, want);
        fail();
    }
}

static void counts_by_hand(void **state)
{
    (void)state;
    /* a b a . | A-b don't , | (blank): tokens a b a . a-b don't , */
    const char *const lines[] = {"a b a.", "  A-b don't,  ", "", " \t "};
    ig_text_stats s = measure(lines, 4);
    assert_int_equal(s.n_sentence, 2);
    assert_int_equal(s.n_token, 7);
    assert_int_equal(s.n_type, 6);
    assert_int_equal(s.longest, 4);
    near(s.mean_length, 3.5, 0);
    near(s.median_length, 3.5, 0);
    near(s.hapax_share, 5.0 / 6, 1e-15);
    near(s.unigram_entropy, 2.0 / 7 * log2(3.5) + 5.0 / 7 * log2(7), 1e-12);
    /* Left sides: start twice (a, a-b), a twice (b, .), b once, a-b once, don't once. Only start
     * and a are uncertain, one bit each, at 2/7 of the places each. */
    near(s.bigram_entropy, 4.0 / 7, 1e-12);
    /* A mark joins letters on both sides of it only: dogs ' - x - it's. */
    const char *const marks[] = {"dogs' -x- it's"};
    s = measure(marks, 1);
    assert_int_equal(s.n_token, 6);
    assert_int_equal(s.n_type, 5);
    const char *const fold[] = {"Ärger ärger ÄRGER \xff\xfe"};
    s = measure(fold, 1);
    assert_int_equal(s.n_type, 2);
    s = measure(NULL, 0);
    assert_int_equal(s.n_token, 0);
}

static void exponent_is_found(void **state)
{
    (void)state;
    enum { N = 2000 };
    static int64_t count[N];
    for (double e = .6; e < 1.8; e += .3) {
        for (int r = 0; r < N; r++)
            count[r] = llround(1e9 * pow(r + 1, -e));
        near(ig_zipf_fit(count, N), e, 1e-3);
    }
    near(ig_zipf_fit(count, 1), 0, 0);
    for (int r = 0; r < N; r++)
        count[r] = 5;
    near(ig_zipf_fit(count, N), 0, 1e-9);
}

/* The default world resembles the Bible that it was fitted to. */
static void default_world_resembles_a_bible(void **state)
{
    (void)state;
    ig_world_options o;
    ig_world_language l[IG_WORLD_LANGUAGES];
    ig_world *w;
    ig_err err;
    int n;
    assert_true(ig_world_preset(&o, ig_world_preset_names[0]));
    assert_ok(ig_world_languages_parse(l, &n, "eng", &err), &err);
    assert_ok(ig_world_new(&w, &o, l, n, &err), &err);
    ig_world_tree *t = malloc(sizeof *t);
    ig_world_words *s = malloc(sizeof *s);
    ig_text_counter *c;
    assert_ok(ig_text_counter_new(&c, &err), &err);
    for (int64_t i = 0; i < ig_text_stats_bbe_nt.n_sentence; i++) {
        char line[IG_WORLD_NODES * IG_WORLD_WORD];
        int at = 0;
        ig_world_sentence(w, i, t);
        ig_world_linearise(w, 0, t, s);
        for (int k = 0; k < s->n; k++)
            at += snprintf(line + at, sizeof line - (size_t)at, "%s ", s->text[k]);
        assert_ok(ig_text_counter_add(c, line, at, &err), &err);
    }
    ig_text_stats got, want = ig_text_stats_bbe_nt;
    assert_ok(ig_text_counter_finish(c, &got, &err), &err);
    near(got.mean_length, want.mean_length, 2);
    near(got.median_length, want.median_length, 2);
    near((double)got.longest, (double)want.longest, 20);
    near(got.zipf, want.zipf, .05);
    near(got.unigram_entropy, want.unigram_entropy, .2);
    near(got.bigram_entropy, want.bigram_entropy, .2);
    near((double)got.n_type / (double)want.n_type, 1, .15);
    ig_text_counter_free(c);
    free(t);
    free(s);
    ig_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_hand),
        cmocka_unit_test(exponent_is_found),
        cmocka_unit_test(default_world_resembles_a_bible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
