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

/* A patch of a block: queries and keys replace its own (no gradient passes through them), constants
 * are added to what its sublayers give. */
typedef struct {
    const float *bias[2]; /* [D] of attention, of the FFN; NULL: none */
    bool on;              /* attention is replaced */
    ig_engine *other;     /* the model that they come from; NULL: zeros, which attend to all tokens
                           * alike */
    float *qk;            /* [N of the batch, 2D] as the columns of qkv, rotary done */
    int64_t have;         /* number of floats allocated */
} ig_patch;

/* The state that stays the same while a batch runs. */
typedef struct {
    const ig_bert_config *config;
    const float *weight;    /* the model's block */
    const float *rotary[2]; /* tables of op rotary, the second of local layers; or NULL */
    const float *addend;    /* [H, 2 n_addend − 1] of attention, or NULL */
    int n_addend;
    const ig_weight *project; /* of the embeddings, or NULL */
    const ig_frozen *frozen;  /* NULL: nothing */
    const ig_patch *patch;    /* [L]; NULL: none */
    ig_pass pass;
    bool train; /* keep what the backward pass reads */
} ig_net;

/* Returns the next n floats of a block, of which *used are in use, in whole lines of 16; base NULL:
 * they are only counted. */
static inline float *ig_take(float *base, int64_t *used, int64_t n)
{
    float *p = base == NULL ? NULL : base + *used;
    *used += (n + 15) / 16 * 16;
    return p;
}

/* Numbers that products read or write: float32, or bfloat16, two to a float (ig_gemm.bf16). */
typedef struct {
    float *x;
    int ld; /* floats from row to row */
    bool bf16;
} ig_matrix;

static inline ig_matrix ig_take_matrix(float *base, int64_t *used, int64_t rows, int cols,
                                       bool bf16)
{
    const int ld = bf16 ? cols / 2 : cols;
    return (ig_matrix){ig_take(base, used, rows * ld), ld, bf16};
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
    float *logits;      /* [n, labels] written by heads that have them; NULL: not kept */
} ig_shard_targets;

/* Sequences of a batch, rows and positions counted within the shard. */
typedef struct {
    int n_seq, n_tok;
    uint32_t row0;            /* of the first token, within the batch */
    bool causal;              /* as in ig_batch */
    const int32_t *seq_start; /* [n_seq + 1] from 0 */
    const int32_t *id, *pos, *seg;
    ig_shard_targets target[IG_N_HEAD];
    /* The last block: after attention it continues with only these rows, the heads' targets, and
     * its output has no others; NULL: with all. The others would contribute neither loss nor
     * gradient. */
    const int32_t *kept; /* [n_kept] ascending */
    int n_kept;
    const int32_t *kept_host; /* the same where the host can read it */
    int floor; /* ig_frozen.floor of its language: no gradient goes below that block */
} ig_shard_view;

/* The parameters of a block or a head that products read, in the order of its table. */
typedef struct {
    ig_weight forward[IG_MAX_PARAM], backward[IG_MAX_PARAM]; /* y = x · Wᵀ, dx = dy · W */
} ig_products;

/* The parameters of a block or a head at work. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const int64_t *offset; /* in the order of its table; −1: none */
    const ig_products *p;
    float *grad; /* training: of all parameters, added to */
} ig_tensors;

/* A dense layer: y = x Wᵀ + b of m rows. */
typedef struct {
    int w, bias; /* in the table; bias −1: none */
    int joined;  /* tensors of which W and b consist, one after the other; 0: 1 */
    int m;
    ig_matrix x, y;
    ig_epilogue epilogue; /* NONE: the bias alone */
    ig_matrix aux;
} ig_dense;
void ig_dense_forward(const ig_tensors *k, const ig_dense *l);
/* y holds its gradient: adds those of W and b; `once`: as in ig_layer_grad. */
void ig_dense_grad(const ig_tensors *k, const ig_dense *l, bool once);
/* And writes that of x into dx, times aux where there is one; or adds it. */
void ig_dense_back(const ig_tensors *k, const ig_dense *l, ig_matrix dx, ig_matrix aux, bool add);

/* Output of a LayerNorm. With ig_bf16.rows only `bf16` is kept for the backward pass: x is
 * overwritten by the LayerNorm after the next. */
typedef struct {
    float *x;    /* [N, D] */
    float *bf16; /* [N, D] a copy in bfloat16, or NULL */
} ig_rows;

