/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of the lanes. All but the first lane's begin every batch anew: the matrices of
 * blocks, two thirds of BERT-small, are written by a lane's first shard, which spares clearing them
 * and reading them back, and the rest is zero between batches.
 */
#ifndef IG_MODEL_LANE_GRADIENT_H
#define IG_MODEL_LANE_GRADIENT_H

#include "isoglot/bert.h"
#include "tensor/ops.h"

typedef struct {
    int64_t from, to; /* floats of the model's block */
} ig_span;

typedef struct {
    ig_span *written; /* [n_written] by a lane's first shard, ascending */
    int n_written;
} ig_lane_spans;

/* None for a model with separate parts: a shard does not reach those of other languages. */
ig_code ig_lane_spans_make(ig_lane_spans *out, const ig_bert *model, ig_err *err);
void ig_lane_spans_free(ig_lane_spans *s);

/* Instead of a first shard that is empty. */
void ig_lane_write_zero(const ig_lane_spans *s, float *gradient);

/* Floats from .. to − 1 of n gradients are added in a tree (1 into 0, 3 into 2, …; 2 into 0, …);
 * what a first shard does not write becomes zero in all but the first. */
void ig_lane_add(const ig_lane_spans *s, const ig_ops *ops, float *const *gradient, int n,
                 int64_t from, int64_t to);

#endif
