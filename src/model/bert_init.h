/* SPDX-License-Identifier: Apache-2.0
 *
 * Initial values of a model's tensors, each a function of seed, name and element.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/bert.h"

typedef enum {
    IG_INIT_WORDS,     /* an embedding with a row for PAD */
    IG_INIT_EMBEDDING, /* rows that tokens, positions or distances look up */
    IG_INIT_MATRIX,    /* of a linear layer, [n_out, n_in] */
    IG_INIT_BIAS,      /* of a linear layer */
    IG_INIT_ONE,
    IG_INIT_ZERO,
    IG_INIT_POSITION, /* a position table: learned, or the fixed one of sinusoids, or 0 */
    /* for heads, whatever the model's rule is: */
    IG_INIT_UNIFORM, /* within ± 1/√inputs: PyTorch's linear layers and LSTM */
    IG_INIT_XAVIER, /* uniform within ± √(6 / (rows + columns)) (Glorot & Bengio 2010, eq. 16) */
    IG_INIT_XAVIER_NORMAL /* N(0, 2 / (rows + columns)) */
} ig_init_kind;

/* Fills w[rows, cols] of the parameter. inputs: of the layer, for
 * IG_INIT_UNIFORM and biases. `seed` is the model's. Team NULL: the caller alone; the same bits. */
void ig_bert_init(float *w, const ig_bert_config *c, const ig_bert_param *p, ig_init_kind kind,
                  int32_t inputs, uint64_t seed, ig_team *team);
