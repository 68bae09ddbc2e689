/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the network, forward and backward, over one shard: packed whole sequences that go
 * through the network together. Gradients of parameters are added to the block the caller names;
 * gradients of activations are written. Letters as in ops.h; N, M: tokens and predictions of the
 * shard.
 */
#pragma once

#include "isoglot/batch.h"
#include "model/bert_params.h"
#include "model/device/exec.h"
#include "model/engine/engine.h"
#include "model/engine/frozen.h"

/* A patch of a block's attention: queries and keys replace its own. No gradient passes through
 * them. */
typedef struct {
    bool on;
    ig_engine *other; /* the model that they come from; NULL: zeros, which attend to all tokens
                       * alike */
    float *qk;        /* [N of the batch, 2D] as the columns of qkv, rotary done */
    int64_t have;     /* number of floats allocated */
} ig_patch;

/* The state that stays the same while a batch runs. */
typedef struct {
    const ig_bert_config *config;
    const float *weight;     /* the model's block */
    const float *rotary;     /* table of op rotary, or NULL */
    const ig_frozen *frozen; /* NULL: nothing */
    const ig_patch *patch;   /* [L]; NULL: none */
    ig_pass pass;
    bool train;          /* keep what the backward pass reads */
    bool bf16_ffn;       /* up and slope are of bfloat16 (ig_gemm.bf16) */
    bool bf16_attention; /* qkv and ctx too */
    bool bf16_rows;      /* xhat, the LayerNorm outputs that products read, and dsum, too */
} ig_net;

/* Returns the next n floats of a block, of which *used are in use, in whole lines of 16; base NULL:
 * they are only counted. */
static inline float *ig_take(float *base, int64_t *used, int64_t n)
{
    float *p = base == NULL ? NULL : base + *used;
    *used += (n + 15) / 16 * 16;
    return p;
}

/* The targets of a head in a shard. */
typedef struct {
    int n;
    const int32_t *label;  /* [n] */
    const int32_t *row;    /* [n] tokens of the shard */
    const int32_t *origin; /* [n] the first token of its sequence */
    const int32_t *head;   /* [n] of trees, or NULL */
    int n_seq;             /* sequences of the shard */
    const int32_t
        *first;  /* [n_seq + 1] the targets of sequence i are first[i] .. first[i + 1] − 1 */
    int longest; /* most targets of one */
    const int32_t *at;  /* [n] index of each row in the last block's output; NULL: that output has
                         * only these rows, in this order, and no other head has targets */
    double *nll;        /* [n] written */
    int32_t *best;      /* [n] written */
    int32_t *best_head; /* [n] written, of trees */
} ig_shard_targets;

/* Sequences of a batch, rows and positions counted within the shard. */
typedef struct {
    int n_seq, n_tok;
    uint32_t row0;            /* of the first token, within the batch */
    const int32_t *seq_start; /* [n_seq + 1] from 0 */
    const int32_t *id, *pos, *seg;
    ig_shard_targets target[IG_N_HEAD];
    /* The last block: after attention it continues with only these rows, the heads' targets, and
     * its output has no others; NULL: with all. The others would contribute neither loss nor
     * gradient. */
    const int32_t *kept; /* [n_kept] ascending */
    int n_kept;
    const int32_t *kept_host; /* the same where the host can read it */
    int floor; /* ig_frozen_floor of its language: no gradient goes below that block */
} ig_shard_view;

typedef struct {
    ig_weight qkv, o, up, down;         /* y = x · Wᵀ */
    ig_weight qkv_t, o_t, up_t, down_t; /* dx = dy · W */
} ig_block_weights;

/* The parameters of a head that products read, in the order of its table. */
typedef struct {
    ig_weight forward[IG_HEAD_MAX_PARAM], backward[IG_HEAD_MAX_PARAM];
} ig_head_weights;

/* Output of a LayerNorm. With net.bf16_rows only `bf16` is kept for the backward pass: x is
 * overwritten by the LayerNorm after the next. */
typedef struct {
    float *x;    /* [N, D] */
    float *bf16; /* [N, D] a copy in bfloat16, or NULL */
} ig_rows;

