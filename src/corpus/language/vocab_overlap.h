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

/* How similarly two languages use a piece of one vocabulary, over parallel sentences: the Dice
 * coefficient 2 both / (a + b) of the sentences that have it. What means the same in both is in
 * both sides of a pair; a false friend is in one (the high- and low-similarity overlaps of Kallini
 * et al. 2025 go by vectors of a model trained before; this needs none). */
typedef struct {
    int32_t piece;
    int64_t a, b, both; /* sentences that have it: of the first, of the second text, in both */
} ig_piece_use;
double ig_piece_similarity(const ig_piece_use *u);
/* Fills *out with the pieces that both texts use, special tokens apart, the most similar first and
 * equals in their order; freed with ig_free. */
struct ig_parallel;
ig_code ig_piece_uses(ig_piece_use **out, int32_t *n, const ig_tokenizer *t, struct ig_parallel *p,
                      ig_err *err);
