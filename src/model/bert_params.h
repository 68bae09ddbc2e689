/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tensors of a BERT lie in its block of weights (and, laid out alike, in a block of
 * gradients), by role instead of by name. Offsets are floats from the start of the block.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/bert.h"
#include "model/device/device.h"

/* Tensors of a block or a head; a head's last two are of the mixture of layers that it reads. */
enum {
    IG_MAX_PARAM = 32,
    IG_HEAD_MIX = IG_MAX_PARAM - 2,  /* [L] */
    IG_HEAD_GAMMA = IG_MAX_PARAM - 1 /* [1] */
};

/* −1: this model has none. */
typedef struct {
    int64_t word, position, segment;       /* [V,E], [P,E], [S,E] */
    int64_t project_w, project_b;          /* [D,E], [D] */
    int64_t buckets;                       /* [position_buckets,H] */
    int64_t outside[4];                    /* weight and bias of the LayerNorms outside blocks */
    int64_t head[IG_N_HEAD][IG_MAX_PARAM]; /* in the order of the head's table */
} ig_bert_offsets;

typedef struct {
    int64_t at[IG_MAX_PARAM]; /* in the order of the block's table */
} ig_bert_layer_offsets;

/* Multiply-adds of all products of a head, or of a block (IG_OF_BLOCK), for a row of states. */
enum { IG_OF_BLOCK = -1 };
double ig_param_products(const ig_bert_config *c, int head);

bool ig_bert_is_relative(const ig_bert_config *c);
/* Returns whether layer l, from 0, attends within the local window. */
bool ig_bert_is_local(const ig_bert_config *c, int l);
/* E; whether a matrix takes embeddings to D; columns of a head; of all heads' queries; of queries,
 * keys and values. */
int ig_bert_embedding(const ig_bert_config *c);
bool ig_bert_is_projected(const ig_bert_config *c);
int ig_bert_head_dim(const ig_bert_config *c);
int ig_bert_query_dim(const ig_bert_config *c);
int ig_bert_qkv_dim(const ig_bert_config *c);

/* Number of languages with their own parts; 1: nothing is separate. */
int ig_bert_n_language(const ig_bert_config *c);
/* Offsets of what one language uses, its own and shared. */
ig_bert_offsets ig_bert_get_offsets(const ig_bert *m, int language);
const ig_bert_layer_offsets *ig_bert_get_layer_offsets(const ig_bert *m, int language); /* [L] */
/* Returns whether two languages use the same row of one table for an id. */
bool ig_bert_shares_words(const ig_bert *m, int a, int b);

/* Returns whether the tensor of that name, of any language, has a row for each piece. */
bool ig_bert_is_of_words(const char *name);

/* Makes a model of zeros, and draws the initial values of ig_bert_new for the parameters
 * [ig_bert_n_param] that have none yet (NULL: for all), so that values that a file has are not
 * drawn first. */
ig_code ig_bert_new_zero(ig_bert **out, const ig_bert_config *config, uint64_t seed, ig_err *err);
ig_code ig_bert_draw(ig_bert *m, const bool *has, ig_err *err);
/* Gives all parameters the initial values of ig_bert_new by another seed, drawn by a team (NULL: by
 * the caller alone). */
ig_code ig_bert_redraw(ig_bert *m, uint64_t seed, ig_team *team, ig_err *err);

/* The block of parameters, on the model's device; code that changes it must inform the engine. */
float *ig_bert_weights(ig_bert *m);
const ig_device *ig_bert_get_device(const ig_bert *m);
/* The vector of the one segment where it is 0: it stands for the segments that a family does not
 * have, and is none of its parameters. NULL: segments are real. */
const ig_bert_param *ig_bert_zero_segment(const ig_bert *m);
/* Numbers in the parameters that are trained and are not that vector. */
int64_t ig_bert_n_parameter(const ig_bert *m);
/* The first parameter that has a value that is not finite at its position in a block of the device;
 * NULL: none. */
const ig_bert_param *ig_bert_not_finite(const ig_bert *m, const float *block);
