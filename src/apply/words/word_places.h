/* SPDX-License-Identifier: Apache-2.0
 *
 * Occurrences of words in the training text of a run's corpus, and their mean vectors. A word is
 * the sequence of word pieces that the language's tokenizer cuts it into; it occurs where exactly
 * these pieces make up a word of the text, in any order that a transform has given them. So only
 * the data that the run was trained on are read.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "apply/words/word_sums.h"

/* The distinct words of a language that are looked for. Freed with ig_word_places_free. */
typedef struct {
    const ig_corpus *corpus; /* borrowed, and so is what follows */
    const ig_tokenizer *tokenizer;
    int language;
    ig_lexicon key; /* of n words */
    int64_t *count; /* [n] occurrences in all of the training text … */
    int64_t *early; /* [n] … and in its first sentences */
    int32_t *piece; /* the ids of word w are piece[start[w]] .. piece[start[w + 1] − 1] */
    int64_t *start; /* [n + 1] */
    /* Words as they begin a sentence, where they are cut without the blank before them (byte-level
     * vocabularies), and the number of each. */
    ig_lexicon bare;
    int32_t *number;
    int64_t have_number;
    int64_t have_count, have_early, have_piece, have_start;
} ig_word_places;

void ig_word_places_new(ig_word_places *p, const ig_corpus *c, const ig_tokenizer *t, int language);
void ig_word_places_free(ig_word_places *p);
/* Returns the number of a word, which is searched from now on; −1: a piece of it is not known.
 * Words with the same pieces (upper case of an uncased vocabulary) have one number. */
ig_code ig_word_places_add(ig_word_places *p, const char *word, int32_t *number, ig_err *err);
/* Counts all of them, in the first `early` sentences (0: all), too. */
ig_code ig_word_places_count(ig_word_places *p, int64_t early, ig_err *err);

typedef struct {
    ig_word_sequences sequences;
    int64_t most; /* sentences; 0: all */
} ig_word_contexts;

/* mean[l] [n, D] of the hidden states at each of the layers of `states`, which are over the corpus;
 * a word of several pieces has their mean, one without places keeps zeros. *n_place: how many went
 * into them. Sums are made in double, in the order of the text. */
ig_code ig_word_places_states(float *const *mean, int64_t *n_place, const ig_word_places *p,
                              const ig_word_contexts *how, ig_states *states, ig_err *err);
