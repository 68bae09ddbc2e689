/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes are pushed on a stack in order; the two on top are added when the tree adds them.
 */
#include "model/ranks/lane_tree.h"

#include <stddef.h>

bool ig_lane_tree_joins(const ig_lane_sum *a, const ig_lane_sum *b, int n)
{
    const int step = b->from - a->from;
    return (step & (step - 1)) == 0 && a->from % (2 * step) == 0 &&
           b->to == (a->from + 2 * step < n ? a->from + 2 * step : n);
}

int ig_lane_tree_sums(ig_lane_sum *out, int from, int to, int n, int *most)
{
    int have = 0, largest = 0;
    for (int k = from; k < to; k++) {
        out[have++] = (ig_lane_sum){k, k + 1, NULL};
        largest = have > largest ? have : largest;
        while (have > 1 && ig_lane_tree_joins(&out[have - 2], &out[have - 1], n)) {
            out[have - 2].to = out[have - 1].to;
            have--;
        }
    }
    if (most != NULL)
        *most = largest;
    return have;
}
