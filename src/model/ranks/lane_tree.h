/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree in which the lanes' gradients are added: at steps 1, 2, 4, … lane k with k + step, for
 * every k that is a multiple of twice the step (op add_lanes). It depends on the number of lanes
 * alone. A process that has some of them adds what it can, and the sums that remain are added in
 * the same tree, wherever the lanes were.
 */
#pragma once

#include <stdbool.h>

/* A sum of the lanes from .. to − 1. */
typedef struct {
    int from, to;
    float *at;
} ig_lane_sum;

/* Returns whether the tree of n lanes adds b, whose lanes follow those of a, to a. */
bool ig_lane_tree_joins(const ig_lane_sum *a, const ig_lane_sum *b, int n);
/* The sums that remain of the lanes from .. to − 1, in order; `at` is not set. out[IG_LANES_MAX];
 * returns their number, and *most, if it is not NULL, the most that there are at once when each
 * lane is added as soon as it can be. */
int ig_lane_tree_sums(ig_lane_sum *out, int from, int to, int n, int *most);
