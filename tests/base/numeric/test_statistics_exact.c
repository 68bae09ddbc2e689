/* SPDX-License-Identifier: Apache-2.0
 *
 * The sign-flip test against counting in whole numbers: sums that are equal on paper and not in
 * floating point are ties, and what is drawn for many differences comes near the exact share.
 */
#include "test.h"

#include "base/rng.h"
#include "base/numeric/statistics_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FLIPS = 99999 };

static double p_of(const double *d, int64_t n)
{
    double p;
    ig_err err;
    const ig_sample s = {.x = d, .n = n};
    assert_ok(ig_sign_flip_p(&p, &s, 1, 1, &err), &err);
    return p;
}

/* Tenths, thirds and sevenths have no exact form, so that sums in another order differ by a bit. */
static void ties_are_ties(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    const double unit[] = {.1, 1.0 / 3, 1.0 / 7, 1e-9 / 3, 1e9 / 7};
    for (int t = 0; t < 400; t++) {
        double d[12];
        int k[12];
        const int n = 2 + (int)ig_rng_below(&r, 11);
        int observed = 0;
        for (int i = 0; i < n; i++) {
            k[i] = (int)ig_rng_below(&r, 9) - 3;
            d[i] = k[i] * unit[t % 5];
            observed += k[i];
        }
        int64_t hits = 0;
        for (int m = 0; m < 1 << n; m++) {
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum += m >> i & 1 ? k[i] : -k[i];
            hits += abs(sum) >= abs(observed);
        }
        const double want = (double)hits / (double)(1 << n), got = p_of(d, n);
        if (!(fabs(got - want) < 1e-12))
            fail_msg("n %d, sum %d: %.12g, expected %.12g", n, observed, got, want);
    }
}

/* The share of sums of ±k_i that reach the observed one, by adding up how often each sum occurs. */
static double exact(const int *k, int n, int observed)
{
    enum { MID = 2000 };
    static double now[2 * MID + 1], next[2 * MID + 1];
    memset(now, 0, sizeof now);
    now[MID] = 1;
    for (int i = 0; i < n; i++) {
        memset(next, 0, sizeof next);
        for (int s = 10; s <= 2 * MID - 10; s++) {
            next[s + k[i]] += now[s] / 2;
            next[s - k[i]] += now[s] / 2;
        }
        memcpy(now, next, sizeof now);
    }
    double p = 0;
    for (int s = 0; s <= 2 * MID; s++)
        p += abs(s - MID) >= abs(observed) ? now[s] : 0;
    return p;
}

/* From no difference to one that one flip in ten thousand reaches: nothing is cut short. */
static void drawn_shares_are_near_the_exact(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    int rare = 0;
    for (int t = 0; t < 60; t++) {
        double d[60];
        int k[60], observed = 0;
        const int n = 25 + (int)ig_rng_below(&r, 36);
        const double lean = .5 + .35 * ig_rng_unit(&r);
        for (int i = 0; i < n; i++) {
            k[i] = (ig_rng_unit(&r) < lean ? 1 : -1) * (int)(1 + ig_rng_below(&r, 9));
            d[i] = k[i] * .1;
            observed += k[i];
        }
        const double want = exact(k, n, observed), got = p_of(d, n),
                     error = 5 * sqrt(want * (1 - want) / FLIPS) + 2.0 / FLIPS;
        rare += want < .05 && want > 2e-4;
        if (!(fabs(got - want) < error))
            fail_msg("n %d: p %.6g, expected %.6g +- %.2g", n, got, want, error);
    }
    assert_true(rare > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_ties),
        cmocka_unit_test(drawn_shares_are_near_the_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
