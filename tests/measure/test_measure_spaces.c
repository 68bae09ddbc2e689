/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval after a map: a rotated copy is found though nothing was before, shuffled partners are
 * not, and any team gives the same bits. (CKA: tests/analyse/test_similarity.c.)
 */
#include "test.h"

#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "measure/spaces.h"

#include <math.h>
#include <string.h>

enum { N = 200, D = 12 };

static void draw(float *x, int64_t n, ig_rng *r)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)ig_rng_normal(r);
}

/* A rotation: random vectors made orthonormal one after the other. */
static void rotation(double q[D][D], ig_rng *r)
{
    for (int i = 0; i < D; i++) {
        double norm = 0;
        for (int c = 0; c < D; c++)
            q[i][c] = ig_rng_normal(r);
        for (int k = 0; k < i; k++) {
            double dot = 0;
            for (int c = 0; c < D; c++)
                dot += q[i][c] * q[k][c];
            for (int c = 0; c < D; c++)
                q[i][c] -= dot * q[k][c];
        }
        for (int c = 0; c < D; c++)
            norm += q[i][c] * q[i][c];
        for (int c = 0; c < D; c++)
            q[i][c] /= sqrt(norm);
    }
}

static void turn(float *out, const float *x, double q[D][D], double scale, double shift)
{
    for (int64_t i = 0; i < N; i++)
        for (int c = 0; c < D; c++) {
            double sum = shift;
            for (int k = 0; k < D; k++)
                sum += scale * (double)x[i * D + k] * q[k][c];
            out[i * D + c] = (float)sum;
        }
}

static ig_team *team_of(int n)
{
    ig_team *team;
    ig_err err = {0};
    assert_ok(ig_team_new(&team, n, &err), &err);
    return team;
}

static double mapped(const float *a, const float *b, const int32_t *gold, int64_t n_gold,
                     ig_team *team, ig_retrieval_score *s)
{
    ig_err err = {0};
    const ig_vector_pair v = {{a, b}, {N, N}, D, gold, n_gold};
    const ig_retrieval_with with = {ig_ops_best(), team, NULL};
    assert_ok(ig_mapped_retrieval(s, &v, &with, &err), &err);
    return s->mean;
}

static void a_map_finds_a_rotation(void **state)
{
    (void)state;
    static float x[N * D], z[N * D], unit[2][N * D];
    static int32_t gold[2 * N];
    double q[D][D];
    ig_err err = {0};
    ig_rng r = ig_rng_make(8, IG_STREAM_EVAL, 0, 0);
    ig_retrieval_score s, again;
    ig_team *one = team_of(1), *three = team_of(3);
    draw(x, N * D, &r);
    rotation(q, &r);
    turn(z, x, q, 2, 0);
    for (int i = 0; i < 2; i++) {
        memcpy(unit[i], i ? z : x, sizeof unit[i]);
        assert_ok(ig_unit_rows(unit[i], N, D, "test", &err), &err);
    }
    const ig_vector_pair both = {{unit[0], unit[1]}, {N, N}, D, NULL, N};
    const ig_retrieval_with with = {ig_ops_best(), one, NULL};
    assert_ok(ig_retrieval_run(&s, &both, &with, &err), &err);
    assert_true(s.mean < 0.1);
    assert_true(mapped(x, z, NULL, N, one, &s) == 1);
    assert_int_equal(s.way[0].n_query, N / 2);
    assert_int_equal(s.way[0].n_candidate, N);
    mapped(x, z, NULL, N, three, &again);
    assert_memory_equal(&s, &again, sizeof s);
    /* Some words of the dictionary have two translations: the second half are test pairs. */
    for (int i = 0; i < N; i++)
        gold[2 * i] = gold[2 * i + 1] = (int32_t)(i / 2);
    for (int i = 0; i < N; i += 2)
        gold[2 * i + 3] = (int32_t)(N / 2 + i / 2);
    mapped(x, z, gold, N, one, &s);
    assert_int_equal(s.way[0].n_query, N / 4);
    assert_int_equal(s.way[1].n_query, N / 2);
    assert_true(s.way[0].p[0] == 1);
    /* Partners at random: a map of what was learned finds nobody else. */
    for (int i = 0; i < N; i++) {
        gold[2 * i] = (int32_t)i;
        gold[2 * i + 1] = (int32_t)((i * 77 + 13) % N);
    }
    assert_true(mapped(x, z, gold, N, one, &s) < 0.1);
    /* One pair is nothing to learn from and ask about. */
    mapped(x, z, gold, 1, one, &s);
    assert_true(isnan(s.mean) && s.way[0].n_query == 0);
    ig_team_free(one);
    ig_team_free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_map_finds_a_rotation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
