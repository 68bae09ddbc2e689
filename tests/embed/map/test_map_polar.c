/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest orthogonal matrix by products alone against that of the singular vectors.
 */
#include "embed/map/map_polar.h"
#include "map_fixture.h"
#include "test.h"

#include <math.h>

static void a_rotation_is_that_of_the_singular_vectors(void **state)
{
    (void)state;
    enum { SIZE = 130 };
    static double c[SIZE * SIZE], want[SIZE * SIZE], got[SIZE * SIZE];
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    ig_err err;
    for (int kind = 0; kind < 2; kind++) {
        /* Random; then with columns that fall over four orders of magnitude. */
        for (int i = 0; i < SIZE * SIZE; i++)
            c[i] = ig_rng_normal(&r) * (kind == 0 ? 7 : pow(10, -4. * (i % SIZE) / SIZE));
        assert_ok(ig_map_orthogonal(want, c, SIZE, &err), &err);
        assert_ok(ig_map_rotation(got, c, SIZE, ig_ops_best(), NULL, &err), &err);
        double most = 0;
        for (int i = 0; i < SIZE * SIZE; i++)
            most = fmax(most, fabs(got[i] - want[i]));
        /* Rounding of float32 over the smallest singular value; an element is about 0.09. */
        assert_true(most < (kind == 0 ? 1e-3 : 2e-2));
    }
    c[5] = (double)NAN;
    assert_int_equal(ig_map_rotation(got, c, SIZE, ig_ops_best(), NULL, &err), IG_ERR_NUMERIC);
}

/* With full rank it is a rotation near that of the singular vectors; where a direction is missing
 * it is that one. */
static void a_rotation_is_whole(void **state)
{
    (void)state;
    enum { SIZE = 70 };
    static double c[SIZE * SIZE], want[SIZE * SIZE], got[SIZE * SIZE], square[SIZE * SIZE];
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    ig_err err;
    for (int missing = 0; missing < 2; missing++) {
        for (int i = 0; i < SIZE * SIZE; i++)
            c[i] = missing && i % SIZE == 3 ? 0 : ig_rng_normal(&r);
        assert_ok(ig_map_orthogonal(want, c, SIZE, &err), &err);
        assert_ok(ig_map_rotation(got, c, SIZE, ig_ops_best(), NULL, &err), &err);
        ig_map_multiply(square, got, true, got, false, SIZE);
        for (int i = 0; i < SIZE * SIZE; i++) {
            assert_true(fabs(square[i] - (i % (SIZE + 1) == 0)) < 1e-5);
            assert_true(fabs(got[i] - want[i]) < 1e-3);
        }
        if (missing)
            assert_memory_equal(got, want, sizeof got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rotation_is_that_of_the_singular_vectors),
                                       cmocka_unit_test(a_rotation_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
