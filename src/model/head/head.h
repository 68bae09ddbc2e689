/* SPDX-License-Identifier: Apache-2.0
 *
 * A head is put on the encoder, predicts something about rows of a batch and trains the encoder
 * (docs/model.md). It is one file and one line of IG_HEAD_LIST (isoglot/head_config.h). All that
 * the engine, the parameters and their packed copies know of heads is this table.
 */
#pragma once

#include "model/engine/parts.h"
#include "model/param_row.h"

/* A head at work on one shard. Its rows are in hidden: target i's is row at[i], or i where at is
 * NULL. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const int64_t *offset;     /* of its parameters, in the order of its table; −1: none */
    const ig_products *p;      /* those of them that products read */
    const ig_shard_targets *t; /* with its losses and predictions, which are written */
    const float *hidden;       /* [rows, D] output of the encoder */
    float
        *dhidden;  /* with net->train, unless NULL: its gradient; at NULL: written, else added to */
    float *grad;   /* with net->train: of all parameters, added to */
    uint32_t row0; /* of the shard's first token within the batch, for dropout */
    ig_head_kind kind;
    float *room; /* its own floats, as many as its `room` returned */
    float scale; /* of each target's loss before the gradient */
    int n_row;   /* targets that it may compute at a time, to stay in a cache */
} ig_head_call;

/* Bounds of a shard. */
typedef struct {
    int n_row;   /* targets that a head computes at a time, unless it needs whole sequences */
    int n_tok;   /* targets */
    int longest; /* of one sequence */
    bool train;
} ig_head_size;

typedef struct {
    const char *name; /* in messages: "masked words" */
    /* Hugging Face's name of a BERT that has this head alone, without the family's name; NULL: the
     * model is saved with the class for masked words. */
    const char *architecture;
    /* The number of labels where the configuration says 0; NULL: the model then does not have
     * it. */
    int32_t (*usual)(const ig_bert_config *c);
    int32_t least_label, most_label; /* that a configuration may name; 0: none */
    bool all_rows; /* the last block computes every row, not only those of targets */
    const ig_param_row *param;
    int n_param;
    /* The head's own sizes, IG_DIM_OWN + i in its table; NULL: it has none. */
    int32_t (*size)(const ig_bert_config *c, int i);
    /* The number that the mean of its loss divides by; NULL: of its targets. */
    int64_t (*count)(const ig_bert_config *c, const ig_targets *t, const ig_batch *b);
    bool logits; /* it calls ig_head_keep: a score of each label of each target */
    bool trees;  /* its targets have ig_targets.head, and a prediction is a head, too */
    /* Number of floats of `room`. */
    int64_t (*room)(const ig_bert_config *c, const ig_head_size *z);
    /* Loss and prediction of each target; with net->train also the gradients. */
    void (*run)(const ig_head_call *h);
} ig_head;

/* Gathers the rows that a head reads: m of them from target `first` on out of the encoder's;
 * ig_head_give scatters their gradient. */
void ig_head_read(const ig_head_call *h, float *rows, int first, int m);
void ig_head_give(const ig_head_call *h, const float *drows, int first, int m);

/* Keeps the logits [m, ld] of targets from `first` on, if they are requested. */
void ig_head_keep(const ig_head_call *h, const float *logits, int ld, int first, int m);

/* A dense layer of a head: y [m, ld] = x wᵀ + b. */
typedef struct {
    int w, bias; /* in the head's table; bias −1: none */
    int m;
    const float *x;
    float *y; /* backward: its gradient */
    int ld;
} ig_head_dense;
void ig_head_dense_forward(const ig_head_call *h, const ig_head_dense *l);
/* Adds the gradients of w and b, and writes that of x into dx, or adds it. */
void ig_head_dense_backward(const ig_head_call *h, const ig_head_dense *l, float *dx, bool add);

/* Rows of a head's table for it, behind the functions has_transform, has_dense_bias and
 * has_norm_bias. */