/* The output that products read. */
static inline ig_matrix ig_operand(const ig_rows *r, int d)
{
    return r->bf16 != NULL ? (ig_matrix){r->bf16, d / 2, true} : (ig_matrix){r->x, d, false};
}

/* A LayerNorm: its output, and what its backward pass reads. */
typedef struct {
    ig_rows out;
    float *xhat, *rstd; /* [N, D], with out.bf16 bfloat16; [N] */
    uint16_t *kept;     /* [N, ig_kept_words(D)] dropout before it */
} ig_norm_state;

/* Its parameters: offsets. */
typedef struct {
    int64_t w, b;
} ig_norm_place;

/* A LayerNorm of n rows x, and its gradient; the caller adds dropout and residual. */
ig_norm ig_net_norm(const ig_net *net, ig_norm_place at, int n, const float *x,
                    const ig_norm_state *to);
ig_norm_grad ig_net_norm_grad(const ig_net *net, ig_norm_place at, int n, const float *dout,
                              const ig_norm_state *from, float *grad);

/* Which activations are of bfloat16 (lanes alone): a shard's leave the second-level cache and come
 * back. */
typedef struct {
    bool wide;      /* those of the FFN */
    bool attention; /* queries, keys, values, contexts */
    bool rows;      /* normalised inputs and outputs of LayerNorm that products read, and gradients
                     * of a sublayer's last product */
} ig_bf16;

/* Bounds of a shard, for which memory is laid out. */
typedef struct {
    int n_tok, n_seq;
    int longest;   /* tokens of a sequence */
    int64_t probs; /* floats of attention probabilities of one block */
    int head_rows; /* targets that a head computes at a time */
    bool train;
    bool room; /* attention gets room beside its probabilities, or in their place (ig_plan.gpu) */
    ig_bf16 bf16;
} ig_state_size;

/* Lays out a LayerNorm's arrays; `shared` is the float32 output of all of them with bf16.rows. */
ig_norm_state ig_take_norm(const ig_state_size *z, int64_t d, float *shared, float *base,
                           int64_t *used);

/* Memory of the passes beside the states. */
typedef struct {
    float *sum;              /* [N, D]: a sublayer's output before LayerNorm */
    float *narrow;           /* [N, E] embeddings, where a matrix takes them to D */
    float *shared;           /* [N, D] with bf16.rows: outputs of LayerNorm within blocks */
    float *dx, *dmid, *dsum; /* [N, D]; a block's dsum with bf16.rows bfloat16 */
    float *dstream;          /* [N, D] pre-LN: gradient of the stream; else NULL */
    float *dwide;            /* [N, the most outputs of a block's products] */
    float *attention;        /* ig_attention.room, or NULL */
    int head_rows;           /* targets that a head computes at a time */
    float *head;             /* buffer of the heads, which take turns: ig_heads_room */
    /* for heads that read other than the last layer: copies of their rows [layers, M, D], what they
     * read [M, D], and its gradient */
    float *taken[IG_N_HEAD], *read[IG_N_HEAD], *dread[IG_N_HEAD];
} ig_work;

/* Dropout sites: 0 embeddings; of block l 3l + 1 attention, 3l + 2 after its sublayer, 3l + 3 after
 * the FFN; then the heads'. */
static inline ig_dropout ig_net_dropout(const ig_net *net, uint32_t site, uint32_t row0, float p)
{
    return (ig_dropout){.key = net->pass.dropout_key,
                        .site = site,
                        .step = net->pass.step,
                        .row0 = row0,
                        .p = net->pass.dropout ? p : 0};
}

/* The tensor at `offset`; NULL: the model does not have it (−1). */
static inline const float *ig_net_weight(const ig_net *net, int64_t offset)
{
    return offset < 0 ? NULL : net->weight + offset;
}

/* Its gradient; NULL: it is not computed, as there is none or it is frozen. */
static inline float *ig_net_grad(const ig_net *net, float *grad, int64_t offset)
{
    return offset < 0 || (net->frozen != NULL && ig_frozen_at(net->frozen, offset)) ? NULL
                                                                                    : grad + offset;
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
    const ig_norm_state *to;
    float *stream; /* [N, D] pre-LN: the sum of all sublayers so far; else NULL */
    float *grad;   /* backward */
} ig_embedding_call;

void ig_embedding_forward(const ig_embedding_call *c);
/* Reads the gradient of the output in w->dx. */
void ig_embedding_backward(const ig_embedding_call *c);
