/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval against a brute-force ranking, and what must hold whatever the code: a set finds
 * itself, a common rotation changes nothing, relabelling both sides changes nothing, swapping sides
 * swaps the ways, duplicates tie and follow the stated rule, any team gives the same counts.
 */
#include "test.h"

#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "measure/nearest/retrieval.h"
#include "measure/perplexity.h"

#include <string.h>

static float *vectors(int64_t n, int d, ig_rng *r)
{
    float *x;
    ig_err err;
    assert_ok(ig_alloc(&x, n * d, sizeof *x, "vectors", &err), &err);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = (float)ig_rng_normal(r);
    return x;
}

static void normalise(float *x, int64_t n, int d)
{
    ig_err err;
    assert_ok(ig_unit_rows(x, n, d, "test", &err), &err);
}

static ig_retrieval_score run_by(const ig_ops *ops, const float *a, int64_t na, const float *b,
                                 int64_t nb, int d, const int32_t *gold, int64_t n_gold,
                                 ig_team *team)
{
    ig_retrieval_score s;
    ig_err err;
    const ig_vector_pair v = {{a, b}, {na, nb}, d, gold, n_gold};
    const ig_retrieval_with with = {ops, team, NULL};
    assert_ok(ig_retrieval_run(&s, &v, &with, &err), &err);
    return s;
}

static ig_retrieval_score run(const float *a, int64_t na, const float *b, int64_t nb, int d,
                              const int32_t *gold, int64_t n_gold, ig_team *team)
{
    return run_by(ig_ops_ref(), a, na, b, nb, d, gold, n_gold, team);
}

/* Exact on purpose: vectors with few small integers, so that float and double products are the same
 * and ties are real. Left at their own length; the measure only compares. */
static void few_values(float *x, int64_t n, ig_rng *r)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)ig_rng_below(r, 3) - 1;
}

static double dot(const float *a, const float *b, int d)
{
    double s = 0;
    for (int c = 0; c < d; c++)
        s += (double)a[c] * (double)b[c];
    return s;
}

/* The rule, literally: sort candidates by (similarity falling, index rising), look whether one of
 * the right ones is among the first k. */
static ig_retrieval_way by_sorting(const float *q, int64_t nq, const float *x, int64_t n, int d,
                                   const int32_t *gold, int64_t n_gold, int column)
{
    ig_retrieval_way w = {.n_candidate = n};
    for (int64_t i = 0; i < nq; i++) {
        bool right[64] = {false}, any = false, used[64] = {false};
        double s[64];
        assert_true(n <= 64);
        for (int64_t p = 0; p < n_gold; p++)
            if (gold[2 * p + column] == i)
                right[gold[2 * p + 1 - column]] = any = true;
        if (!any)
            continue;
        w.n_query++;
        for (int64_t j = 0; j < n; j++)
            s[j] = dot(q + i * d, x + j * d, d);
        double best_right = -1e30;
        for (int64_t j = 0; j < n; j++)
            if (right[j] && s[j] > best_right)
                best_right = s[j];
        for (int64_t j = 0; j < n; j++)
            if (!right[j] && s[j] == best_right) {
                w.n_tie++;
                break;
            }
        bool found = false;
        for (int place = 1; place <= 10 && place <= n; place++) {
            int64_t top = -1;
            for (int64_t j = 0; j < n; j++)
                if (!used[j] && (top < 0 || s[j] > s[top]))
                    top = j;
            used[top] = true;
            found = found || right[top];
            for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
                if (place == ig_retrieval_k[k])
                    w.n_found[k] += found;
        }
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            if (n < ig_retrieval_k[k])
                w.n_found[k] += found;
    }
    return w;
}

static void assert_same_way(const ig_retrieval_way *got, const ig_retrieval_way *want)
{
    assert_int_equal(got->n_query, want->n_query);
    assert_int_equal(got->n_candidate, want->n_candidate);
    assert_int_equal(got->n_tie, want->n_tie);
    for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
        assert_int_equal(got->n_found[k], want->n_found[k]);
}

