/* SPDX-License-Identifier: Apache-2.0
 *
 * Similarities against their papers' formulas in numpy (tools/reference_similarity.py), and what
 * they must be: 1 for a rotated copy, near 0 for noise once debiased, the same for any team, the
 * same by n × n and by d × d products.
 */
#include "analyse/similarities.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void states(float *x, int n, int d, int turn)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++)
            x[i * d + k] =
                (float)(sin(0.7 * i + 1.3 * k + turn) * (k + 1) +
                        0.25 * ((i * (k + 3 + turn)) % 7) + 0.1 * ((i * i + k * turn) % 11) +
                        3 * sin(0.37 * i * i * (k + 1) + 0.11 * i * turn * (k + 2)));
}

typedef struct {
    double value[8]; /* cka, debiased, rbf 1, rbf 0.4, svcca, pwcca, neurons best, in order */
} all;

static all compare(const float *x, int dx, const float *y, int dy, int64_t n, int n_thread)
{
    ig_err err = {0};
    ig_space a, b;
    double got[IG_SIMILARITY_N];
    all out;
    ig_similarity_with with = {.ops = ig_ops_best()};
    assert_ok(ig_team_new(&with.team, n_thread, &err), &err);
    assert_ok(ig_space_new(&a, x, n, dx, &with, &err), &err);
    assert_ok(ig_space_new(&b, y, n, dy, &with, &err), &err);
    assert_ok(ig_space_axes(&a, &with, &err), &err);
    assert_ok(ig_space_axes(&b, &with, &err), &err);
    assert_ok(ig_similarities(got, &a, &b, &with, &err), &err);
    memcpy(out.value, got, 3 * sizeof *got);
    assert_ok(ig_similarity_rbf(&out.value[3], &a, &b, 0.4, &with, &err), &err);
    memcpy(out.value + 4, got + 3, 4 * sizeof *got);
    ig_space_free(&a);
    ig_space_free(&b);
    ig_team_free(with.team);
    return out;
}

static void as_numpy_has_them(void **state)
{
    (void)state;
    static const struct {
        int n, dx, dy;
        double want[8];
    } set[] = {
        {50,
         6,
         6,
         {0.644590597284, 0.627285999342, 0.683391566509, 0.678941901072, 0.410821790681,
          0.557138738577, 0.616587666714, 0.239077423455}},
        {51,
         7,
         4,
         {0.564683984918, 0.542953410851, 0.565833324969, 0.521807064841, 0.501859091464,
          0.632992242868, 0.526614985813, (double)NAN}},
        {9,
         12,
         14,
         {0.970649749526, 0.966366582987, 0.978985857425, 0.980267577016, 0.6702340497, 1,
          0.867981881279, (double)NAN}},
    };
    float x[600], y[600];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        states(x, set[s].n, set[s].dx, 0);
        states(y, set[s].n, set[s].dy, 1);
        const all got = compare(x, set[s].dx, y, set[s].dy, set[s].n, 1);
        for (int i = 0; i < 8; i++) {
            if (isnan(set[s].want[i]))
                assert_true(isnan(got.value[i]));
            else if (!(fabs(got.value[i] - set[s].want[i]) < 2e-6))
                fail_msg("set %d, value %d: %.12g, numpy has %.12g", (int)s, i, got.value[i],
                         set[s].want[i]);
        }
    }
}

/* Gauss, seed by number. */
static float *noise(int64_t n, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_EVAL, 0, 0);
    float *x = calloc((size_t)n, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)ig_rng_normal(&r);
    return x;
}

/* x Q, moved and made `scale` as large; Q turns neighbouring columns, by turns of pairs. */
static float *turned(const float *x, int64_t n, int d, float scale, float move)
{
    float *z = calloc((size_t)(n * d), sizeof *z);
    for (int64_t i = 0; i < n; i++) {
        float *row = z + i * d;
        memcpy(row, x + i * d, (size_t)d * sizeof *row);
        for (int round = 0; round < 3; round++)
            for (int k = round % 2; k + 1 < d; k += 2) {
                const double c = cos(k + round), s = sin(k + round), a = row[k], b = row[k + 1];
                row[k] = (float)(c * a - s * b);
                row[k + 1] = (float)(s * a + c * b);
            }
        for (int k = 0; k < d; k++)
            row[k] = scale * row[k] + move;
    }
    return z;
}

