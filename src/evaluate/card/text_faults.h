/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads what a text and a vocabulary tell before a model runs: words, characters, pieces of each
 * sentence, repeated lines, and whether another spelling of the text is one that the vocabulary
 * knows better.
 */
#pragma once

#include "apply/named_texts.h"
#include "isoglot/tokenizer.h"
#include "text/tokenizer/unknown_pieces.h"

/* How a text could be spelled. */
typedef enum {
    IG_SPELLED_AS_IS,
    IG_SPELLED_LOWER,    /* in lower case */
    IG_SPELLED_PLAIN,    /* without accents */
    IG_SPELLED_BOTH,     /* both */
    IG_SPELLED_NFC,      /* composed */
    IG_SPELLED_ACCENTED, /* words with the accents that pieces of the vocabulary have, … */
    IG_SPELLED_CASED,    /* … with their capitals */
    IG_SPELLED_N
} ig_spelling;

/* Counts of each sentence, [n]. */
typedef struct {
    int64_t n;
    double *word; /* by ICU's breaker (UAX #29, with dictionaries where a script has no blanks) */
    double *character, *byte;
    double *spaceless; /* characters of scripts that have no blanks between words */
    double *piece[IG_SPELLED_N], *unknown[IG_SPELLED_N]; /* pieces, those unknown among them */
    double *length[IG_SPELLED_N]; /* code points: without its marks a text is shorter */
    int64_t n_repeated;           /* sentences that are equal to one before them */
    ig_unknown_pieces pieces;
    /* pieces of the vocabulary in upper case, with accents; and whether the tokenizer never makes
     * one */
    double upper_pieces, accented_pieces;
} ig_text_counts;

/* A tokenizer NULL: no pieces are counted. Freed with ig_text_counts_free, also after an error. */
ig_code ig_text_counts_make(ig_text_counts *c, const ig_sentence_list *text, const ig_tokenizer *t,
                            ig_err *err);
void ig_text_counts_free(ig_text_counts *c);

/* Number of sentences i that are the same in both texts. */
int64_t ig_same_sentences(const ig_sentence_list *a, const ig_sentence_list *b);
