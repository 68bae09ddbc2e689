/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that one worker needs to take a shard through the network: activations kept for the
 * backward pass and buffers of the passes, in one block of the device.
 */
#pragma once

#include "model/engine/parts.h"
#include "model/engine/shard_view.h"

/* Bounds of a shard. */
typedef struct {
    int n_tok, n_seq;
    int longest;   /* tokens of a sequence */
    int64_t probs; /* floats of attention probabilities of one block */
    int head_rows; /* targets that a head computes at a time */
    bool train;
    bool bf16_ffn, bf16_attention, bf16_rows; /* as in ig_net */
} ig_state_size;

typedef struct {
    ig_state_size size;      /* the size that the block was made for */
    const ig_device *device; /* the device of the block */
    float *block;
    ig_shard_index index;
    ig_work work;
    ig_embedding_state embedding;
    ig_block_state *layer; /* [L] for training; for inference [2], which take turns */
} ig_state;

/* Allocates memory for shards up to `size` (keeps the old block when it suffices). */
ig_code ig_state_reserve(ig_state *s, const ig_device *device, const ig_bert_config *c,
                         const ig_state_size *size, ig_err *err);
void ig_state_free(ig_state *s);
/* Bytes that ig_state_reserve would hold. */
int64_t ig_state_bytes(const ig_bert_config *c, const ig_state_size *size);
