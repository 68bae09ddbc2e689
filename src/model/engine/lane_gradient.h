/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of the lanes. All but the first lane's start every batch at zero: the matrices of
 * blocks, two thirds of BERT-small, are written by a lane's first shard, which spares clearing them
 * and reading them back, and the rest is zero between batches (op add_lanes).
 */
#pragma once

#include "isoglot/bert.h"
#include "model/device/exec.h"

typedef struct {
    ig_span *written; /* [n_written] by a lane's first shard, ascending */
    int n_written;
} ig_lane_spans;

/* Empty for a model with separate parts: a shard does not reach those of other languages. */
ig_code ig_lane_spans_make(ig_lane_spans *out, const ig_bert *model, ig_err *err);
void ig_lane_spans_free(ig_lane_spans *s);

/* Replaces a first shard that is empty. */
void ig_lane_write_zero(const ig_lane_spans *s, const ig_exec *x, float *gradient);
/* Clears what is not written, of a gradient of n floats. */
void ig_lane_clear_rest(const ig_lane_spans *s, const ig_exec *x, float *gradient, int64_t n);
