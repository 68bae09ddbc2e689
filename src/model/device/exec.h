/* SPDX-License-Identifier: Apache-2.0
 *
 * The way ops run: a table of functions, with the memory and threads they need. A lane runs an op
 * alone on the calling thread (a shard of a small model); the team cuts it into tasks (a large
 * model). The cuts depend on the shapes alone, so the result does not depend on the number of
 * threads either way. Layers, gradients and the optimizer are written once, against this table: the
 * arrays that its functions take lie on a device (model/device/device.h), and nobody else reads or
 * writes them.
 */
#pragma once

#include "base/threads/team.h"
#include "tensor/ops.h"

/* In team mode: row ranges of a LayerNorm's gradient, sequence ranges of the distances'
 * gradient. */
enum { IG_NORM_PARTS = 32, IG_DISTANCE_PARTS = 16 };

typedef struct ig_exec_ops ig_exec_ops;

typedef struct {
    const ig_exec_ops *run;
    const ig_ops *ops;   /* the kernels */
    ig_team *team;       /* runs the team's ops and those over a block; NULL: a team of one */
    ig_scratch *scratch; /* team: [threads of the team]; lanes: the calling thread's */
    float *part;         /* team: [IG_NORM_PARTS, 2D] */
    float *distance;     /* team, with relative positions: [IG_DISTANCE_PARTS, 2P − 1, D/H] */
    float *pack;         /* team: a buffer for the largest packed operand, ig_weights_room */
    int64_t n_pack;
    bool lane;  /* the op is one task, of the calling thread */
    bool fresh; /* this is the first shard of a gradient whose matrices of blocks are not cleared */
} ig_exec;

/* A weight [K, N] as an operand of products. For lanes it is packed once an update; over the team
 * it is packed by all threads just before each use, so that it comes from a cache, in columns that
 * are tasks. */
typedef struct {
    int k, n;
    const float *b; /* its address in the model */
    int ldb;
    ig_b_form form;
    float *data; /* packed, or NULL: packed when it is used */
} ig_weight;

/* The gradients of a layer y = x Wᵀ + b: dw[M,N] += dyᵀ · x, db[M] += the column sums of dy, with
 * dy[K,M], rows ld_dy apart, and x[K,N]; bf16 as in ig_gemm (a is dy, b is x), for lanes alone.
 */
typedef struct {
    float *dw, *db; /* NULL: not computed */
    int m, n, k;
    const float *dy;
    int ld_dy;
    const float *x;
    int bf16;
    bool once;   /* a shard adds to dw only here: with ig_exec.fresh dw is written instead */
    bool sparse; /* much of x is 0: the same values may be computed with less work */
} ig_layer_grad;

/* Next-sentence prediction (Devlin et al. 2019, §3.1; Hugging Face's BertForPreTraining): from the
 * state h of a sequence's first token, t = tanh(W h + b), logits u t + c, loss −log
 * softmax(logits)[label]. */
typedef struct {
    int n, d;
    const int32_t *label;       /* [n] 0 or 1 */
    const int32_t *row;         /* [n] of the first token in hidden and dhidden; NULL: its n rows */
    const float *hidden;        /* [N, D] */
    const float *w, *b, *u, *c; /* [D,D], [D], [2,D], [2] */
    float *t;                   /* [D] room */
    double *nll;                /* [n] */
    int32_t *best;              /* [n] the likelier label */
    bool train;
    float *dhidden, *dw, *db, *du, *dc; /* with train: added to, or NULL */
    float scale;                        /* of the gradient */
} ig_next_loss;

/* A mixture of layers (Peters et al. 2018, eq. 1): out = γ Σ_l softmax(weight)_l layers_l. */
typedef struct {
    int n_layer;
    int64_t n;                   /* numbers of a layer */
    const float *layers;         /* [n_layer, n] */
    const float *weight, *gamma; /* [n_layer], [1] */
    float *out;                  /* [n] */
    const float *dout;           /* [n] backward */
    float *dweight, *dgamma;     /* added to, or NULL */
} ig_mix;

/* A linear-chain CRF over the sentences of a shard (Lafferty et al. 2001): log p(labels) = Σ_t
 * score_t(y_t) + transition(y_t−1, y_t) + start(y_0) + end(y_T) − log Z. */
