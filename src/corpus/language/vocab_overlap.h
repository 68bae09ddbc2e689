/* SPDX-License-Identifier: Apache-2.0
 *
 * Overlap of vocabularies: as sets of pieces, and as the pieces of one vocabulary that texts use.
 */
#pragma once

#include "corpus/read/sentences.h"
#include "isoglot/tokenizer.h"
#include "text/train/word_counts.h"

/* Distinct pieces with a count each, without the special tokens [PAD] … [MASK]. */
/* Returns the pieces of a vocabulary, each with count 1. */
ig_code ig_piece_set_of_vocab(ig_word_counts *out, const ig_tokenizer *t, ig_err *err);
/* Returns the pieces of a vocabulary that a text uses, with their counts. */
ig_code ig_piece_set_of_text(ig_word_counts *out, const ig_tokenizer *t, ig_sentences *s,
                             bool allow_unknown, ig_err *err);

typedef struct {
    int64_t shared;            /* pieces that both have */
    double jaccard;            /* shared / pieces in the union */
    double share_a, share_b;   /* shared / pieces of a, of b */
    double tokens_a, tokens_b; /* tokens of a, of b, that are shared pieces / tokens */
} ig_overlap;

/* NaN for a division by 0. */
ig_overlap ig_piece_set_overlap(const ig_word_counts *a, const ig_word_counts *b);