static void rotated_and_noise(void **state)
{
    (void)state;
    enum { D = 300, FEW = 70, MANY = SANITIZED ? 350 : 700 };
    for (int64_t n = FEW; n <= MANY;
         n += MANY - FEW) { /* n × n products, then d × d ones in tiles */
        float *x = noise(n * D, 1), *y = noise(n * D, 2), *z = turned(x, n, D, 3, 0.5F);
        const all copy = compare(x, D, z, D, n, 1), other = compare(x, D, y, D, n, 1);
        for (int i = 0; i < 6; i++)
            if (!(fabs(copy.value[i] - 1) < 1e-5))
                fail_msg("%d rows, value %d of a rotated copy: %.9g", (int)n, i, copy.value[i]);
        assert_true(other.value[0] > 0.2); /* biased: more of it the fewer the rows */
        assert_true(fabs(other.value[1]) < 0.02);
        free(x);
        free(y);
        free(z);
    }
}

static void at_most_one(void **state)
{
    (void)state;
    for (int n = 3; n < 40; n++) {
        float *x = noise((int64_t)n * 9, (uint64_t)n), *z = turned(x, n, 9, 3, 0);
        for (int which = 0; which < 2; which++) {
            const all got = compare(x, 9, which == 0 ? x : z, 9, n, 1);
            for (int i = 0; i < 8; i++)
                if (got.value[i] > 1)
                    fail_msg("%d rows, value %d: %.17g", n, i, got.value[i]);
        }
        free(x);
        free(z);
    }
}

static void same_for_any_team(void **state)
{
    (void)state;
    enum { D = 300, E = 40, N = 333 };
    float *x = noise(N * D, 3), *y = noise(N * E, 4);
    const all one = compare(x, D, y, E, N, 1), three = compare(x, D, y, E, N, 3);
    assert_memory_equal(&one.value, &three.value, 7 * sizeof(double));
    free(x);
    free(y);
}

/* A brute-force trace of centered kernels, d < n < other d: neither side alone decides the way. */
static void mixed_sizes(void **state)
{
    (void)state;
    enum { D = 5, E = 40, N = 20 };
    float *x = noise(N * D, 5), *y = noise(N * E, 6);
    for (int i = 0; i < N; i++)
        y[i * E] += 5 * x[i * D];
    static double k[2][N][N];
    for (int m = 0; m < 2; m++) {
        const float *v = m == 0 ? x : y;
        const int d = m == 0 ? D : E;
        double row[N] = {0}, sum = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                k[m][i][j] = 0;
                for (int c = 0; c < d; c++)
                    k[m][i][j] += (double)v[i * d + c] * (double)v[j * d + c];
                row[i] += k[m][i][j] / N;
                sum += k[m][i][j] / N / N;
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                k[m][i][j] += sum - row[i] - row[j];
    }
    const double *kx = &k[0][0][0], *ky = &k[1][0][0];
    double s[3] = {0};
    for (int i = 0; i < N * N; i++) {
        s[0] += kx[i] * ky[i];
        s[1] += kx[i] * kx[i];
        s[2] += ky[i] * ky[i];
    }
    const double got = compare(x, D, y, E, N, 1).value[0];
    assert_true(fabs(got - s[0] / sqrt(s[1] * s[2])) < 1e-6);
    free(x);
    free(y);
}

static void what_cannot_be_compared(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_space a, b;
    ig_cka cka;
    double rbf;
    ig_similarity_with with = {.ops = ig_ops_best()};
    float x[12] = {1, 2, 3, 4, 6, 5, 7, 9, 8, 2, 1, 1}, flat[12] = {0};
    assert_int_equal(ig_space_new(&a, x, 1, 3, &with, &err), IG_ERR_INPUT);
    ig_space_free(&a);
    assert_ok(ig_space_new(&a, x, 4, 3, &with, &err), &err);
    assert_ok(ig_space_new(&b, flat, 4, 3, &with, &err), &err);
    assert_ok(ig_similarity_cka(&cka, &a, &b, &with, &err), &err);
    assert_true(isnan(cka.biased) && isnan(cka.debiased));
    assert_ok(ig_similarity_rbf(&rbf, &a, &b, 1, &with, &err), &err);
    assert_true(isnan(rbf));
    ig_space_free(&b);
    assert_ok(ig_space_new(&b, x, 3, 3, &with, &err), &err);
    assert_int_equal(ig_similarity_cka(&cka, &a, &b, &with, &err), IG_ERR_INPUT);
    ig_space_free(&b);
    x[7] = NAN;
    assert_int_equal(ig_space_new(&b, x, 4, 3, &with, &err), IG_ERR_NUMERIC);
    ig_space_free(&b);
    ig_space_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_numpy_has_them),       cmocka_unit_test(rotated_and_noise),
        cmocka_unit_test(same_for_any_team),       cmocka_unit_test(mixed_sizes),
        cmocka_unit_test(what_cannot_be_compared), cmocka_unit_test(at_most_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