typedef struct {
    int n_seq, n_label, ld, longest;
    const int32_t *first;    /* [n_seq + 1] of sentence i the rows first[i] .. first[i + 1] − 1 */
    const int32_t *label;    /* [N] */
    float *score;            /* [N, ld]; with train its gradient is written over it */
    const float *transition; /* [n, n] from the row's label to the column's */
    const float *start, *end; /* [n] or NULL: 0 */
    const float *constraint; /* [n + 2, n + 2] of decoding alone, added to what it weighs; n: before
                              * the first, n + 1: behind the last */
    bool train;              /* false: no gradient, and decoding */
    float *dtransition;      /* [n, n] added to, or NULL */
    float *dstart, *dend;    /* [n] added to, or NULL */
    float scale;             /* of the gradient */
    float *room;             /* ig_crf_room */
    double *nll;             /* [N] −log p of each label given those before it */
    int32_t *best;           /* [N] the best path's labels; with a gradient each word's likeliest
                              * label */
} ig_crf;
int64_t ig_crf_room(int n_label, int longest);

/* The words of a shard's sentences packed for an LSTM, by time step (exec_lstm.c). */
typedef struct {
    int n_seq;
    const int32_t *first; /* [n_seq + 1] as in ig_crf; N = first[n_seq] */
    int32_t *order;       /* [N] written: which row each packed one is */
    int32_t *place;       /* [max(N, n_seq)] written: the packed position of each row */
    int32_t *length;      /* [n_seq] written: the sentences' lengths, descending */
} ig_steps;

/* One direction of a layer of an LSTM over packed words; PyTorch's gates i, f, g, o. */
typedef struct {
    int n_seq, h;
    const int32_t *length; /* of ig_steps */
    bool reverse;          /* backward in time */
    const ig_weight *w; /* recurrent: forward those of the state, [H, 4H]; its gradient's [4H, H] */
    float *gate; /* [N, 4H] products of the input, biases added; then the gates; backward their
                  * gradient */
    float *cell, *slope; /* [N, H] written, read by the backward pass: c and tanh c */
    float *before;       /* [N, H] written: the state before each word, 0 at the first */
    float *out;          /* [N, H], rows ld apart, written; in the backward pass it holds its own
                          * gradient, to which the part through time is added */
    int ld;
    float *dcell; /* [N, H] buffer, backward */
} ig_lstm;

/* The biaffine parser (Dozat & Manning 2017) over the sentences of a shard. The first row of each
 * is ROOT, then come its words; N rows. */
typedef struct {
    int n_seq, longest;
    const int32_t *first;    /* [n_seq + 1] as in ig_crf */
    const int32_t *head;     /* [N] position within the sentence, 0 ROOT; not read for ROOT */
    const int32_t *label_of; /* [N] not read for ROOT */
    int n_arc, n_size, n_label, ld;
    const float *arc;      /* [N, n_arc] of words as dependents, times the weights, with the bias */
    const float *arc_head; /* [N, n_arc] of words as heads: score of an arc = arc · arc_head */
    float *label;          /* [N, n_label · n_size] as arc, for each label; training, its gradient
                            * is written over it */
    const float *label_head;        /* [N, n_size] */
    const float *by_word, *by_head; /* [N, ld] linear terms of labels, or NULL */
    const float *bias;              /* [n_label] */
    bool free_root; /* the programs' rule: ROOT is no candidate, its words have no loss */
    bool joint;     /* labels take part in decoding */
    bool train;
    float scale;
    float *darc, *darc_head;     /* [N, n_arc] written */
    float *dlabel_head;          /* [N, n_size] written */
    float *dscore, *dscore_head; /* [N, ld] written: of a word's label scores, and summed by head */
    float *dbias;                /* [n_label] added to, or NULL */
    float *room;                 /* ig_parser_room */
    double *nll;               /* [N] −log p of the head, and of the label under it; 0 for ROOT */
    int32_t *best, *best_head; /* [N] the best tree; training: word by word, the label under the
                                * right head; −1 for ROOT */
} ig_parser;
int64_t ig_parser_room(int n_label, int n, int longest);

/* Floats from .. to − 1 of a block of parameters, gradients or moments. */
typedef struct {
    int64_t from, to;
} ig_span;

/* A span and its update by the optimizer. */
typedef struct {
    ig_span span;
    const ig_adamw *adamw;
} ig_adamw_span;

/* Blocks of parameters, their gradient and its first and second moment. */
typedef struct {
    float *weight;
    const float *gradient;
    float *m, *v;
} ig_moments;