/* The activations of a block that its backward pass reads. */
typedef struct {
    float *qkv;              /* [N, 3D]; with net.bf16_attention bfloat16 */
    float *probs;            /* ig_attention_size */
    float *ctx;              /* [N, D]; as qkv */
    float *xhat1, *rstd1;    /* [N, D], [N] */
    ig_rows mid;             /* of the first LayerNorm */
    float *up, *slope;       /* [N, F]: gelu(z), gelu'(z); with net.bf16_ffn bfloat16 */
    float *xhat2, *rstd2;    /* [N, D], [N] */
    ig_rows out;             /* of the second */
    uint16_t *kept1, *kept2; /* [N, ig_kept_words(D)] dropout before each LayerNorm */
} ig_block_state;

typedef struct {
    ig_rows out;
    float *xhat, *rstd; /* [N, D], [N] */
    float *stream;      /* [N, D] pre-LN: the sum of all sublayers so far; else NULL */
    uint16_t *kept;     /* [N, ig_kept_words(D)] */
} ig_embedding_state;

/* The LayerNorms in the order of their computation: post-LN the embeddings' and each layer's two,
 * pre-LN each layer's two and the one after the last. */
typedef struct {
    int64_t w, b; /* offsets */
} ig_norm_place;
typedef struct {
    ig_norm_place first, second; /* after attention, after the FFN */
    float *stream;               /* as in ig_embedding_state */
} ig_block_norms;

/* Memory of the passes beside the states. */
typedef struct {
    float *sum;              /* [N, D]: a sublayer's output before LayerNorm */
    float *dx, *dmid, *dsum; /* [N, D]; a block's dsum with net.bf16_rows bfloat16 */
    float *dstream;          /* [N, D] pre-LN: gradient of the stream; else NULL */
    float *dwide;            /* [N, max(3D, F)] */
    int head_rows;           /* targets that a head computes at a time */
    float *head;             /* buffer of the heads, which take turns: ig_heads_room */
    /* for heads that read other than the last layer: copies of their rows [layers, M, D], what they
     * read [M, D], and its gradient */
    float *taken[IG_N_HEAD], *read[IG_N_HEAD], *dread[IG_N_HEAD];
} ig_work;

/* Dropout sites: 0 embeddings; of block l 3l + 1 attention, 3l + 2 after W_o, 3l + 3 after W_2. */
ig_dropout ig_net_dropout(const ig_net *net, uint32_t site, uint32_t row0, bool attention);

/* The gradient of the tensor at `offset`; NULL: it is frozen, and its gradient is not computed. */
static inline float *ig_net_grad(const ig_net *net, float *grad, int64_t offset)
{
    return net->frozen != NULL && ig_frozen_at(net->frozen, offset) ? NULL : grad + offset;
}

static inline ig_epilogue ig_net_gelu(const ig_net *net)
{
    return net->config->gelu_tanh ? IG_EPI_BIAS_GELU_TANH : IG_EPI_BIAS_GELU;
}

/* The embeddings of one shard. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const ig_bert_offsets *o;
    ig_norm_place norm;
    const ig_shard_view *s;
    const ig_work *w;
    const ig_embedding_state *e;
    float *grad; /* backward */
} ig_embedding_call;

void ig_embedding_forward(const ig_embedding_call *c);
/* Reads the gradient of the output in w->dx. */
void ig_embedding_backward(const ig_embedding_call *c);

/* Number of floats in a row of qkv and ctx: half as many as numbers where they are of bfloat16. */
static inline int ig_attention_columns(const ig_net *net)
{
    return net->bf16_attention ? net->config->hidden_size / 2 : net->config->hidden_size;
}

/* A block of a shard. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    int layer;
    const ig_bert_layer_offsets *o;
    ig_block_norms norms;
    const ig_block_weights *p;
    const ig_shard_view *s;
    const ig_work *w;
    const ig_rows *in;
    const ig_block_state *b;
    float *grad; /* backward */
} ig_block;

/* Computes queries, keys and values of the block's input into b->qkv. */
void ig_block_qkv(const ig_block *k);
void ig_block_forward(const ig_block *k);
/* w->dx: gradient of the block's output on entry, of its input on return; pre-LN of the LayerNorm
 * of these, and w->dstream holds the stream's (not read on entry to the last block). Block s->floor
 * returns nothing. */
void ig_block_backward(const ig_block *k);
