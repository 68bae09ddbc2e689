/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts a batch: into shards of whole sequences with nearly equal numbers of tokens, and the shards
 * into lanes. Depends on the plan and the batch, never on threads.
 */
#pragma once

#include "isoglot/batch.h"
#include "model/device/device.h"

enum { IG_LANES_MAX = 64 }; /* 8 in a small model */

typedef struct {
    int n_shard, n_lane;
    int32_t *first; /* [n_shard + 1]: shard i holds the sequences first[i] .. first[i+1] − 1 */
    int32_t *target[IG_N_HEAD]; /* [n_shard + 1]: and of each head the targets target[h][i] ..
                                 * target[h][i+1] − 1 */
    int64_t have, have_target[IG_N_HEAD];
} ig_shards;

/* by_language: a shard's sequences have one language (b->language, where sequences of one language
 * are adjacent). */
ig_code ig_shards_cut(ig_shards *s, const ig_plan *plan, const ig_batch *b, bool by_language,
                      ig_err *err);
void ig_shards_free(ig_shards *s);
/* The lanes of a batch of so many tokens, but for languages with parts of their own. */
int ig_shards_lanes(const ig_plan *plan, int64_t n_tok);
/* Lane l runs the shards ig_lane_first(l) .. ig_lane_first(l + 1) − 1 in order. */
int ig_lane_first(const ig_shards *s, int lane);