static void ranks_are_those_of_sorting(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    for (int round = 0; round < 300; round++) {
        enum { D = 6 };
        int64_t na = 1 + ig_rng_below(&r, 50), nb = 1 + ig_rng_below(&r, 50), n_gold = 0;
        float *a = vectors(na, D, &r), *b = vectors(nb, D, &r);
        static int32_t gold[2 * 50 * 50];
        few_values(a, na * D, &r);
        few_values(b, nb * D, &r);
        for (int64_t i = 0; i < na; i++)
            for (int64_t j = 0; j < nb; j++)
                if (!ig_rng_below(&r, 20)) { /* none, one or several answers */
                    gold[2 * n_gold] = (int32_t)i;
                    gold[2 * n_gold++ + 1] = (int32_t)j;
                }
        ig_retrieval_score got = run(a, na, b, nb, D, gold, n_gold, NULL);
        ig_retrieval_way f = by_sorting(a, na, b, nb, D, gold, n_gold, 0),
                         g = by_sorting(b, nb, a, na, D, gold, n_gold, 1);
        assert_same_way(&got.way[0], &f);
        assert_same_way(&got.way[1], &g);
        ig_free(a);
        ig_free(b);
    }
}

/* Strictly largest in row and column of the matrix of products, by definition, with real ties. */
static void strictly_first_both_ways(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 0, 0);
    bool some = false, some_not = false;
    for (int round = 0; round < 40; round++) {
        const int64_t n = 1 + round;
        const int d = 4 + round % 3;
        float *a = vectors(n, d, &r), *b = vectors(n, d, &r);
        few_values(a, n * d, &r);
        for (int64_t i = 0; i < n * d; i++)
            b[i] = ig_rng_below(&r, 4) > 0 ? a[i] : (float)ig_rng_below(&r, 3) - 1;
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) {
            bool first = true;
            const double own = dot(a + i * d, b + i * d, d);
            for (int64_t j = 0; j < n; j++)
                first = first && (j == i || (dot(a + i * d, b + j * d, d) < own &&
                                             dot(a + j * d, b + i * d, d) < own));
            count += first;
        }
        const ig_retrieval_score s = run(a, n, b, n, d, NULL, n, NULL);
        assert_true(fabs(s.strict - (double)count / (double)n) < 1e-12);
        some = some || count > 0;
        some_not = some_not || count < n;
        ig_free(a);
        ig_free(b);
    }
    assert_true(some && some_not);
}

static void a_set_finds_itself(void **state)
{
    (void)state;
    enum { N = 700, D = 24 };
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    float *x = vectors(N, D, &r);
    normalise(x, N, D);
    ig_retrieval_score s = run(x, N, x, N, D, NULL, N, NULL);
    assert_true(s.mean == 1);
    assert_int_equal(s.way[0].n_tie + s.way[1].n_tie, 0);
    ig_free(x);
}

/* One rotation of both sides leaves all cosines but for rounding; noisy pairs give ranks of all
 * sizes. */
static void common_rotation_and_relabelling(void **state)
{
    (void)state;
    enum { N = 400, D = 16 };
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    float *a = vectors(N, D, &r), *b = vectors(N, D, &r);
    for (int i = 0; i < N * D; i++)
        b[i] = a[i] + 0.9f * b[i];
    normalise(a, N, D);
    normalise(b, N, D);
    ig_retrieval_score before = run(a, N, b, N, D, NULL, N, NULL);
    assert_true(before.mean > 0.1 && before.mean < 0.95);

    /* Swapping sides swaps the ways. */
    ig_retrieval_score swapped = run(b, N, a, N, D, NULL, N, NULL);
    assert_same_way(&swapped.way[0], &before.way[1]);
    assert_same_way(&swapped.way[1], &before.way[0]);

    /* Giving side b other numbers, and telling so in the gold, changes nothing. */
    int32_t perm[N], gold[2 * N];
    float *c = vectors(N, D, &r);
    ig_rng_permutation(&r, perm, N);
    for (int i = 0; i < N; i++) {
        memcpy(c + perm[i] * D, b + i * D, D * sizeof *c);
        gold[2 * i] = i;
        gold[2 * i + 1] = perm[i];
    }
    ig_retrieval_score relabelled = run(a, N, c, N, D, gold, N, NULL);
    assert_same_way(&relabelled.way[0], &before.way[0]);
    assert_same_way(&relabelled.way[1], &before.way[1]);
    /* But wrong gold is chance: at most a few of 400. */
    ig_retrieval_score wrong = run(a, N, c, N, D, NULL, N, NULL);
    assert_true(wrong.mean < 0.05);

    /* Plane rotations of all pairs of coordinates. */
    for (int p = 0; p < D; p++)
        for (int q = 0; q < p; q++) {
            double w = 6.283185307179586 * ig_rng_unit(&r), co = cos(w), si = sin(w);
            for (int side = 0; side < 2; side++)
                for (int i = 0; i < N; i++) {
                    float *v = (side ? b : a) + i * D;
                    double x = (double)v[p], y = (double)v[q];
                    v[p] = (float)(co * x - si * y);
                    v[q] = (float)(si * x + co * y);
                }
        }
    normalise(a, N, D);
    normalise(b, N, D);
    ig_retrieval_score after = run(a, N, b, N, D, NULL, N, NULL);
    /* 120 rotations round each coordinate to 2⁻²⁴: cosines move by some 1e-6, gaps between the best
     * two are of order 1e-2; a swap needs a gap below the noise, about 1e-4 per query. */
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            assert_in_range(after.way[w].n_found[k] + 1, before.way[w].n_found[k],
                            before.way[w].n_found[k] + 2);
    ig_free(a);
    ig_free(b);
    ig_free(c);
}

