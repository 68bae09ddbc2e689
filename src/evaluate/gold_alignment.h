/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments by every layer of a model against a gold standard.
 */
#pragma once

#include "analyse/links/alignment_error.h"
#include "apply/states.h"

/* Holds for each pair of sentences its links at each layer against gold, and how many links there
 * can be.
 */
typedef struct {
    ig_alignment_error *e; /* [n_pair, n_layer] */
    double *cell;          /* [n_pair] words × words */
    int64_t n_pair, have_e, have_cell;
} ig_gold_pairs;
void ig_gold_pairs_free(ig_gold_pairs *p);

/* Sentence pairs with their links, a pair a line (corpus/words/word_links.h), whose first sentence
 * is of language[0] of the model. Pieces are compared by cosine, those that are each other's
 * nearest are linked, and linked pieces link their words (Jalili Sabet et al. 2020, Argmax). A
 * file without the sentences is IG_ERR_INPUT. Freed with ig_gold_pairs_free, also after an error.
 * Memory: the file, and the states of a pair. The same links for any number of threads. */
ig_code ig_gold_alignment(ig_gold_pairs *out, ig_states *s, const int language[2], const char *path,
                          ig_err *err);

/* A word as it stands in a sentence: every one but the first has a blank before it, which may be
 * part of a piece. `text` is freed with ig_free. */
typedef struct {
    char *text;
    int64_t n, have;
} ig_spaced_word;
ig_code ig_spaced_word_set(ig_spaced_word *s, const char *word, int64_t n, bool first, ig_err *err);
