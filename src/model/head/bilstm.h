/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers of bidirectional LSTMs that a head puts between the states it reads and its own scores.
 */
#pragma once

#include "model/head/head.h"

/* Tensors of one direction of one layer, in PyTorch's order and with its names; direction r of
 * layer l has numbers from 4 (2 l + r) on. */
enum { IG_LSTM_INPUT_W, IG_LSTM_STATE_W, IG_LSTM_INPUT_B, IG_LSTM_STATE_B, IG_LSTM_N_PARAM };
enum { IG_BILSTM_MAX_PARAM = 2 * IG_LSTM_N_PARAM * IG_LSTM_MAX_LAYER };

/* Buffers and shape; N targets. */
typedef struct {
    int n_layer, size;                 /* of each direction: H */
    int in[IG_LSTM_MAX_LAYER];         /* columns of a layer's input: D, 2H */
    float *packed[IG_LSTM_MAX_LAYER];  /* [N, in] */
    float *gate[IG_LSTM_MAX_LAYER][2]; /* [N, 4H] */
    float *cell[IG_LSTM_MAX_LAYER][2], *slope[IG_LSTM_MAX_LAYER][2],
        *before[IG_LSTM_MAX_LAYER][2]; /* [N, H] */
    float *out;                        /* [N, 2H] */
    float *dcell[2];                   /* [N, H] */
    float *bias;                       /* [4H] */
    int32_t *order, *place, *length;   /* ig_steps */
} ig_bilstm;

/* The size H in a head's settings. */
int32_t ig_bilstm_size(const ig_head_config *h);
/* Lays it out from `base` on (NULL: only counts) for n targets of n_seq sequences; returns the
 * floats. */
int64_t ig_bilstm_place(ig_bilstm *w, const ig_bert_config *c, ig_head_kind head, int64_t n,
                        int64_t n_seq, float *base);
/* y [N, 2H] of x [N, D], which is not stored; between layers ig_head_drop's place 1. Tensors from
 * number `param` of the head's table on. */
void ig_bilstm_forward(const ig_head_call *h, const ig_bilstm *w, int param, const float *x,
                       float *y);
/* Adds gradients of parameters; dy [N, 2H] is overwritten, dx [N, D] is written unless it is
 * NULL. */
void ig_bilstm_backward(const ig_head_call *h, const ig_bilstm *w, int param, float *dy, float *dx);