/* Without a comment, ops are those of tensor/ops.h. n, d: rows and columns. */
struct ig_exec_ops {
    /* c = a · w and the epilogue in g; g's m, a, lda, c, ldc, accumulate, epilogue, bias, aux,
     * ld_aux, bf16, sparse count. */
    void (*linear)(const ig_exec *x, const ig_gemm *g, const ig_weight *w);
    void (*layer_grad)(const ig_exec *x, const ig_layer_grad *g);
    void (*norm)(const ig_exec *x, const ig_norm *a);
    void (*norm_grad)(const ig_exec *x, const ig_norm_grad *a);
    void (*attention)(const ig_exec *x, const ig_attention *a);
    void (*attention_grad)(const ig_exec *x, const ig_attention *a);
    void (*rotary)(const ig_exec *x, const ig_rotary *a);
    void (*head_norm)(const ig_exec *x, const ig_head_norm *a);
    void (*gate)(const ig_exec *x, const ig_gate *a);
    void (*gate_grad)(const ig_exec *x, const ig_gate *a);
    void (*embed)(const ig_exec *x, const ig_embed *a);
    void (*embed_grad)(const ig_exec *x, const ig_embed_grad *a);
    void (*xent)(const ig_exec *x, const ig_xent *a);
    void (*next_loss)(const ig_exec *x, const ig_next_loss *a);

    void (*gather_rows)(const ig_exec *x, float *out, const float *v, const int32_t *row, int n,
                        int d);
    void (*scatter_add_rows)(const ig_exec *x, float *v, const float *rows, const int32_t *row,
                             int n, int d);
    /* Rows kept[0] < kept[1] < … of v move to the front. */
    void (*keep_rows)(const ig_exec *x, float *v, const int32_t *kept, int n, int d);
    /* Undoes it: the rows in between, of n_row, become zero. */
    void (*spread_rows)(const ig_exec *x, float *v, const int32_t *kept, int n, int d, int n_row);
    void (*multiply)(const ig_exec *x, float *v, const float *by, int64_t n);
    void (*shift_rows)(const ig_exec *x, float *v, const float *by, int n, int d); /* by [D] */
    /* Writes v in bfloat16, too, as in IG_BF16_A; n is even. */
    void (*to_bf16)(const ig_exec *x, float *out, const float *v, int64_t n);
    void (*add)(const ig_exec *x, float *v, const float *by, int64_t n);
    void (*drop)(const ig_exec *x, float *v, int n, int d, const ig_dropout *drop);
    void (*relu)(const ig_exec *x, float *v, int64_t n);
    void (*tanh)(const ig_exec *x, float *v, int64_t n);
    void (*tanh_grad)(const ig_exec *x, float *dv, const float *t, int64_t n); /* t: the tanh */
    void (*mix)(const ig_exec *x, const ig_mix *a);
    /* Adds the gradients of weight and gamma; and writes that of one layer, γ softmax(weight)_l
     * dout, into out. */
    void (*mix_grad)(const ig_exec *x, const ig_mix *a);
    void (*mix_share)(const ig_exec *x, const ig_mix *a, int layer);
    void (*crf)(const ig_exec *x, const ig_crf *a);
    void (*steps)(const ig_exec *x, const ig_steps *a);
    /* n directions of a layer, side by side; they write apart. */
    void (*lstm)(const ig_exec *x, const ig_lstm *a, int n);
    void (*lstm_grad)(const ig_exec *x, const ig_lstm *a, int n);
    void (*elu)(const ig_exec *x, float *v, int64_t n);
    void (*elu_grad)(const ig_exec *x, float *dv, const float *y, int64_t n); /* y: the output */
    void (*parse)(const ig_exec *x, const ig_parser *a);
    void (*copy)(const ig_exec *x, float *to, const float *from, int64_t n);
    void (*zero)(const ig_exec *x, float *v, int64_t n);

    /* Ops over whole blocks of parameters, by all threads; not from within a lane. */
    void (*zero_block)(const ig_exec *x, float *v, int64_t n);
    /* Packs those that have a buffer for it. */
    void (*pack)(const ig_exec *x, ig_weight *const *w, int n);
    /* n gradients of `size` floats are added in a tree (1 into 0, 3 into 2, …; 2 into 0, …); all
     * but the first then become zero outside the spans `written`, which ascend. */
    void (*add_lanes)(const ig_exec *x, float *const *gradient, int n, int64_t size,
                      const ig_span *written, int n_written);
    /* sum[i], on the host, of the squares of each span. */
    void (*sum_squares)(const ig_exec *x, const float *v, const ig_span *span, int64_t n,
                        double *sum);
    void (*adamw)(const ig_exec *x, const ig_adamw_span *span, int64_t n, const ig_moments *of);
};

extern const ig_exec_ops ig_exec_host;
