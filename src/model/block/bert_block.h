/* SPDX-License-Identifier: Apache-2.0
 *
 * The block that all kinds share: attention and a feed-forward network with their norms. A kind is
 * a table of rows (block_rows.c); a row without a name is a tensor that it does not have.
 */
#pragma once

#include "model/block/block.h"

enum {
    QUERY_W, /* queries, keys and values are one product, in its rows */
    KEY_W,
    VALUE_W,
    QUERY_B,
    KEY_B,
    VALUE_B,
    DISTANCE, /* [2P − 1, D/H]: row i − j + P − 1 for query i and key j */
    OUT_W,
    OUT_B,
    NORM1_W,
    NORM1_B,
    UP_W, /* a gated FFN: the rows that the activation reads, then those that it is multiplied with
           */
    UP_W2,
    UP_B,
    UP_B2,
    DOWN_W,
    DOWN_B,
    NORM2_W,
    NORM2_B,
    QUERY_NORM, /* [D/H] RMSNorm of each head's queries and keys */
    KEY_NORM,
    AFTER1, /* [D] RMSNorm of what a sublayer adds to the stream */
    AFTER2,
    IG_N_BLOCK_PARAM
};

int64_t ig_bert_block_room(const ig_bert_config *c, const ig_state_size *z);
void ig_bert_block_queries(const ig_block_call *k, float *qk);
void ig_bert_block_forward(const ig_block_call *k);
ig_matrix ig_bert_block_inner(const ig_block_call *k, ig_inner which);
void ig_bert_block_backward(const ig_block_call *k);
