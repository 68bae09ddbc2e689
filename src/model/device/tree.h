/* SPDX-License-Identifier: Apache-2.0
 *
 * The best dependency tree of a sentence.
 */
#pragma once

#include <stdint.h>

/* Numbers of `room` for n nodes: 32-bit ones. */
int64_t ig_tree_room(int n);
/* Nodes 0 (ROOT) .. n − 1; score[d * n + h], finite, of the arc from head h to dependent d, is
 * written over. head[d] for d > 0: of all trees in which ROOT has exactly one dependent one with
 * the largest sum (Chu & Liu 1965, Edmonds 1967). head[0] becomes −1. */
void ig_tree_single_root(double *score, int n, int32_t *head, int32_t *room);
