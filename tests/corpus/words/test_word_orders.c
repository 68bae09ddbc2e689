/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of pieces that draw: orders by degrees, anchors, unigram text. What each claims to be
 * is checked on every sentence, its gold against a search by brute force.
 */
#include "corpus_fixture.h"
#include "base/number_text.h"

#include "base/memory.h"
#include "corpus/language/transform.h"
#include "corpus/words/word_orders.h"

#include <math.h>

enum { V = 60, BLOCK = 40, N = 200 };

static ig_corpus *make(const ig_shard *s, const char *const *pipeline, int n, uint64_t seed)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f"};
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(V, BLOCK);
    ig_language_spec spec[6];
    o.seed = seed;
    for (int k = 0; k < n; k++)
        spec[k] = (ig_language_spec){.name = name[k], .pipeline = pipeline[k], .source = s};
    assert_ok(ig_corpus_new(&c, spec, n, &o, &err), &err);
    return c;
}

/* A shard whose sentences have no token twice, so that gold can be looked up. */
static ig_shard *distinct_shard(void)
{
    ig_err err = {0};
    ig_shard_writer *w;
    ig_shard *s;
    char path[256];
    strcpy(path, fixture_path("distinct.shard"));
    assert_ok(ig_shard_create(&w, path, V, 7, &err), &err);
    for (int64_t i = 0; i < N; i++) {
        ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, (uint32_t)i);
        int32_t id[V], n = (int32_t)ig_rng_below(&r, BLOCK - 2);
        ig_rng_permutation(&r, id, V - 5);
        for (int32_t j = 0; j < n; j++)
            id[j] += 5;
        assert_ok(ig_shard_add(w, id, n, &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&s, path, &err), &err);
    return s;
}

/* Gold of languages 0 and k is where the same piece stands. */
static void gold_is_by_lookup(const ig_corpus *c, int k, int64_t i, int32_t first_id)
{
    int32_t x[BLOCK], y[BLOCK], pairs[4 * BLOCK], n_right = 0;
    const int32_t nx = ig_corpus_sequence(c, 0, i, x), ny = ig_corpus_sequence(c, k, i, y);
    const int32_t n = ig_corpus_gold_alignment(c, 0, k, i, pairs);
    for (int32_t u = 1; u < nx - 1; u++)
        for (int32_t v = 1; v < ny - 1; v++)
            if (x[u] + first_id == y[v]) {
                assert_int_equal(pairs[2 * n_right], u);
                assert_int_equal(pairs[2 * n_right + 1], v);
                n_right++;
            }
    assert_int_equal(n, n_right);
    assert_int_equal(nx, ny);
    assert_int_equal(n, nx - 2);
}

static void orders_are_permutations_with_gold(void **state)
{
    (void)state;
    ig_shard *s = distinct_shard();
    const char *const pipeline[] = {"", "shift | swap:0.5", "shift | permute:0.25", "window:3",
                                    "shift | window:2 | invert | swap:1"};
    ig_corpus *c = make(s, pipeline, 5, 5), *again = make(s, pipeline, 5, 5),
              *other = make(s, pipeline, 5, 6);
    int64_t n_other = 0;
    double moved = 0, all = 0;
    for (int64_t i = 0; i < N; i++) {
        int32_t x[BLOCK], y[BLOCK], z[BLOCK], pairs[4 * BLOCK];
        for (int k = 1; k < 5; k++) {
            gold_is_by_lookup(c, k, i, ig_corpus_language(c, k)->first_id);
            const int32_t n = ig_corpus_sequence(c, k, i, y);
            assert_int_equal(ig_corpus_sequence(again, k, i, z), n);
            assert_memory_equal(y, z, (size_t)n * sizeof *y);
            ig_corpus_sequence(other, k, i, z);
            n_other += memcmp(y, z, (size_t)n * sizeof *y) != 0;
        }
        const int32_t n = ig_corpus_sequence(c, 0, i, x) - 2;
        ig_corpus_sequence(c, 2, i, y);
        int32_t changed = 0;
        for (int32_t j = 1; j <= n; j++)
            changed += y[j] != x[j] + V * 2;
        assert_true(changed <= n / 4);
        assert_int_equal(ig_corpus_gold_alignment(c, 0, 3, i, pairs), n);
        for (int32_t j = 0; j < n; j++) {
            const int32_t far = abs(pairs[2 * j] - pairs[2 * j + 1]);
            assert_true(far <= 3);
            moved += far > 0;
            all++;
        }
    }
    assert_true(n_other > N);
    assert_true(moved > 0.5 * all);
    ig_corpus_free(c);
    ig_corpus_free(again);
    ig_corpus_free(other);
    ig_shard_close(s);
}

