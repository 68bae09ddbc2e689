/* SPDX-License-Identifier: Apache-2.0
 *
 * Rank correlations of two quantities, alone and given a third: against ranks counted one by one
 * and residuals of a regression; the interval by how often it covers.
 */
#include "base/numeric/statistics.h"
#include "base/rng.h"

#include "test.h"

#include <math.h>

enum { MOST = 200 };

/* Rank: how many are smaller, and half of those that are the same. */
static void ranks(double *rank, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int k = 0; k < n; k++)
            rank[i] += x[k] < x[i] ? 1 : x[k] == x[i] ? .5 : 0;
    }
}

/* Computes the residuals of x after a regression on z. */
static void residuals(double *x, const double *z, int n)
{
    double mx = 0, mz = 0, xz = 0, zz = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        mz += z[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xz += (x[i] - mx) * (z[i] - mz);
        zz += (z[i] - mz) * (z[i] - mz);
    }
    for (int i = 0; i < n; i++)
        x[i] -= mx + xz / zz * (z[i] - mz);
}

static void as_of_residuals(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    for (int n = 8; n < 40; n++) {
        double x[MOST], y[MOST], z[MOST], rx[MOST], ry[MOST], rz[MOST];
        for (int i = 0; i < n; i++) {
            z[i] = ig_rng_below(&r, 9); /* with ties */
            x[i] = z[i] + ig_rng_below(&r, 6);
            y[i] = -z[i] + ig_rng_normal(&r) + x[i] / 3;
        }
        ig_rank_correlation c, alone;
        assert_ok(ig_correlate_ranks(&c, (const double *const[]){x, y, z}, n, 1, &err), &err);
        assert_ok(ig_correlate_ranks(&alone, (const double *const[]){x, y, NULL}, n, 1, &err),
                  &err);
        ranks(rx, x, n);
        ranks(ry, y, n);
        ranks(rz, z, n);
        assert_int_equal(c.n, n);
        assert_true(fabs(c.rho - ig_pearson(rx, ry, n)) < 1e-12);
        assert_true(alone.rho == c.rho && isnan(alone.partial));
        assert_true(alone.interval.low == c.interval.low && isnan(alone.partial_interval.low));
        residuals(rx, rz, n);
        residuals(ry, rz, n);
        assert_true(fabs(c.partial - ig_pearson(rx, ry, n)) < 1e-10);
    }
}

/* Two sides of which a third is the common cause go together, and given it they do not. The
 * interval of ρ covers it nearly as often as it says: 250 samples of 30. */
static void common_cause(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { SAMPLES = 250, N = 30 };
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    int covers = 0, zero = 0;
    double sum = 0, partial = 0;
    for (int s = 0; s < SAMPLES; s++) {
        double x[N], y[N], z[N];
        for (int i = 0; i < N; i++) {
            z[i] = ig_rng_normal(&r);
            x[i] = z[i] + ig_rng_normal(&r);
            y[i] = z[i] + ig_rng_normal(&r);
        }
        ig_rank_correlation c;
        assert_ok(ig_correlate_ranks(&c, (const double *const[]){x, y, z}, N, (uint64_t)s, &err),
                  &err);
        const double true_rho = 6 / acos(-1) * asin(.25); /* of normal sides with r = .5 */
        covers += c.interval.low <= true_rho && true_rho <= c.interval.high;
        zero += c.partial_interval.low <= 0 && 0 <= c.partial_interval.high;
        sum += c.rho;
        partial += c.partial;
    }
    assert_true(fabs(sum / SAMPLES - .48) < .03);
    assert_true(fabs(partial / SAMPLES) < .05);
    assert_true(covers > .88 * SAMPLES && covers < .99 * SAMPLES);
    assert_true(zero > .88 * SAMPLES && zero < .99 * SAMPLES);
}

static void edges(void **state)
{
    (void)state;
    ig_err err = {0};
    const double up[] = {1, 2, 3, 4, 5}, flat[] = {1, 1, 1, 1, 1}, some[] = {2, 1, 4, 3, 5},
                 bad[] = {1, (double)NAN, 2, 3, 4};
    ig_rank_correlation c;
    assert_ok(ig_correlate_ranks(&c, (const double *const[]){up, flat, some}, 5, 0, &err), &err);
    assert_true(isnan(c.rho) && isnan(c.partial) && isnan(c.interval.low));
    /* The third tells all of one side. */
    assert_ok(ig_correlate_ranks(&c, (const double *const[]){up, some, up}, 5, 0, &err), &err);
    assert_true(fabs(c.rho - .8) < 1e-12 && isnan(c.partial));
    assert_ok(ig_correlate_ranks(&c, (const double *const[]){up, some, NULL}, 3, 0, &err), &err);
    assert_true(fabs(c.rho - .5) < 1e-12 && isnan(c.interval.low));
    assert_ok(ig_correlate_ranks(&c, (const double *const[]){up, some, NULL}, 0, 0, &err), &err);
    assert_true(isnan(c.rho));
    assert_int_equal(ig_correlate_ranks(&c, (const double *const[]){up, bad, NULL}, 5, 0, &err),
                     IG_ERR_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_of_residuals),
                                       cmocka_unit_test(common_cause), cmocka_unit_test(edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
