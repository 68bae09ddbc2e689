/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that one worker needs to take a shard through the network: activations kept for the
 * backward pass and buffers of the passes, in one block of the device.
 */
#pragma once

#include "model/engine/parts.h"
#include "model/engine/shard_view.h"

/* Hidden state l, and what the block that computes it keeps; l 0: the embeddings, without room. */
typedef struct {
    ig_norm_state hidden;
    float *room;
} ig_layer_state;

typedef struct {
    ig_state_size size;      /* the size that the block was made for */
    const ig_device *device; /* the device of the block */
    float *block;
    ig_shard_index index;
    ig_work work;
    float *stream;         /* as in ig_embedding_call */
    int n_block;           /* L for training; 2 for inference, which take turns */
    ig_layer_state *layer; /* [1 + n_block] */
} ig_state;

static inline const ig_layer_state *ig_state_layer(const ig_state *s, int l)
{
    return &s->layer[l == 0 ? 0 : 1 + (l - 1) % s->n_block];
}

/* Allocates memory for shards up to `size` (keeps the old block when it suffices). */
ig_code ig_state_reserve(ig_state *s, const ig_device *device, const ig_bert_config *c,
                         const ig_state_size *size, ig_err *err);
void ig_state_free(ig_state *s);
/* Bytes that ig_state_reserve would hold. */
int64_t ig_state_bytes(const ig_bert_config *c, const ig_state_size *size);
/* Bytes that a training of batches of so many tokens takes on a GPU with its measures, about: also
 * weights, gradient and Adam's moments. */
int64_t ig_engine_device_memory(const ig_device *device, const ig_bert_config *c, int32_t n_tok,
                                int32_t longest);
