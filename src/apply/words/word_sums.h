/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of the states of words over their occurrences in a text: words go in one after another, are
 * laid out in sequences, and a word of several pieces adds their mean.
 */
#pragma once

#include "apply/states.h"

/* How sequences are made: [CLS] words [SEP] of a sentence, or (stream) sentences one after another,
 * each with a [SEP] where it fits; longer ones are cut between words. */
typedef struct {
    int32_t block; /* tokens of a sequence at most, special ones included */
    bool stream;
} ig_word_sequences;

/* Zeroed: none. Freed with ig_word_sums_free. */
typedef struct {
    double **sum;    /* [layers of the states][n_word, d] in the order of the text */
    int64_t *n;      /* [n_word] occurrences in them */
    int64_t n_piece; /* of all these */
    int n_layer, d;
    int64_t n_sequence, n_token; /* that the model has read */
    ig_states *states;           /* borrowed, and so is `info`; the rest is the text that waits */
    ig_word_sequences how;
    int language;
    const ig_language *info;
    int32_t *id, n_id; /* the sequence that is open */
    int64_t have_id, number;
    struct {
        int64_t sequence;
        int32_t word, from, n;
    } * place;
    int64_t n_place, n_taken, have_place;
} ig_word_sums;

ig_code ig_word_sums_begin(ig_word_sums *w, ig_states *states, int language,
                           const ig_word_sequences *how, int64_t n_word, ig_err *err);
/* Adds an occurrence of a word (−1: one that is not summed), n ids of the model's vocabulary. One
 * that is longer than a sequence is left out. */
ig_code ig_word_sums_put(ig_word_sums *w, int32_t word, const int32_t *id, int32_t n, ig_err *err);
ig_code ig_word_sums_end_sentence(ig_word_sums *w, ig_err *err);
/* Runs what is waiting. */
ig_code ig_word_sums_end(ig_word_sums *w, ig_err *err);
void ig_word_sums_free(ig_word_sums *w);