/* With ",training" a training text is what it is without, and a text for measuring is in order. */
static void disturbed_in_training_only(void **state)
{
    (void)state;
    ig_shard *s = distinct_shard();
    ig_err err = {0};
    static const char *const arg[] = {"", ",training"};
    static const char *const kind[] = {"swap", "permute"};
    for (int k = 0; k < 2; k++) {
        ig_corpus *c[2][2];
        for (int with = 0; with < 2; with++)
            for (int development = 0; development < 2; development++) {
                char pipeline[64];
                snprintf(pipeline, sizeof pipeline, "shift | %s:0.5%s", kind[k], arg[with]);
                ig_corpus_options o = fixture_options(V, BLOCK);
                o.development = development == 1;
                ig_language_spec spec[] = {{.name = "a", .pipeline = "", .source = s},
                                           {.name = "b", .pipeline = pipeline, .source = s}};
                assert_ok(ig_corpus_new(&c[with][development], spec, 2, &o, &err), &err);
            }
        int64_t n_moved = 0;
        for (int64_t i = 0; i < N; i++) {
            int32_t x[BLOCK], plain[BLOCK], y[BLOCK];
            const int32_t n = ig_corpus_sequence(c[0][0], 0, i, x);
            assert_int_equal(ig_corpus_sequence(c[0][0], 1, i, plain), n);
            assert_int_equal(ig_corpus_sequence(c[1][0], 1, i, y), n);
            assert_memory_equal(y, plain, (size_t)n * sizeof *y);
            ig_corpus_sequence(c[0][1], 1, i, y);
            assert_memory_equal(y, plain, (size_t)n * sizeof *y);
            ig_corpus_sequence(c[1][1], 1, i, y);
            for (int32_t j = 1; j < n - 1; j++) {
                assert_int_equal(y[j], x[j] + V);
                n_moved += plain[j] != y[j];
            }
            gold_is_by_lookup(c[1][1], 1, i, V);
        }
        assert_true(n_moved > N);
        for (int with = 0; with < 2; with++)
            for (int development = 0; development < 2; development++)
                ig_corpus_free(c[with][development]);
    }
    ig_pipeline p;
    char text[64];
    assert_ok(ig_pipeline_parse(&p, "swap:0.25,training | permute:1", "x", 0, &err), &err);
    ig_pipeline_print(&p, text, sizeof text);
    assert_string_equal(text, "swap:0.25,training | permute:1");
    assert_int_equal(ig_pipeline_parse(&p, "swap:0.25,dev", "x", 0, &err), IG_ERR_USAGE);
    assert_int_equal(ig_pipeline_parse(&p, "window:3,training", "x", 0, &err), IG_ERR_USAGE);
    ig_shard_close(s);
}

