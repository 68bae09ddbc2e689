/* SPDX-License-Identifier: Apache-2.0
 *
 * The best tree with one root against all trees of up to six words, with ties and without; and that
 * larger ones are trees with one root.
 */
#include "base/rng.h"
#include "model/device/tree.h"
#include "test.h"
#include "tree_fixture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double sum_of(const double *score, const int32_t *head, int n)
{
    double sum = 0;
    for (int d = 1; d < n; d++)
        sum += score[d * n + head[d]];
    return sum;
}

static void against_all_trees(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    int32_t *room = calloc((size_t)ig_tree_room(7), sizeof *room), n_tree;
    assert_non_null(room);
    for (int n = 2; n <= 7; n++)
        for (int k = 0; k < (n == 7 ? 40 : 300); k++) {
            double score[49], copy[49], most = -INFINITY;
            int32_t head[7] = {0}, got[7];
            for (int i = 0; i < n * n; i++)
                score[i] = k % 3 == 0   ? (double)ig_rng_below(&r, 3)
                           : k % 3 == 1 ? -20 * ig_rng_unit(&r)
                                        : 1e3 * ig_rng_normal(&r);
            for (n_tree = 0;;) {
                if (is_tree(head + 1, n - 1)) {
                    n_tree++;
                    most = fmax(most, sum_of(score, head, n));
                }
                int d = 1;
                while (d < n && ++head[d] == n)
                    head[d++] = 0;
                if (d == n)
                    break;
            }
            /* Cayley: (n−1)^(n−2) trees of n − 1 words, each of n − 1 roots, n counting ROOT. */
            assert_int_equal(n_tree, n == 2 ? 1 : (int)lround(pow(n - 1, n - 2)));
            memcpy(copy, score, sizeof copy);
            ig_tree_single_root(copy, n, got, room);
            assert_int_equal(got[0], -1);
            assert_true(is_tree(got + 1, n - 1));
            assert_true(fabs(sum_of(score, got, n) - most) <= 1e-9 * (1 + fabs(most)));
        }
    free(room);
}

static void large(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    for (int n = 1; n < 150; n += 37) {
        double *score = calloc((size_t)(n * n), sizeof *score);
        int32_t *room = calloc((size_t)ig_tree_room(n), sizeof *room), *head = calloc((size_t)n, 4);
        assert_true(score != NULL && room != NULL && head != NULL);
        for (int i = 0; i < n * n; i++)
            score[i] = log(ig_rng_unit(&r) + 1e-12);
        ig_tree_single_root(score, n, head, room);
        assert_true(n == 1 || is_tree(head + 1, n - 1));
        free(score);
        free(room);
        free(head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_all_trees),
                                       cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