#define IG_HEAD_TRANSFORM(w, b, norm_w, norm_b)                                                    \
    [w] = {IG_HEAD_MATRIX("cls.predictions.transform.dense.weight", IG_DIM_D, IG_DIM_D),           \
           .when = has_transform, .product = true},                                                \
    [b] = {IG_HEAD_BIAS("cls.predictions.transform.dense.bias", IG_DIM_D),                         \
           .when = has_dense_bias},                                                                \
    [norm_w] = {IG_ROW_NORM_W(IG_PART_HEAD, "cls.predictions.transform.LayerNorm"),                \
                .when = has_transform},                                                            \
    [norm_b] = {IG_ROW_NORM_B(IG_PART_HEAD, "cls.predictions.transform.LayerNorm"),                \
                .when = has_norm_bias}

/* z = x Wᵀ + b of m rows [m, D]; out = LN(gelu(z)). slope, xhat, rstd are for the way back, slope
 * NULL: there is none. */
typedef struct {
    int w, bias, norm_w, norm_b; /* in the head's table */
    int m;
    const float *x;
    float *z, *slope, *out, *xhat, *rstd; /* rstd [m], the others [m, D] */
} ig_head_transform;
void ig_head_transform_forward(const ig_head_call *h, const ig_head_transform *t);
/* z = gelu(x Wᵀ + b) alone. */
void ig_head_gelu_forward(const ig_head_call *h, const ig_head_transform *t, ig_epilogue gelu);
ig_norm_place ig_head_norm_place(const ig_head_call *h, const ig_head_transform *t);

extern const ig_head *const ig_heads[IG_N_HEAD];

/* Dropout on rows [m, d] of targets from `first` on, and on their gradient; place 0: the rows that
 * a head reads, with ig_head_config.dropout; 1, 2, …: its own activations, with inner_dropout. With
 * `variational` all tokens of a sequence lose the same columns. */
void ig_head_drop(const ig_head_call *h, float *rows, int d, int first, int m, int place);
/* The number that the mean of a head's loss over this batch divides by; a head with
 * ig_head_config.sum has no mean. */
int64_t ig_head_count(const ig_bert_config *c, ig_head_kind head, const ig_batch *b);

/* The tensors of a head: its own, then those of the mixture of layers that it reads. Row i of them,
 * i from 0, and its index in ig_bert_offsets.head; NULL: there are no more, or the model does not
 * have it. */
const ig_param_row *ig_head_param(const ig_bert_config *c, ig_head_kind head, int i, int *at);

/* Floats of `room` that the heads of a model need; they take turns. */
int64_t ig_heads_room(const ig_bert_config *c, const ig_head_size *z);

/* --- rows that heads read, for the engine (read.c) --- */

/* The heads of a shard. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const ig_bert_offsets *o;
    const ig_products *p; /* [IG_N_HEAD] */
    const ig_shard_view *v;
    const ig_work *w;
    float *grad; /* training */
} ig_heads_job;

/* Returns whether a head is evaluated on a batch: the model has it, and there are labels. */
bool ig_head_asked(const ig_bert_config *c, const ig_batch *b, ig_head_kind head);
/* The last hidden state that evaluated heads read; and whether any of them trains it. */
int ig_heads_top(const ig_bert_config *c, const ig_batch *b);
bool ig_heads_train_states(const ig_bert_config *c, const ig_batch *b);
/* Returns whether rows of the last layer are read. */
bool ig_head_reads_last(const ig_bert_config *c, ig_head_kind head);

/* Lays out the buffers in w for n_tok tokens, from `base` on (NULL: only counts); returns their
 * floats. */
int64_t ig_heads_place(ig_work *w, const ig_bert_config *c, int64_t n_tok, bool train, float *base);
/* Called when hidden state `layer` of all tokens (for the last layer: of the kept ones) is
 * computed. */
void ig_heads_take(const ig_heads_job *j, int layer, const float *state);
/* Runs the heads, one after another, with the last layer's output; training, its gradient is in
 * w->dx. */
void ig_heads_run(const ig_heads_job *j, const float *last);
/* Adds to dstate the gradient of hidden state `layer` from heads that read it in ig_heads_take. */
void ig_heads_give(const ig_heads_job *j, int layer, float *dstate);