/* The number of swaps: none below 1 / (n − 1), and an even permutation exactly when it is even. */
static void swaps_are_counted(void **state)
{
    (void)state;
    for (int32_t n = 0; n < 30; n++)
        for (int k = 0; k <= 10; k++) {
            int32_t order[30];
            ig_rng r = ig_rng_make(1, IG_STREAM_TEST, (uint32_t)n, (uint32_t)k);
            ig_order_swap(&r, k / 10.0, order, n);
            int32_t inversions = 0, moved = 0;
            const int32_t times = n < 2 ? 0 : (int32_t)((n - 1) * (k / 10.0));
            for (int32_t i = 0; i < n; i++) {
                moved += order[i] != i;
                for (int32_t j = 0; j < i; j++)
                    inversions += order[j] > order[i];
            }
            assert_int_equal(inversions % 2, times % 2);
            assert_true(moved <= 2 * times);
            assert_true(times != 1 || moved == 2);
        }
}

/* All orders of three positions are equally frequent. */
static void permutations_are_uniform(void **state)
{
    (void)state;
    int32_t count[6] = {0};
    for (uint32_t i = 0; i < 6000; i++) {
        int32_t order[3], work[3];
        ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 0, i);
        ig_order_permute(&r, 1, order, work, 3);
        count[order[0] * 2 + (order[1] > order[2])]++;
    }
    /* χ² with 5 degrees of freedom is above 20.5 once in a thousand. */
    double chi = 0;
    for (int k = 0; k < 6; k++)
        chi += (count[k] - 1000.0) * (count[k] - 1000.0) / 1000;
    assert_true(chi < 20.5);
}

static void a_change_of_ids_and_one_of_order_commute(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("c.shard", N, 30, V, 9);
    const char *const steps[] = {"invert",           "swap:0.5",        "permute:0.5",
                                 "window:2",         "local-shuffle:5", "deterministic-shuffle:21",
                                 "even-odd-shuffle", "reverse:partial", "reverse:full",
                                 "invert:paper-code"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        char a[64], b[64];
        snprintf(a, sizeof a, "shift | %s", steps[k]);
        snprintf(b, sizeof b, "%s | shift", steps[k]);
        ig_corpus *c = make(s, (const char *const[]){a}, 1, 5),
                  *d = make(s, (const char *const[]){b}, 1, 5);
        for (int64_t i = 0; i < N; i++) {
            int32_t x[BLOCK], y[BLOCK], n = ig_corpus_sequence(c, 0, i, x);
            assert_int_equal(ig_corpus_sequence(d, 0, i, y), n);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
        }
        ig_corpus_free(c);
        ig_corpus_free(d);
    }
    ig_shard_close(s);
}

static void anchors_are_a_knob(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("d.shard", N, 30, V, 10);
    const char *const shift[] = {"shift", "shift:anchors=0.3", "shift:anchors=0.7",
                                 "shift:anchors=1"};
    bool kept[4][V] = {{false}};
    for (int k = 0; k < 4; k++) {
        ig_corpus *c = make(s, (const char *const[]){"", shift[k]}, 2, 5);
        int32_t *pairs;
        int64_t n, same = 0;
        ig_err err = {0};
        bool taken[2 * V] = {false};
        assert_ok(ig_corpus_gold_dictionary(c, 0, 1, &pairs, &n, &err), &err);
        assert_int_equal(n, V - 5);
        for (int64_t i = 0; i < n; i++) {
            const int32_t u = pairs[2 * i], v = pairs[2 * i + 1];
            assert_true(v == u || v == u + V);
            assert_false(taken[v]); /* a bijection */
            taken[v] = true;
            same += v == u;
            kept[k][u] = v == u;
        }
        assert_true(k == 0 ? same == 0 : k == 3 ? same == n : same > 0 && same < n);
        for (int64_t i = 0; i < N; i++) {
            int32_t x[BLOCK], y[BLOCK], m = ig_corpus_sequence(c, 0, i, x);
            ig_corpus_sequence(c, 1, i, y);
            for (int32_t j = 0; j < m; j++)
                assert_int_equal(y[j], x[j] < 5 || kept[k][x[j]] ? x[j] : x[j] + V);
        }
        ig_free(pairs);
        ig_corpus_free(c);
    }
    for (int32_t i = 0; i < V; i++) /* more anchors are the same ones and others */
        assert_true(!kept[1][i] || kept[2][i]);
    ig_shard_close(s);
}

