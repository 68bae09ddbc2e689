/* SPDX-License-Identifier: Apache-2.0
 *
 * An engine whose batches all ranks compute (base/ranks/ranks.h). Rank 0's calls the others' with
 * the batch; each takes its lanes, or its shards where nothing is trained, through the network.
 * Gradients are added in the tree of lanes (lane_tree.h), a slice of the parameters by each rank,
 * so that no bit depends on the number of ranks; what is predicted goes to rank 0.
 */
#pragma once

#include "base/ranks/ranks.h"
#include "model/engine/engine_internal.h"
#include "model/ranks/calls.h"
#include "model/ranks/lane_tree.h"

struct ig_spread {
    int64_t *slice; /* [ranks + 1] */
    ig_wire wire;   /* of calls */
    float *room;    /* other ranks' sums of a chunk */
    int64_t have_room;
    bool alone;   /* rank 0 computes this batch without the others */
    bool whole;   /* rank 0 has all of the gradient */
    bool started; /* the gradient is not that of a batch before */
    /* of the other ranks: what rank 0 has as arrays of its caller */
    float *out;
    int64_t have_out;
};

/* From now on the engine's batches are computed by all ranks. */
ig_code ig_spread_open(ig_engine *e, ig_err *err);
void ig_spread_free(struct ig_spread *s);

/* The lanes, or shards, of the present batch that this process computes: all where it is alone. */
ig_rank_part ig_spread_lanes(const ig_engine *e);
ig_rank_part ig_spread_shards(const ig_engine *e);

/* Rank 0, before its own part of a batch: calls the others. Nothing where the process is alone. */
ig_code ig_spread_call_train(ig_engine *e, const ig_batch *b, const ig_pass *pass, ig_err *err);
ig_code ig_spread_call_predict(ig_engine *e, const ig_batch *b, ig_err *err);
ig_code ig_spread_call_encode(ig_engine *e, const ig_batch *b, ig_inner which, const int *layers,
                              int n_layer, ig_err *err);

/* Rank 0: the tensors that are frozen, where they are others than before. */
ig_code ig_spread_frozen(ig_engine *e, const bool *frozen, ig_err *err);
/* The gradient was cleared. */
void ig_spread_cleared(ig_engine *e);

/* After it. Adds n sums of lanes, of which the first is in gradient[0], with those of the other
 * ranks; then gradient[0] has this rank's slice of the sum. */
ig_code ig_spread_add(ig_engine *e, const ig_lane_sum *own, int n, ig_err *err);
/* Sends to rank 0 what the heads have computed on their targets. */
void ig_spread_results(ig_engine *e, const ig_batch *b, bool train);
/* Rows of hidden states, `width` floats each, to rank 0's out. */
void ig_spread_rows(ig_engine *e, const ig_batch *b, int n_layer, int width, float *const *out);
void ig_spread_done(ig_engine *e);

/* Every rank's slice of the gradient to rank 0's. */
void ig_spread_gather(const ig_engine *e);
