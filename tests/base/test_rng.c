/* SPDX-License-Identifier: Apache-2.0
 *
 * Philox4x32-10 against the known-answer vectors of its authors' distribution (Random123,
 * kat_vectors), and the draws built on it.
 */
#include "test.h"

#include "base/rng.h"

#include <math.h>

static void philox_known_answers(void **state)
{
    (void)state;
    uint32_t out[4];
    ig_philox((ig_rng_key){{0, 0}}, 0, 0, 0, 0, out);
    assert_int_equal(out[0], 0x6627e8d5u);
    assert_int_equal(out[1], 0xe169c58du);
    assert_int_equal(out[2], 0xbc57ac4cu);
    assert_int_equal(out[3], 0x9b00dbd8u);
    ig_philox((ig_rng_key){{0xa4093822u, 0x299f31d0u}}, 0x243f6a88u, 0x85a308d3u, 0x13198a2eu,
              0x03707344u, out);
    assert_int_equal(out[0], 0xd16cfe09u);
    assert_int_equal(out[1], 0x94fdcceb);
    assert_int_equal(out[2], 0x5001e420u);
    assert_int_equal(out[3], 0x24126ea1u);
}

static void permutation_is_one(void **state)
{
    (void)state;
    int32_t p[1000], seen[1000] = {0};
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 1, 2);
    ig_rng_permutation(&r, p, 1000);
    for (int i = 0; i < 1000; i++)
        seen[p[i]]++;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(seen[i], 1);
}

static void streams_and_seeds_differ(void **state)
{
    (void)state;
    ig_rng a = ig_rng_make(0, IG_STREAM_INIT, 0, 0), b = ig_rng_make(0, IG_STREAM_MASK, 0, 0),
           c = ig_rng_make(1, IG_STREAM_INIT, 0, 0), d = ig_rng_make(0, IG_STREAM_INIT, 0, 0);
    uint32_t x = ig_rng_u32(&a);
    assert_int_not_equal(x, ig_rng_u32(&b));
    assert_int_not_equal(x, ig_rng_u32(&c));
    assert_int_equal(x, ig_rng_u32(&d));
}

static void normal_has_its_moments(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    const int n = 200000;
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        double x = ig_rng_normal(&r);
        s += x;
        q += x * x;
    }
    /* Five standard errors: 1/√n for the mean, √(2/n) for the variance. */
    assert_true(fabs(s / n) < 5 / sqrt(n));
    assert_true(fabs(q / n - 1) < 5 * sqrt(2.0 / n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(permutation_is_one),
        cmocka_unit_test(streams_and_seeds_differ),
        cmocka_unit_test(normal_has_its_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