/* Anchors between vocabularies of their own: by string, here by a table. */
static void anchors_by_string(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("a.shard", N, 30, V, 10),
             *t = fixture_shard("b.shard", N, 30, V + 9, 11);
    int32_t same[V + 9];
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(V, BLOCK);
    for (int32_t i = 0; i < V + 9; i++)
        same[i] = i % 2 == 0 && i < V ? V - 1 - i / 2 : -1;
    const ig_language_spec spec[] = {
        {.name = "a", .pipeline = "", .source = s},
        {.name = "b", .pipeline = "shift:anchors=1", .source = t, .same = same}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    for (int64_t i = 0; i < N; i++) {
        int32_t y[BLOCK], m = ig_corpus_sequence(c, 1, i, y), n;
        const int32_t *id = ig_shard_sentence(t, i, &n);
        for (int32_t j = 0; j < m - 2; j++)
            assert_int_equal(y[j + 1], id[j] == 1 ? 1 : same[id[j]] >= 0 ? same[id[j]] : id[j] + V);
    }
    ig_corpus_free(c);
    ig_shard_close(s);
    ig_shard_close(t);
}

static void unigram_keeps_lengths_and_frequencies(void **state)
{
    (void)state;
    ig_shard *s = fixture_shard("u.shard", 3000, 30, 12, 12);
    ig_corpus *c;
    ig_err err = {0};
    ig_corpus_options o = fixture_options(12, BLOCK);
    const ig_language_spec spec[] = {{.name = "a", .pipeline = "", .source = s},
                                     {.name = "b", .pipeline = "unigram | shift", .source = s}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    double of_text[12] = {0}, of_draw[12] = {0}, n_text = 0, n_draw = 0;
    for (int64_t i = 0; i < 3000; i++) {
        int32_t x[BLOCK], y[BLOCK], pairs[4 * BLOCK], m = ig_corpus_sequence(c, 0, i, x);
        assert_int_equal(ig_corpus_sequence(c, 1, i, y), m);
        assert_int_equal(ig_corpus_gold_alignment(c, 0, 1, i, pairs), 0);
        for (int32_t j = 1; j < m - 1; j++) {
            assert_true((x[j] == 1) == (y[j] == 1)); /* [UNK] is no word to draw */
            if (x[j] == 1)
                continue;
            of_text[x[j]]++;
            of_draw[y[j] - 12]++;
            n_text++;
            n_draw++;
        }
    }
    double chi = 0;
    for (int k = 5; k < 12; k++) {
        const double expected = of_text[k] / n_text * n_draw;
        chi += (of_draw[k] - expected) * (of_draw[k] - expected) / expected;
    }
    assert_true(chi < 22.5); /* 6 degrees of freedom, once in a thousand */
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void numbers_are_short(void **state)
{
    (void)state;
    const struct {
        double x;
        const char *text;
    } all[] = {{0.3, "0.3"}, {1, "1"}, {0, "0"}, {1.0 / 3, "0.3333333333333333"}, {12, "12"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char out[40];
        ig_number_print(out, sizeof out, all[i].x);
        assert_string_equal(out, all[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_permutations_with_gold),
        cmocka_unit_test(disturbed_in_training_only),
        cmocka_unit_test(swaps_are_counted),
        cmocka_unit_test(permutations_are_uniform),
        cmocka_unit_test(a_change_of_ids_and_one_of_order_commute),
        cmocka_unit_test(anchors_are_a_knob),
        cmocka_unit_test(anchors_by_string),
        cmocka_unit_test(unigram_keeps_lengths_and_frequencies),
        cmocka_unit_test(numbers_are_short),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
