/* SPDX-License-Identifier: Apache-2.0
 *
 * A kind of block is a table: its tensors, its forward and backward pass and what it keeps between
 * them. It is one file, or a row of one, and a line of IG_BLOCK_LIST (isoglot/bert.h). All that the
 * engine, the parameters, their packed copies and estimates know of blocks is this table.
 */
#pragma once

#include "model/engine/parts.h"
#include "model/param_row.h"

/* A block of a shard. */
typedef struct {
    ig_tensors of;
    int layer;
    const ig_bert_offsets *outside;
    const ig_bert_layer_offsets *layers; /* [L] of this language */
    const ig_shard_view *s;
    const ig_work *w;
    const ig_norm_state *in, *out; /* of hidden states `layer` and `layer` + 1 */
    float *stream;                 /* as in ig_embedding_call */
    const ig_state_size *size;     /* for which `room` was laid out */
    float *room;                   /* its own floats, as many as its `room` returned */
} ig_block_call;

typedef struct {
    const ig_param_row *param; /* of a layer; query, key and value weights are the first three */
    int n_param;
    /* Hidden states between blocks are a sum, ig_block_call.stream, and each is the input of the
     * next block by its LayerNorm. false: they are the LayerNorms' outputs. */
    bool stream;
    ig_param_row outside[4]; /* weight and bias of the LayerNorm of the embeddings, then of that
                              * after the last block; a row without a name: none */
    bool rms;                /* its norms are RMSNorm (Zhang & Sennrich 2019) */
    bool gated;              /* its FFN is a gated linear unit (Shazeer 2020) */
    bool plain_first;        /* the first block reads hidden state 0 without a norm of its own */
    bool half_rotary;        /* ig_rotary.half */
    /* The LayerNorm of hidden state l, 0 embeddings .. L. */
    ig_norm_place (*norm)(const ig_bert_offsets *outside, const ig_bert_layer_offsets *layers,
                          int l, int n_layer);
    /* Number of floats that a block keeps for its backward pass (its output apart). */
    int64_t (*room)(const ig_bert_config *c, const ig_state_size *z);
    /* Computes the queries and keys of the shard's tokens into their rows of qk [N of the batch,
     * 2D]. */
    void (*queries)(const ig_block_call *k, float *qk);
    void (*forward)(const ig_block_call *k);
    /* Returns what the block that ran last in inference has computed on its way. */
    ig_matrix (*inner)(const ig_block_call *k, ig_inner which);
    /* NULL: such a model is read, not trained.
     * w->dx: gradient of the block's output on entry, of its input on return; with `stream` of the
     * LayerNorm of these, and w->dstream holds the stream's (not read on entry to the last block).
     * Block s->floor returns nothing. */
    void (*backward)(const ig_block_call *k);
} ig_block;

#define IG_BLOCK_DECLARE(id, table) extern const ig_block ig_block_##table;
IG_BLOCK_LIST(IG_BLOCK_DECLARE)
#undef IG_BLOCK_DECLARE

extern const ig_block *const ig_blocks[IG_N_BLOCK];
