/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits: changes of hidden states, or of attention, on their way through the network, in every pass
 * (docs/model.md, "Edits").
 */
#pragma once

#include "isoglot/bert.h"

#include <stdint.h>

/* ID, and the name of its file. n and data: */
#define IG_EDIT_LIST(X)                                                                              \
    X(SHIFT, shift)     /* h + v; n = 1, v [D] */                                                    \
    X(MATRIX, matrix)   /* h Mᵀ; n = D, M [D, D] */                                                \
    X(PROJECT, project) /* h − h Uᵀ U: out of a subspace; U [n, D], orthonormal rows */          \
    X(ROWS, rows)       /* the state of token row[i] of the batch is row i of the data, [n, D] */    \
    X(ATTENTION, attention) /* block `layer` ≥ 1 attends as `model` does, or to all tokens alike   \
                             */                                                                      \
    X(BIAS, bias) /* block `layer` ≥ 1 adds v [D] to what its attention (n = 0) or its FFN (n = 1) \
                   * gives, as a bias there would */

#define IG_EDIT_ID(id, file) IG_EDIT_##id,
typedef enum { IG_EDIT_LIST(IG_EDIT_ID) IG_N_EDIT } ig_edit_kind;
#undef IG_EDIT_ID

typedef struct {
    int layer;        /* hidden state: 0 after the embeddings, l after block l; pre-LN: the sum of
                       * the sublayers, for the last block its LayerNorm, as ig_engine_encode gives
                       * them */
    int32_t language; /* only in sequences of this language (ig_batch.language); −1: in all */
    ig_edit_kind kind;
    int n;
    const float *data;
    const int32_t *row; /* for ROWS: [n] tokens, ascending; else not read */
    ig_bert *model;     /* for ATTENTION: whose attention, borrowed until other edits are set: of
                         * this shape, without relative positions; NULL: uniform */
} ig_edit;
