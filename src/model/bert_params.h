/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tensors of a BERT lie in its block of weights (and, laid out alike, in a block of
 * gradients), by role instead of by name. Offsets are floats from the start of the block.
 */
#pragma once

#include "isoglot/bert.h"
#include "model/device/device.h"

/* Tensors of a head; the last two are of the mixture of layers that it reads. */
enum {
    IG_HEAD_MAX_PARAM = 32,
    IG_HEAD_MIX = IG_HEAD_MAX_PARAM - 2,  /* [L] */
    IG_HEAD_GAMMA = IG_HEAD_MAX_PARAM - 1 /* [1] */
};

/* −1: this model has none. */
typedef struct {
    int64_t word, position, segment; /* [V,D], [P,D], [S,D] */
    int64_t norm_w, norm_b;          /* [D] of the embeddings; pre-LN: after the last layer */
    int64_t head[IG_N_HEAD][IG_HEAD_MAX_PARAM]; /* in the order of the head's table */
} ig_bert_offsets;

typedef struct {
    int64_t qkv_w, qkv_b;     /* [3D,D], [3D]: query, key, value */
    int64_t distance;         /* [2P−1, D/H]: row i − j + P − 1 for query i and key j */
    int64_t o_w, o_b;         /* [D,D], [D] */
    int64_t norm1_w, norm1_b; /* [D] after attention; pre-LN: before it */
    int64_t up_w, up_b;       /* [F,D], [F] */
    int64_t down_w, down_b;   /* [D,F], [D] */
    int64_t norm2_w, norm2_b; /* [D] */
} ig_bert_layer_offsets;

bool ig_bert_is_relative(const ig_bert_config *c);

/* Number of languages with their own parts; 1: nothing is separate. */
int ig_bert_n_language(const ig_bert_config *c);
/* Offsets of what one language uses, its own and shared. */
ig_bert_offsets ig_bert_get_offsets(const ig_bert *m, int language);
/* Whether two languages use the same row of one table for an id. */
bool ig_bert_shares_words(const ig_bert *m, int a, int b);
ig_bert_layer_offsets ig_bert_get_layer_offsets(const ig_bert *m, int language, int layer);

/* Makes a model of zeros, and draws the initial values of ig_bert_new for the parameters
 * [ig_bert_n_param] that have none yet (NULL: for all), so that values that a file has are not
 * drawn first. */
ig_code ig_bert_new_zero(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err);
ig_code ig_bert_draw(ig_bert *m, const bool *has, ig_err *err);

/* The block of parameters, on the model's device; code that changes it must inform the engine. */
float *ig_bert_weights(ig_bert *m);
const ig_device *ig_bert_get_device(const ig_bert *m);
/* The first parameter that has a value that is not finite at its position in a block of the device;
 * NULL: none. */
const ig_bert_param *ig_bert_not_finite(const ig_bert *m, const float *block);