/* Rows 0, 1, 2 are the same sentence three times: each finds the first as the best, so of the three
 * only the first is right at 1, and all are within 5. */
static void duplicates_follow_the_rule(void **state)
{
    (void)state;
    enum { N = 30, D = 8 };
    ig_rng r = ig_rng_make(6, IG_STREAM_TEST, 0, 0);
    float *x = vectors(N, D, &r);
    memcpy(x + D, x, D * sizeof *x);
    memcpy(x + 2 * D, x, D * sizeof *x);
    normalise(x, N, D);
    ig_retrieval_score s = run(x, N, x, N, D, NULL, N, NULL);
    for (int w = 0; w < 2; w++) {
        assert_int_equal(s.way[w].n_found[0], N - 2);
        assert_int_equal(s.way[w].n_found[1], N);
        assert_int_equal(s.way[w].n_tie, 3);
    }
    /* Everything equal: candidate 0 always wins; the first 5 and 10 are the first 5 and 10 indices.
     */
    memset(x, 0, N * D * sizeof *x);
    normalise(x, N, D);
    s = run(x, N, x, N, D, NULL, N, NULL);
    assert_int_equal(s.way[0].n_found[0], 1);
    assert_int_equal(s.way[0].n_found[1], 5);
    assert_int_equal(s.way[0].n_found[2], 10);
    assert_int_equal(s.way[0].n_tie, N);
    ig_free(x);
}

/* Sizes that cut blocks of rows and pieces of columns unevenly. */
/* Rounded sums of this machine's own kernels: what columns are counted against is made apart from
 * the products, and has to have their bits, or equal vectors would not tie. */
static void equal_vectors_tie_in_both_ways(void **state)
{
    (void)state;
    enum { N = 300, D = 500 };
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, 0);
    float *a = vectors(N, D, &r), *b = vectors(N, D, &r);
    for (int i = 0; i < N * D; i++)
        b[i] += a[i] / 8;
    for (int i = 0; i < 100; i++) {
        memcpy(a + (N - 1 - i) * D, a + i * D, D * sizeof *a);
        memcpy(b + (100 + i / 2) * D, b + i * D, D * sizeof *b);
    }
    normalise(a, N, D);
    normalise(b, N, D);
    const ig_ops *best = ig_ops_best();
    ig_retrieval_score s = run_by(best, a, N, b, N, D, NULL, N, NULL),
                       t = run_by(best, b, N, a, N, D, NULL, N, NULL);
    assert_same_way(&s.way[0], &t.way[1]);
    assert_same_way(&s.way[1], &t.way[0]);
    assert_int_equal(s.way[0].n_query, N);
    assert_true(s.way[0].n_tie >= 50 && s.way[1].n_tie >= 200);
    ig_free(a);
    ig_free(b);
}

