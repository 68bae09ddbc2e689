/* SPDX-License-Identifier: Apache-2.0
 *
 * The bottleneck distance of two persistence diagrams by hand, and against all matchings. (The rest
 * of isometry against numpy: tests/embed/map/test_map.c.)
 */
#include "base/order.h"
#include "base/rng.h"
#include "embed/judge/map_isometry.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static void bottleneck_by_hand(void **state)
{
    (void)state;
    const double a[] = {1, 5}, b[] = {2, 5.5}, c[] = {9};
    assert_true(fabs(ig_isometry_bottleneck(a, 2, b, 2) - 1) < 1e-12); /* 1 → diagonal or 2 → 1 */
    assert_true(fabs(ig_isometry_bottleneck(a, 2, c, 1) - 4) < 1e-12);
    assert_true(fabs(ig_isometry_bottleneck(a, 0, c, 1) - 4.5) < 1e-12);
    assert_true(ig_isometry_bottleneck(a, 2, a, 2) < 1e-12);
    /* All ways to match up to four intervals (0, x) with up to four others, or with the diagonal.
     */
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, 0);
    for (int round = 0; round < 400; round++) {
        double v[2][4];
        const int n[2] = {(int)ig_rng_below(&r, 5), (int)ig_rng_below(&r, 5)};
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n[side]; i++)
                v[side][i] = 2 * ig_rng_unit(&r);
            qsort(v[side], (size_t)n[side], sizeof **v, ig_by_double);
        }
        double best = 1e9;
        int to[4] = {0}; /* 0: the diagonal; k: v[1][k - 1] */
        for (bool more = true; more;) {
            double most = 0;
            bool used[4] = {false}, twice = false;
            for (int i = 0; i < n[0]; i++) {
                const int k = to[i] - 1;
                most = fmax(most, k < 0 ? v[0][i] / 2 : fabs(v[0][i] - v[1][k]));
                twice = twice || (k >= 0 && used[k]);
                if (k >= 0)
                    used[k] = true;
            }
            for (int k = 0; k < n[1]; k++)
                most = used[k] ? most : fmax(most, v[1][k] / 2);
            best = twice ? best : fmin(best, most);
            int i = 0;
            while (i < n[0] && to[i] == n[1])
                to[i++] = 0;
            more = i < n[0];
            if (more)
                to[i]++;
        }
        assert_true(fabs(ig_isometry_bottleneck(v[0], n[0], v[1], n[1]) - best) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bottleneck_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
