/* SPDX-License-Identifier: Apache-2.0
 *
 * The shuffles and reversals of Kallini et al. 2024: permutations against those that numpy 2.4
 * prints for `x = list(range(n)); default_rng(seed).shuffle(x)`, sentences against loops over the
 * definitions, gold against the places.
 */
#include "corpus_fixture.h"

#include "corpus/language/transform.h"
#include "corpus/words/numpy_shuffle.h"

enum { V = 60, BLOCK = 40, N = 120 };

static const struct {
    uint64_t seed;
    int32_t n, order[20];
} numpy[] = {
    {0, 2, {0, 1}},
    {0, 3, {2, 0, 1}},
    {0, 5, {2, 4, 3, 0, 1}},
    {0, 10, {4, 6, 2, 7, 3, 5, 9, 0, 8, 1}},
    {21, 12, {7, 8, 5, 4, 1, 0, 10, 6, 9, 3, 11, 2}},
    {57, 7, {1, 2, 0, 4, 6, 3, 5}},
    {84, 20, {12, 10, 16, 0, 4, 1, 3, 17, 14, 7, 8, 19, 18, 13, 2, 15, 11, 5, 9, 6}},
    {5000000000, 9, {8, 1, 4, 0, 7, 3, 6, 5, 2}},
};

static void orders_are_numpys(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof numpy / sizeof *numpy; k++) {
        int32_t order[20];
        ig_numpy_shuffle(numpy[k].seed, order, numpy[k].n);
        assert_memory_equal(order, numpy[k].order, (size_t)numpy[k].n * sizeof *order);
    }
}

static ig_corpus *make(const ig_shard *s, const char *pipeline)
{
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(V, BLOCK);
    const ig_language_spec spec[] = {{.name = "a", .pipeline = "", .source = s},
                                     {.name = "b", .pipeline = pipeline, .source = s}};
    o.seed = 3;
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
}

/* Where token `to` of a sentence of n comes from. */
typedef int32_t source_fn(int32_t to, int32_t n);

static int32_t of_local(int32_t to, int32_t n)
{
    static const int32_t three[] = {2, 0, 1}; /* of two the order stays */
    return n - to / 3 * 3 < 3 ? to : to / 3 * 3 + three[to % 3];
}
static int32_t of_even_odd(int32_t to, int32_t n)
{
    const int32_t n_even = (n + 1) / 2;
    return to < n_even ? 2 * to : 2 * (to - n_even) + 1;
}
static int32_t of_fixed(int32_t to, int32_t n)
{
    int32_t order[BLOCK];
    ig_numpy_shuffle(57, order, n);
    return order[to];
}

static void sentences_are_shuffled(void **state)
{
    (void)state;
    static const struct {
        const char *pipeline;
        source_fn *of;
        int32_t first_id;
    } kind[] = {{"local-shuffle:3", of_local, 0},
                {"shift | even-odd-shuffle", of_even_odd, V},
                {"deterministic-shuffle:57", of_fixed, 0}};
    ig_shard *s = fixture_shard("a.shard", N, 30, V, 4);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        ig_corpus *c = make(s, kind[k].pipeline);
        int64_t moved = 0;
        for (int64_t i = 0; i < N; i++) {
            int32_t x[BLOCK], y[BLOCK], pairs[4 * BLOCK];
            const int32_t n = ig_corpus_sequence(c, 0, i, x) - 2;
            assert_int_equal(ig_corpus_sequence(c, 1, i, y), n + 2);
            for (int32_t to = 0; to < n; to++) {
                const int32_t from = kind[k].of(to, n), id = x[from + 1];
                assert_int_equal(y[to + 1], id < 5 ? id : id + kind[k].first_id);
                moved += from != to;
            }
            assert_int_equal(ig_corpus_gold_alignment(c, 0, 1, i, pairs), n);
            for (int32_t j = 0; j < n; j++)
                assert_int_equal(pairs[2 * j] - 1, kind[k].of(pairs[2 * j + 1] - 1, n));
        }
        assert_true(moved > N);
        ig_corpus_free(c);
    }
    ig_shard_close(s);
}

/* A sentence is cut into what stands before and after its marker, which is a row after all
 * blocks. */
static void reversals_follow_a_marker(void **state)
{
    (void)state;
    static const char *const how[] = {"no", "partial", "full"};
    ig_shard *s = fixture_shard("r.shard", N, 30, V, 5);
    int64_t at_place[3] = {0};
    for (int k = 0; k < 3; k++) {
        char pipeline[64];
        snprintf(pipeline, sizeof pipeline, k == 1 ? "reverse:%s | shift" : "shift | reverse:%s",
                 how[k]);
        ig_corpus *c = make(s, pipeline);
        const int32_t marker = ig_corpus_language(c, 1)->reverse;
        assert_int_equal(marker, 2 * V);
        assert_int_equal(ig_corpus_vocab_size(c), 2 * V + 1);
        for (int64_t i = 0; i < N; i++) {
            int32_t x[BLOCK], y[BLOCK], at = 0, pairs[4 * BLOCK];
            const int32_t n = ig_corpus_sequence(c, 0, i, x) - 2;
            assert_int_equal(ig_corpus_sequence(c, 1, i, y), n + 3);
            while (y[at + 1] != marker)
                at++;
            const int32_t m = ig_corpus_gold_alignment(c, 0, 1, i, pairs);
            assert_int_equal(m, n);
            for (int32_t to = 0; to <= n; to++) {
                /* Its place in the text, for those before and those after the marker. */
                int32_t from = to < at ? to : to - 1;
                if (k == 1 && to > at)
                    from = n - (to - at);
                if (k == 2)
                    from = to < at ? n - 1 - to : n - to;
                if (to == at)
                    continue;
                assert_int_equal(y[to + 1], x[from + 1] < 5 ? x[from + 1] : x[from + 1] + V);
                assert_int_equal(pairs[2 * from], from + 1);
                assert_int_equal(pairs[2 * from + 1], to + 1);
            }
            at_place[at == 0 ? 0 : at == n ? 2 : 1]++;
        }
        ig_corpus_free(c);
    }
    for (int k = 0; k < 3; k++)
        assert_true(at_place[k] > 0);
    ig_shard_close(s);
}

static void bad_arguments(void **state)
{
    (void)state;
    static const char *const bad[] = {"deterministic-shuffle", "deterministic-shuffle:-1",
                                      "local-shuffle:0",       "local-shuffle:3,x",
                                      "even-odd-shuffle:2",    "reverse",
                                      "reverse:half",          "reverse:no | reverse:no"};
    ig_err err = {0};
    ig_pipeline p;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ig_pipeline_parse(&p, bad[i], "x", 0, &err), IG_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_numpys), cmocka_unit_test(sentences_are_shuffled),
        cmocka_unit_test(reversals_follow_a_marker), cmocka_unit_test(bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
