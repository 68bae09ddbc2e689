/* SPDX-License-Identifier: Apache-2.0
 *
 * Variance components: a balanced case by hand, unequal groups against sums over all values, and
 * draws of known components.
 */
#include "test.h"

#include "base/numeric/statistics.h"
#include "base/rng.h"

#include <math.h>

enum { GROUPS = 6, MOST = 5 };

/* Groups 1 3, 5 7, 9 11: within 2; MSB = 2 · 32 / 2 = 32, between (32 − 2) / 2. */
static void by_hand(void **state)
{
    (void)state;
    const double mean[] = {2, 6, 10}, sd[] = {sqrt(2.), sqrt(2.), sqrt(2.)};
    const int64_t two[] = {2, 2, 2}, one[] = {1, 1, 1};
    ig_variance_parts v = ig_variance_split(mean, sd, two, 3);
    assert_int_equal(v.n, 6);
    assert_float_equal(v.within, 2, 1e-12);
    assert_float_equal(v.between, 15, 1e-12);
    v = ig_variance_split(mean, sd, one, 3);
    assert_true(isnan(v.within) && isnan(v.between));
    v = ig_variance_split(mean, sd, two, 1);
    assert_true(v.within > 1.9 && isnan(v.between));
    const double same[] = {4, 4, 4};
    v = ig_variance_split(same, sd, two, 3);
    assert_true(v.between == 0);
}

/* The expected estimates are the components: means over many draws lie within four of their own
 * standard errors. A negative estimate would be 0, so `between` is large enough for none. */
static void unbiased(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const int64_t sizes[GROUPS] = {2, 5, 1, 3, 2, 4};
    const double between = 9, within = 1;
    double sum[2] = {0, 0}, square[2] = {0, 0};
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, 0);
    for (int d = 0; d < DRAWS; d++) {
        double mean[GROUPS], sd[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            double x[MOST], b = sqrt(between) * ig_rng_normal(&r);
            mean[i] = sd[i] = 0;
            for (int64_t k = 0; k < sizes[i]; k++) {
                x[k] = 3 + b + sqrt(within) * ig_rng_normal(&r);
                mean[i] += x[k] / (double)sizes[i];
            }
            for (int64_t k = 0; k < sizes[i]; k++)
                sd[i] += (x[k] - mean[i]) * (x[k] - mean[i]);
            sd[i] = sizes[i] > 1 ? sqrt(sd[i] / (double)(sizes[i] - 1)) : (double)NAN;
        }
        const ig_variance_parts v = ig_variance_split(mean, sd, sizes, GROUPS);
        const double got[] = {v.between, v.within};
        for (int i = 0; i < 2; i++) {
            sum[i] += got[i];
            square[i] += got[i] * got[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        const double mean = sum[i] / DRAWS, sd = sqrt(square[i] / DRAWS - mean * mean),
                     want = i == 0 ? between : within;
        if (fabs(mean - want) > 4 * sd / sqrt(DRAWS))
            fail_msg("%d: mean %g, expected %g within %g", i, mean, want, 4 * sd / sqrt(DRAWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(unbiased)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
