/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of the tables of a model's tensors: those of the encoder (bert.c) and those of each head
 * (head/).
 */
#pragma once

#include "model/bert_init.h"

typedef enum {
    IG_DIM_1,
    IG_DIM_D,
    IG_DIM_F,
    IG_DIM_V,
    IG_DIM_P,
    IG_DIM_S,
    IG_DIM_DISTANCES, /* 2P − 1 */
    IG_DIM_HEAD,      /* D/H */
    IG_DIM_LAYERS,
    IG_DIM_LABELS, /* of the head whose row it is */
    IG_DIM_OWN     /* and its own sizes, from here on: ig_head.size(c, 0), … */
} ig_dim;

/* Which of a language's separate parts a tensor belongs to. */
typedef enum {
    IG_PART_WORDS,
    IG_PART_POSITIONS,
    IG_PART_SEGMENTS,
    IG_PART_NORM,
    IG_PART_LAYER,
    IG_PART_DISTANCES,
    IG_PART_HEAD,
    IG_PART_OUTPUT,
    IG_PART_BIAS
} ig_part;

typedef struct {
    const char *name; /* of a layer: without "bert.encoder.layer.N." */
    ig_dim rows, cols;
    ig_init_kind init;
    bool decay;
    ig_part part;
    bool (*when)(const ig_bert_config *c); /* whether a model has it; NULL: always */
    int role; /* encoder: index in ig_bert_offsets or ig_bert_layer_offsets; IG_NO_ROLE: directly
               * after the one before, without padding to a cache line */
    bool product;  /* head: an operand of matrix products (model/engine/weights.h) */
    bool tied;     /* head: the word embeddings, where a model does not have it */
    bool fixed;    /* it is set once and not trained */
    ig_dim inputs; /* for IG_INIT_UNIFORM */
} ig_param_row;

/* Fields of a head's row: a matrix, a bias; the row may say more (.product, .when). */
#define IG_HEAD_MATRIX(n, r, c)                                                                    \
    .name = n, .rows = r, .cols = c, .init = IG_INIT_MATRIX, .decay = true, .part = IG_PART_HEAD
#define IG_HEAD_BIAS(n, r) .name = n, .rows = r, .init = IG_INIT_BIAS, .part = IG_PART_HEAD
/* A matrix with torch.nn's initial values, within ±1/√inputs. */
#define IG_HEAD_UNIFORM_MATRIX(n, r, c, in)                                                        \
    .name = n, .rows = r, .cols = c, .init = IG_INIT_UNIFORM, .inputs = in, .decay = true,         \
    .part = IG_PART_HEAD, .product = true
#define IG_HEAD_UNIFORM_BIAS(n, r, in)                                                             \
    .name = n, .rows = r, .init = IG_INIT_UNIFORM, .inputs = in, .part = IG_PART_HEAD

enum { IG_NO_ROLE = -1 };

/* A dimension's size if it is the model's; those of a head: ig_head_dim (model/head/head.h). */
int32_t ig_param_dim(const ig_bert_config *c, ig_dim d);
