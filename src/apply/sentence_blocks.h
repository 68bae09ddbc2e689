/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences of two languages of a corpus, some at a time, with the states of their content. Only
 * tokens of content count: [PAD], [CLS] and [SEP], shared or a language's own, are left out (Dufter
 * & Schütze 2020, §2.2.1).
 */
#pragma once

#include "apply/states.h"
#include "corpus/batch/batcher.h"

/* Content tokens of sentence s: first[s] .. first[s + 1] − 1. */
typedef struct {
    int32_t *first;            /* [sentences + 1] */
    int32_t *id, *place, *row; /* piece; position in the sequence, [CLS] is 0; row of its states */
    const float *const *state; /* [layers][tokens, D], special tokens included */
    int64_t have[3];
} ig_sentence_block;

/* Freed with ig_sentence_blocks_close, also after an error. */
typedef struct {
    const ig_corpus *corpus;
    int language[2];
    int64_t chunk; /* sentences of a batch */
    ig_batcher *batcher;
    ig_states *states[2];
    ig_sentence_block side[2];
} ig_sentence_blocks;

/* As in training: where padding is attended to, what a sentence looks like depends on its batch, so
 * the batches are training's, of one language each; else they have `chunk` sentences. The states'
 * parts have the corpus. */
typedef struct {
    ig_states_options states;
    ig_states_parts parts;
    int language[2];
    ig_batch_options batching;
    uint64_t seed;
    int64_t chunk;
} ig_sentence_block_options;
ig_code ig_sentence_blocks_open(ig_sentence_blocks *b, const ig_sentence_block_options *o,
                                ig_err *err);
void ig_sentence_blocks_close(ig_sentence_blocks *b);
/* Sentences from .. to − 1 of a side, at most `chunk`, into b->side[side]; until the next call. */
ig_code ig_sentence_blocks_get(ig_sentence_blocks *b, int side, int64_t from, int64_t to,
                               ig_err *err);
