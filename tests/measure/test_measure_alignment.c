/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignment by mutual argmax against a brute-force reading of its definition, and facts that
 * hold whatever the code: identity, anti-diagonal, permuted columns, ties, n-to-m gold, empty
 * sentences.
 */
#include "test.h"

#include "base/rng.h"
#include "measure/alignment.h"

#include <string.h>

enum { MAX = 12 };

/* The definition, literally: (i, j) is an edge when no entry of row i beats j and none of column j
 * beats i, where an equal entry with a lower index beats. */
static int32_t by_definition(const float *s, int ld, int na, int nb, int32_t *pairs)
{
    int32_t n = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            int beaten = 0;
            for (int c = 0; c < nb; c++)
                beaten +=
                    s[i * ld + c] > s[i * ld + j] || (s[i * ld + c] == s[i * ld + j] && c < j);
            for (int r = 0; r < na; r++)
                beaten +=
                    s[r * ld + j] > s[i * ld + j] || (s[r * ld + j] == s[i * ld + j] && r < i);
            if (!beaten) {
                pairs[2 * n] = i;
                pairs[2 * n + 1] = j;
                n++;
            }
        }
    return n;
}

static void argmax_is_its_definition(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 0);
    for (int round = 0; round < 3000; round++) {
        int na = (int)ig_rng_below(&r, MAX + 1), nb = (int)ig_rng_below(&r, MAX + 1), ld = MAX + 3;
        uint32_t levels = 1 + ig_rng_below(&r, 6); /* few levels: many ties */
        float s[MAX * (MAX + 3)];
        for (int i = 0; i < MAX * (MAX + 3); i++)
            s[i] = (float)ig_rng_below(&r, levels) - 2;
        int32_t got[2 * MAX], want[2 * MAX], work[MAX];
        int32_t n = ig_alignment_argmax(s, ld, na, nb, got, work);
        assert_int_equal(n, by_definition(s, ld, na, nb, want));
        assert_memory_equal(got, want, (size_t)n * 2 * sizeof *got);
    }
}

/* SimAlign's iter_max, matrix by matrix: masks of ones where a row, a column has no link. */
static int32_t second_round(const float *sim, int ld, int na, int nb, int32_t *pairs)
{
    float s[MAX * MAX];
    double masked[MAX * MAX], mx[MAX], my[MAX], sum_x = 0, sum_y = 0;
    for (int i = 0; i < na * nb; i++)
        s[i] = (sim[i / nb * ld + i % nb] + 1) / 2;
    const int32_t n = nb > 0 ? by_definition(s, nb, na, nb, pairs) : 0;
    if (na <= 2 || nb <= 2)
        return n;
    for (int i = 0; i < MAX; i++)
        mx[i] = my[i] = 1;
    for (int e = 0; e < n; e++)
        mx[pairs[2 * e]] = my[pairs[2 * e + 1]] = 0;
    for (int i = 0; i < na; i++)
        sum_x += mx[i];
    for (int j = 0; j < nb; j++)
        sum_y += my[j];
    if (sum_x < 1 || sum_y < 1)
        return n;
    for (int i = 0; i < na * nb; i++)
        masked[i] = (double)s[i] * fmin(.9 * mx[i / nb] + .9 * my[i % nb], 1);
    int32_t more = n;
    for (int i = 0; i < na; i++) {
        int to = 0, back = 0;
        for (int j = 1; j < nb; j++)
            to = masked[i * nb + j] > masked[i * nb + to] ? j : to;
        for (int k = 1; k < na; k++)
            back = masked[k * nb + to] > masked[back * nb + to] ? k : back;
        if (back == i && 1 - (1 - mx[i]) * (1 - my[to]) > 0) {
            pairs[2 * more] = i;
            pairs[2 * more++ + 1] = to;
        }
    }
    return more;
}

static void itermax_is_that_of_simalign(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    int64_t n_more = 0;
    for (int round = 0; round < 4000; round++) {
        int na = (int)ig_rng_below(&r, MAX + 1), nb = (int)ig_rng_below(&r, MAX + 1), ld = MAX + 3;
        const uint32_t levels = round % 2 ? 1000 : 2 + ig_rng_below(&r, 20);
        float s[MAX * (MAX + 3)];
        for (int i = 0; i < MAX * (MAX + 3); i++)
            s[i] = 2 * (float)ig_rng_below(&r, levels) / (float)(levels - 1) - 1;
        int32_t got[4 * MAX], want[4 * MAX], work[3 * MAX];
        const int32_t expected = second_round(s, ld, na, nb, want);
        const int32_t n = ig_alignment_itermax(s, ld, na, nb, got, work);
        assert_int_equal(n, expected);
        assert_memory_equal(got, want, (size_t)n * 2 * sizeof *got);
        n_more += n > na / 2;
    }
    assert_true(n_more > 100);
}

