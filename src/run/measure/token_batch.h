/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of one language laid one behind another, and what a model makes of them: for those who
 * go through a text and gather hidden states.
 */
#pragma once

#include "measure/measure.h"
#include "model/engine/engine.h"

/* A batch is full from so many tokens on. */
enum { IG_TOKEN_BATCH = 8192 };

/* The first line is the caller's, all zero else. Freed with ig_token_batch_free. */
typedef struct {
    int32_t language, position, segment; /* number, first position, segment of every sequence */
    int32_t n_seq, n_tok;                /* closed sequences, tokens */
    int32_t *seq_start, *lang, *id, *pos, *seg;
    int64_t have_seq, have_lang, have_id, have_pos, have_seg;
    float *hidden[IG_MEASURE_MAX_LAYER]; /* [n_tok, D] of each layer after _encode */
    int64_t have_hidden[IG_MEASURE_MAX_LAYER];
} ig_token_batch;

/* One more token; the first after an end begins a sequence. */
ig_code ig_token_batch_put(ig_token_batch *b, int32_t id, ig_err *err);
/* Tokens of the sequence that is open; 0: none is. */
int32_t ig_token_batch_open(const ig_token_batch *b);
/* Ends it, if one is open. */
ig_code ig_token_batch_end(ig_token_batch *b, ig_err *err);
/* Hidden states of width d at layer[0 .. n_layer − 1]; no sequence is open. */
ig_code ig_token_batch_encode(ig_token_batch *b, ig_engine *engine, const int *layer, int n_layer,
                              int d, ig_err *err);
void ig_token_batch_clear(ig_token_batch *b);
void ig_token_batch_free(ig_token_batch *b);