static void any_team_any_size(void **state)
{
    (void)state;
    enum { A = 133, B = 9001, D = 5 };
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, 0);
    float *a = vectors(A, D, &r), *b = vectors(B, D, &r);
    int32_t gold[2 * A];
    few_values(a, A * D, &r);
    few_values(b, B * D, &r);
    for (int i = 0; i < A; i++) {
        gold[2 * i] = i;
        gold[2 * i + 1] = (int32_t)ig_rng_below(&r, B);
    }
    ig_err err;
    ig_team *team;
    assert_ok(ig_team_new(&team, 3, &err), &err);
    ig_retrieval_score one = run(a, A, b, B, D, gold, A, NULL),
                       three = run(a, A, b, B, D, gold, A, team);
    assert_memory_equal(&one, &three, sizeof one);
    /* Rank by counting in double. */
    int64_t found = 0, ties = 0;
    for (int i = 0; i < A; i++) {
        int64_t before = 0, equal = 0, g = gold[2 * i + 1];
        double t = dot(a + i * D, b + g * D, D);
        for (int64_t j = 0; j < B; j++) {
            double s = dot(a + i * D, b + j * D, D);
            before += s > t || (s == t && j < g);
            equal += s == t && j != g;
        }
        found += before < 10;
        ties += equal > 0;
    }
    assert_int_equal(one.way[0].n_found[2], found);
    assert_int_equal(one.way[0].n_tie, ties);
    assert_int_equal(one.way[0].n_candidate, B);
    ig_team_free(team);
    ig_free(a);
    ig_free(b);
}

static void bad_and_empty_vectors(void **state)
{
    (void)state;
    float x[8] = {1, 2, 3, 4, 5, NAN, 7, 8};
    ig_err err;
    assert_int_equal(ig_unit_rows(x, 2, 4, "sentence vectors", &err), IG_ERR_NUMERIC);
    assert_non_null(strstr(err.msg, "vector 1 of 2"));
    ig_retrieval_score s = run(x, 0, x, 0, 4, NULL, 0, NULL);
    assert_true(isnan(s.mean));
    s = run(x, 1, x, 1, 4, (const int32_t[]){0, 0}, 0, NULL); /* vectors, but no gold */
    assert_true(isnan(s.mean) && s.way[0].n_candidate == 1);
    float u[4] = {3, 0, 4, 0}, z[4] = {0};
    normalise(u, 1, 4);
    normalise(z, 1, 4);
    assert_true(fabsf(u[0] - 0.6f) < 1e-7f && fabsf(u[2] - 0.8f) < 1e-7f && z[0] == 0);
}

static void perplexity_by_token_and_by_batch(void **state)
{
    (void)state;
    ig_perplexity p = {0};
    assert_true(isnan(ig_perplexity_by_token(&p)) && isnan(ig_perplexity_by_batch(&p)));
    double big[] = {log(2), log(2), log(2)}, small[] = {log(16)};
    ig_perplexity_add(&p, big, 3);
    ig_perplexity_add(&p, small, 0); /* a batch without masked tokens is none */
    ig_perplexity_add(&p, small, 1);
    /* 2, 2, 2, 16: geometric means 2^(7/4) over tokens, 2^(5/2) over batches. */
    assert_true(fabs(ig_perplexity_by_token(&p) - pow(2, 1.75)) < 1e-12);
    assert_true(fabs(ig_perplexity_by_batch(&p) - pow(2, 2.5)) < 1e-12);
    assert_int_equal(p.n_batch, 2);
    /* A uniform guess over V has perplexity V. */
    ig_perplexity q = {0};
    for (int i = 0; i < 100; i++) {
        double nll = log(4096);
        ig_perplexity_add(&q, &nll, 1);
    }
    assert_true(fabs(ig_perplexity_by_token(&q) / 4096 - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_those_of_sorting),
        cmocka_unit_test(strictly_first_both_ways),
        cmocka_unit_test(a_set_finds_itself),
        cmocka_unit_test(common_rotation_and_relabelling),
        cmocka_unit_test(duplicates_follow_the_rule),
        cmocka_unit_test(equal_vectors_tie_in_both_ways),
        cmocka_unit_test(any_team_any_size),
        cmocka_unit_test(bad_and_empty_vectors),
        cmocka_unit_test(perplexity_by_token_and_by_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
