/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of the tables of a model's tensors: those around the blocks (bert.c), those of a block
 * (block/) and those of each head (head/). Parameters, packed operands, memory and floating-point
 * operations are derived from the tables.
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
    IG_DIM_HEAD,      /* columns of a head */
    IG_DIM_E,
    IG_DIM_Q,   /* of all heads' queries */
    IG_DIM_KV,  /* of all heads' keys */
    IG_DIM_QKV, /* Q + 2 KV */
    IG_DIM_2F,
    IG_DIM_HEADS,
    IG_DIM_BUCKETS,
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
    const char *name; /* of a block: without "bert.encoder.layer.N." */
    ig_dim rows, cols;
    ig_init_kind init;
    bool decay;
    ig_part part;
    bool (*when)(const ig_bert_config *c); /* whether a model has it; NULL: always */
    bool product;   /* an operand of matrix products (model/engine/weights.h) */
    bool joined;    /* directly after the row before, without padding: one operand with it */
    bool not_first; /* the first block has none */
    bool tied;      /* the word embeddings, where a model does not have it */
    bool fixed;     /* it is set once and not trained */
    ig_dim inputs;  /* of a bias: of its layer, for rules of initial values that need them */
} ig_param_row;

/* Fields of a row; the row may say more (.product, .when). */
#define IG_ROW_MATRIX(p, n, r, c)                                                                  \
    .name = n, .rows = r, .cols = c, .init = IG_INIT_MATRIX, .decay = true, .part = p
#define IG_ROW_BIAS(p, n, r, in) .name = n, .rows = r, .init = IG_INIT_BIAS, .part = p, .inputs = in
#define IG_ROW_NORM_W(p, n) .name = n ".weight", .rows = IG_DIM_D, .init = IG_INIT_ONE, .part = p
#define IG_ROW_NORM_B(p, n) .name = n ".bias", .rows = IG_DIM_D, .init = IG_INIT_ZERO, .part = p
#define IG_HEAD_MATRIX(n, r, c) IG_ROW_MATRIX(IG_PART_HEAD, n, r, c)
#define IG_HEAD_BIAS(n, r) IG_ROW_BIAS(IG_PART_HEAD, n, r, IG_DIM_D)
/* A matrix with torch.nn's initial values, within ±1/√inputs. */
#define IG_HEAD_UNIFORM_MATRIX(n, r, c, in)                                                        \
    .name = n, .rows = r, .cols = c, .init = IG_INIT_UNIFORM, .inputs = in, .decay = true,         \
    .part = IG_PART_HEAD, .product = true
#define IG_HEAD_UNIFORM_BIAS(n, r, in)                                                             \
    .name = n, .rows = r, .init = IG_INIT_UNIFORM, .inputs = in, .part = IG_PART_HEAD

/* The table of a head, or of the model's kind of block (IG_OF_BLOCK). */
typedef struct {
    const ig_param_row *row;
    int n; /* 0: the model does not have the head */
} ig_param_table;
ig_param_table ig_param_table_of(const ig_bert_config *c, int head);

/* A dimension's size in that table. */
int32_t ig_param_dim(const ig_bert_config *c, int head, ig_dim d);
/* Returns whether row i begins an operand of products, [n_out, n_in]: its rows, those joined to it,
 * too, and its columns. */
bool ig_param_product(const ig_bert_config *c, int head, int i, int *n_out, int *n_in);