static void score_is_set_arithmetic(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 0, 0);
    ig_alignment_count c = {0};
    int64_t np = 0, ng = 0, nr = 0;
    for (int round = 0; round < 500; round++) {
        /* A predicted list is a partial one-to-one map; gold is any set, n to m. */
        int32_t p[2 * MAX], g[2 * MAX * MAX], n_p = 0, n_g = 0, perm[MAX];
        ig_rng_permutation(&r, perm, MAX);
        for (int i = 0; i < MAX; i++)
            if (ig_rng_below(&r, 3)) {
                p[2 * n_p] = i;
                p[2 * n_p++ + 1] = perm[i];
            }
        for (int i = 0; i < MAX; i++)
            for (int j = 0; j < MAX; j++)
                if (!ig_rng_below(&r, 4)) {
                    g[2 * n_g] = i;
                    g[2 * n_g++ + 1] = j;
                }
        for (int x = 0; x < n_p; x++)
            for (int y = 0; y < n_g; y++)
                nr += p[2 * x] == g[2 * y] && p[2 * x + 1] == g[2 * y + 1];
        np += n_p;
        ng += n_g;
        ig_alignment_add(&c, p, n_p, g, n_g);
    }
    assert_int_equal(c.n_predicted, np);
    assert_int_equal(c.n_gold, ng);
    assert_int_equal(c.n_right, nr);
    ig_alignment_score s = ig_alignment_get(&c);
    assert_true(fabs(s.precision - (double)nr / (double)np) < 1e-15);
    assert_true(fabs(s.recall - (double)nr / (double)ng) < 1e-15);
    assert_true(fabs(s.f1 - 2 * s.precision * s.recall / (s.precision + s.recall)) < 1e-15);
}

static void known_pictures(void **state)
{
    (void)state;
    enum { N = 5 };
    float s[N * N];
    int32_t got[2 * N], work[N], gold[2 * N];
    for (int kind = 0; kind < 3; kind++) { /* identity, anti-diagonal, a rotation */
        ig_alignment_count c = {0};
        memset(s, 0, sizeof s);
        for (int i = 0; i < N; i++) {
            int j = kind == 0 ? i : kind == 1 ? N - 1 - i : (i + 2) % N;
            s[i * N + j] = 1;
            gold[2 * i] = i;
            gold[2 * i + 1] = j;
        }
        int32_t n = ig_alignment_argmax(s, N, N, N, got, work);
        ig_alignment_add(&c, got, n, gold, N);
        assert_true(ig_alignment_get(&c).f1 == 1);
    }
    /* All equal: only (0, 0). */
    memset(s, 0, sizeof s);
    assert_int_equal(ig_alignment_argmax(s, N, N, N, got, work), 1);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 0);
    /* Unequal lengths: 2 × 4 block-wise gold of two columns a row; at most one of each can be
     * found. */
    float u[2 * 4] = {3, 2, 0, 0, 0, 0, 2, 3};
    int32_t blocks[] = {0, 0, 0, 1, 1, 2, 1, 3};
    ig_alignment_count c = {0};
    int32_t n = ig_alignment_argmax(u, 4, 2, 4, got, work);
    ig_alignment_add(&c, got, n, blocks, 4);
    ig_alignment_score sc = ig_alignment_get(&c);
    assert_true(sc.precision == 1 && sc.recall == 0.5 && fabs(sc.f1 - 2.0 / 3) < 1e-15);
    /* Nothing at all. */
    ig_alignment_count none = {0};
    assert_true(isnan(ig_alignment_get(&none).f1));
    assert_int_equal(ig_alignment_argmax(s, N, 0, N, got, work), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(argmax_is_its_definition),
        cmocka_unit_test(itermax_is_that_of_simalign),
        cmocka_unit_test(score_is_set_arithmetic),
        cmocka_unit_test(known_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
