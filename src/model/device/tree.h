/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the best dependency tree of a sentence.
 */
#pragma once

#include <stdint.h>

/* Number of 32-bit numbers of `room` for n nodes. */
int64_t ig_tree_room(int n);
/* Nodes 0 (ROOT) .. n − 1; score[d * n + h], finite, of the arc from head h to dependent d, is
 * overwritten. head[d] for d > 0 is the head of d in a tree with the largest sum among all trees in
 * which ROOT has exactly one dependent (Chu & Liu 1965, Edmonds 1967). head[0] becomes −1. */
void ig_tree_single_root(double *score, int n, int32_t *head, int32_t *room);
