/* SPDX-License-Identifier: Apache-2.0
 *
 * A head: what stands on the encoder, says something about rows of a batch and trains it (docs/
 * heads.md). One file and one line of IG_HEAD_LIST (isoglot/batch.h) make one. All that
 * the engine, the parameters and their packed copies know of heads is this table.
 */
#pragma once

#include "model/param_row.h"
#include "model/engine/parts.h"

/* A head at work on one shard. Its rows are in hidden: target i's is row at[i], or i where at is
 * NULL. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const int64_t *offset;     /* of its parameters, in the order of its table; −1: none */
    const ig_head_weights *p;  /* those of them that products read */
    const ig_shard_targets *t; /* with its losses and predictions, which are written */
    const float *hidden;       /* [rows, D] what the encoder gave */
    float
        *dhidden;  /* with net->train, unless NULL: its gradient; at NULL: written, else added to */
    float *grad;   /* with net->train: of all parameters, added to */
    uint32_t row0; /* of the shard's first token within the batch, for dropout */
    ig_head_kind kind;
    float *room; /* floats of its own, as many as it has asked for */
    float scale; /* of each target's loss before the gradient */
    int n_row;   /* targets that it may take at a time, to stay in a cache */
} ig_head_call;

/* Bounds of a shard. */
typedef struct {
    int n_row;   /* targets that a head takes at a time, unless it needs whole sequences */
    int n_tok;   /* targets */
    int longest; /* of one sequence */
    bool train;
} ig_head_size;

typedef struct {
    const char *name; /* in messages: "masked words" */
    /* What Hugging Face calls a BERT that has this head alone, behind the family's name; NULL: it
     * goes with that for masked words. */
    const char *architecture;
    /* What it tells apart where the configuration says 0; NULL: the model then has it not. */
    int32_t (*usual)(const ig_bert_config *c);
    int32_t least_label, most_label; /* that a configuration may name; 0: none */
    bool all_rows; /* the last block computes every row, not only those that are asked about */
    const ig_param_row *param;
    int n_param;
    /* Its own sizes, IG_DIM_OWN + i in its table; NULL: it has none. */
    int32_t (*size)(const ig_bert_config *c, int i);
    /* What the mean of its loss is over; NULL: its targets. */
    int64_t (*count)(const ig_bert_config *c, const ig_targets *t, const ig_batch *b);
    bool trees; /* its targets have ig_targets.head, and a prediction is a head, too */
    /* Floats of `room`. */
    int64_t (*room)(const ig_bert_config *c, const ig_head_size *z);
    /* Loss and prediction of each target; with net->train also the gradients. */
    void (*run)(const ig_head_call *h);
} ig_head;

/* What every head does with its rows: m of them from target `first` on out of the encoder's, and
 * their gradient back. */
void ig_head_read(const ig_head_call *h, float *rows, int first, int m);
void ig_head_give(const ig_head_call *h, const float *drows, int first, int m);

/* A dense layer of a head: y [m, ld] = x wᵀ + b. */
typedef struct {
    int w, bias; /* in the head's table; bias −1: none */
    int m;
    const float *x;
    float *y; /* going back: its gradient */
    int ld;
} ig_head_dense;
void ig_head_dense_forward(const ig_head_call *h, const ig_head_dense *l);
/* Adds the gradients of w and b, and writes that of x into dx, or adds it. */
void ig_head_dense_backward(const ig_head_call *h, const ig_head_dense *l, float *dx, bool add);

extern const ig_head *const ig_heads[IG_N_HEAD];

/* Dropout on rows [m, d] of targets from `first` on, and on their gradient; place 0: what a head
 * has read, of ig_head_config.dropout; 1, 2, …: what it has made of them, of inner_dropout. With
 * `variational` all tokens of a sequence lose the same columns. */
void ig_head_drop(const ig_head_call *h, float *rows, int d, int first, int m, int place);
/* The size of a dimension in a head's table. */
int32_t ig_head_dim(const ig_bert_config *c, ig_head_kind head, ig_dim d);
/* What the mean of a head's loss over this batch is over; a head with ig_head_config.sum has no
 * mean. */
int64_t ig_head_count(const ig_bert_config *c, ig_head_kind head, const ig_batch *b);

/* Multiply-adds of a head's products for each target. */
double ig_head_products(const ig_bert_config *c, ig_head_kind head);
/* The tensors of a head: its own, then those of the mixture of layers that it reads. Row i of them,
 * i from 0, and its place in ig_bert_offsets.head; NULL: that was all, or the model has it not. */
const ig_param_row *ig_head_param(const ig_bert_config *c, ig_head_kind head, int i, int *at);

/* Floats of `room` that the heads of a model need; they take turns. */
int64_t ig_heads_room(const ig_bert_config *c, const ig_head_size *z);

/* --- what heads read, for the engine (read.c) --- */

/* The heads of a shard. */
typedef struct {
    const ig_exec *x;
    const ig_net *net;
    const ig_bert_offsets *o;
    const ig_head_weights *p; /* [IG_N_HEAD] */
    const ig_shard_view *v;
    const ig_work *w;
    float *grad; /* training */
} ig_heads_job;

/* Whether a head is asked about a batch: the model has it, and there are labels. */
bool ig_head_asked(const ig_bert_config *c, const ig_batch *b, ig_head_kind head);
/* The last hidden state that those read which are asked; and whether any trains it. */
int ig_heads_top(const ig_bert_config *c, const ig_batch *b);
bool ig_heads_train_states(const ig_bert_config *c, const ig_batch *b);
/* Whether rows of the last layer are read. */
bool ig_head_reads_last(const ig_bert_config *c, ig_head_kind head);

/* Places in w for n_tok tokens, from `base` on (NULL: only counts); the floats they are. */
int64_t ig_heads_place(ig_work *w, const ig_bert_config *c, int64_t n_tok, bool train, float *base);
/* Hidden state `layer` of all tokens, of the last layer of the kept ones, is there. */
void ig_heads_take(const ig_heads_job *j, int layer, const float *state);
/* What the heads say, one after another, with the last layer's output; training, its gradient in
 * w->dx. */
void ig_heads_run(const ig_heads_job *j, const float *last);
/* Adds to dstate the gradient of hidden state `layer` that heads have which read it as
 * ig_heads_take gave it. */
void ig_heads_give(const ig_heads_job *j, int layer, float *dstate);
