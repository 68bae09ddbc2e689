/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits at work (docs/model.md, "Edits"). A kind is one file and one line of IG_EDIT_LIST. It
 * changes rows of states, and passes their gradient back; where the rows are (post-LN, pre-LN, the
 * last block's kept rows, copies in bfloat16) is decided here, once.
 */
#pragma once

#include "model/device/device.h"
#include "model/edit/edit_list.h"
#include "model/engine/parts.h"

/* An edit as the engine stores it. */
typedef struct {
    ig_edit edit; /* data on the device, row a copy */
    float *data, *packed;
    int32_t *row;
    ig_weight forward, backward; /* of kinds with a matrix */
} ig_edit_ready;

/* A call of a kind on m consecutive rows. */
typedef struct {
    const ig_exec *x;
    const ig_edit_ready *e;
    int d, m;
    float *v;      /* [m, D] states, or their gradient */
    float *room;   /* [m, D] */
    int32_t first; /* token of the batch that row 0 belongs to; row i is the one i later, unless */
    const int32_t *kept; /* NULL, or [m]: row i is token first + kept[i] */
} ig_edit_call;

typedef struct {
    const char *name;
    /* Number of floats of its data; −1: no such n. */
    int64_t (*n_float)(int n, int d);
    /* Computes the matrix M [D, D] that h is multiplied by, h Mᵀ; NULL: another kind of change. Bad
     * data are an error. */
    ig_code (*matrix)(float *m, const float *data, int n, int d, const char *where, ig_err *err);
    void (*run)(const ig_edit_call *c);  /* NULL: no state changes */
    void (*back)(const ig_edit_call *c); /* NULL: the gradient passes unchanged */
} ig_edit_rule;

/* `run` and `back` of kinds with a matrix: rows times M, transposed going forward. */
void ig_edit_forward(const ig_edit_call *c);
void ig_edit_backward(const ig_edit_call *c);

typedef struct {
    ig_edit_ready *ready; /* [n] in the order of application */
    int n;
    const ig_device *device;
} ig_edits;

/* The parts of the engine that edits are made for. */
typedef struct {
    const ig_bert_config *config;
    const ig_device *device;
    const ig_exec *all;
    bool packed;
} ig_edits_for;
/* Copies edits for a model. An error leaves the old ones. */
ig_code ig_edits_set(ig_edits *to, const ig_edit *edit, int n, const ig_edits_for *of, ig_err *err);
void ig_edits_free(ig_edits *e);

/* The hidden state of one layer in a shard. */
typedef struct {
    int layer;
    ig_norm_state to;   /* of n_row rows: what the next block reads */
    float *stream;      /* pre-LN, but not after the last block: [n_row, D] the hidden state, of
                         * which `to` is the LayerNorm; else NULL: its output is the hidden state */
    ig_norm_place norm; /* with stream: that LayerNorm */
    bool plain;         /* with stream: `to` is the hidden state itself */
    float *room;        /* [n_row, D] */
    int n_row;
    const int32_t *kept; /* as in ig_shard_view, on the host */
    const ig_batch *batch;
    int32_t first_seq, n_seq; /* of the shard within the batch */
} ig_edit_place;

/* Changes the states of this layer. */
void ig_edits_run(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p);
/* Replaces the gradient after the edits by the one before them, in w->dx (and w->dstream). */
void ig_edits_back(const ig_edits *e, const ig_exec *x, const ig_net *net, const ig_edit_place *p,
                   const ig_work *w, float *grad);
