/* SPDX-License-Identifier: Apache-2.0
 *
 * Training by merges, with the merges themselves.
 */
#pragma once

#include "isoglot/tokenizer.h"
#include "text/tokenizer/bpe.h"
#include "text/train/word_counts.h"

/* The result of a training; freed by the caller, also after an error. */
typedef struct {
    char *text;    /* of a vocab.txt, NUL-terminated: the five special tokens, then the pieces */
    int64_t n;     /* its bytes */
    ig_bpe bpe;    /* the merges, with IG_VOCAB_BPE */
    double *score; /* [lines] of a unigram model: log probabilities, 0 of special tokens */
    ig_wordpiece_report report;
} ig_trained;

/* Trains as ig_wordpiece_train does, from words that have been counted; with model IG_VOCAB_CHARS
 * no pair is merged, and only the most frequent characters that fit into `size` are kept. */
ig_code ig_merges_train(ig_trained *out, const ig_word_counts *words,
                        const ig_wordpiece_options *options, ig_err *err);
