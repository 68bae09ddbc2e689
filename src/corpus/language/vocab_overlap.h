/* SPDX-License-Identifier: Apache-2.0
 *
 * How much vocabularies share: as sets of pieces, and as what texts use of one vocabulary.
 */
#pragma once

#include "corpus/read/sentences.h"
#include "isoglot/tokenizer.h"
#include "text/train/word_counts.h"

/* Distinct pieces with a count each; the special tokens [PAD] … [MASK] are not among them. */
/* The pieces of a vocabulary, a count of 1 each. */
ig_code ig_piece_set_of_vocab(ig_word_counts *out, const ig_tokenizer *t, ig_err *err);
/* The pieces that a text uses of a vocabulary, as often as it does. */
ig_code ig_piece_set_of_text(ig_word_counts *out, const ig_tokenizer *t, ig_sentences *s,
                             bool allow_unknown, ig_err *err);

typedef struct {
    int64_t shared;            /* pieces that both have */
    double jaccard;            /* shared / pieces that either has */
    double share_a, share_b;   /* shared / pieces of a, of b */
    double tokens_a, tokens_b; /* tokens of a, of b, that are shared pieces / tokens */
} ig_overlap;

/* NaN where there is nothing to divide by. */
ig_overlap ig_piece_set_overlap(const ig_word_counts *a, const ig_word_counts *b);
