/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits at work (docs/model.md, "Edits"). One file and one line of IG_EDIT_LIST make a kind. A kind
 * changes rows of states, and takes their gradient back; where the rows are (post-LN, pre-LN, the
 * last block's kept rows, copies in bfloat16) is decided here, once.
 */
#pragma once

#include "model/device/device.h"
#include "model/edit/edit_list.h"
#include "model/engine/parts.h"

/* An edit as the engine keeps it. */
typedef struct {
    ig_edit edit; /* data on the device, row a copy */
    float *data, *packed;
    int32_t *row;
    ig_weight forward, backward; /* of kinds with a matrix */
} ig_edit_ready;

/* A kind at work on m rows, which stand one behind another. */
typedef struct {
    const ig_exec *x;
    const ig_edit_ready *e;
    int d, m;
    float *v;      /* [m, D] states, or their gradient */
    float *room;   /* [m, D] */
    int32_t first; /* token of the batch that row 0 is, and row i is the one i later, unless */
    const int32_t *kept; /* NULL, or [m]: row i is token first + kept[i] */
} ig_edit_call;

typedef struct {
    const char *name;
    /* Numbers of its data; −1: no such n. */
    int64_t (*n_float)(int n, int d);
    /* The matrix M [D, D] that h is multiplied by, h Mᵀ; NULL: another kind of change. An error
     * where data are not what they should be. */
    ig_code (*matrix)(float *m, const float *data, int n, int d, const char *where, ig_err *err);
    void (*run)(const ig_edit_call *c);  /* NULL: no state changes */
    void (*back)(const ig_edit_call *c); /* NULL: the gradient goes through as it is */
} ig_edit_rule;

/* `run` and `back` of kinds with a matrix: rows times M, transposed going forward. */
void ig_edit_forward(const ig_edit_call *c);
void ig_edit_backward(const ig_edit_call *c);

typedef struct {
    ig_edit_ready *ready; /* [n] in the order they are made in */
    int n;
    const ig_device *device;
} ig_edits;

/* What edits are made for: parts of the engine. */
typedef struct {
    const ig_bert_config *config;
    const ig_device *device;
    const ig_exec *all;
    bool packed;
} ig_edits_for;
/* Copies of edits for a model. An error leaves what was there. */
ig_code ig_edits_set(ig_edits *to, const ig_edit *edit, int n, const ig_edits_for *of, ig_err *err);
void ig_edits_free(ig_edits *e);

/* Where a shard's hidden state of one layer is. */
typedef struct {
    int layer;
    ig_rows out;        /* [n_row, D] what the next block reads */
    float *stream;      /* pre-LN, but not behind the last block: [n_row, D] the hidden state, of
                         * which out is the LayerNorm; else NULL: out is the hidden state */
    ig_norm_place norm; /* with stream: that LayerNorm */
    float *xhat, *rstd; /* what it keeps for the backward pass, or NULL */
    float *room;        /* [n_row, D] */
    int n_row;
    const int32_t *kept; /* as in ig_shard_view, on the host */
    const ig_batch *batch;
    int32_t first_seq, n_seq; /* of the shard within the batch */
} ig_edit_place;

/* Changes the states of this layer. */
void ig_edits_run(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p);
/* The gradient before the edits from that behind them, in the place of w->dx (and w->dstream). */
void ig_edits_back(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p,
                   const ig_work *w, float *grad);
