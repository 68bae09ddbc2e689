/* SPDX-License-Identifier: Apache-2.0
 *
 * A shard of a batch, as the network sees it: sequences counted from its first token, the rows that
 * its last block has to compute, and the targets of its heads.
 */
#pragma once

#include "model/device/device.h"
#include "model/engine/parts.h"
#include "model/engine/shards.h"

/* Losses and predictions of a whole batch, on the device: [its targets] of each head that has
 * any. */
typedef struct {
    double *nll[IG_N_HEAD];
    int32_t *best[IG_N_HEAD], *best_head[IG_N_HEAD];
    float *logits[IG_N_HEAD]; /* [its targets, labels]; NULL: not kept */
} ig_head_places;

/* A buffer for the arrays of a view: filled on the host, then uploaded. */
typedef struct {
    int32_t *host, *device; /* [ig_shard_view_room] */
} ig_shard_index;

/* Number of int32 of an index for a shard of n_seq sequences and n_tok tokens. */
int64_t ig_shard_view_room(int64_t n_seq, int64_t n_tok);
/* The batch, and the engine's parts, that shards are views of. */
typedef struct {
    const ig_bert_config *config;
    const ig_batch *batch;
    const ig_shards *shards;
    const ig_head_places *to;
    const ig_device *device;
} ig_shard_source;
/* Makes the view of shard i. all_rows: the last block computes every row. The view points into
 * index->device. */
ig_shard_view ig_shard_view_make(const ig_shard_source *of, int i, bool all_rows,
                                 const ig_shard_index *index);
