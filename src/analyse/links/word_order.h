/* SPDX-License-Identifier: Apache-2.0
 *
 * Similarity of two languages' word order: Kendall's τ over the links of aligned sentences. Dufter
 * & Schütze 2020, B.2 and Table 4; Birch & Osborne 2011. docs/measures.md, "Word order".
 */
#pragma once

#include "base/numeric/statistics.h"
#include "corpus/batch/batcher.h"
#include "corpus/words/word_links.h"

/* τ of a sentence is one of
 *
 * * fixed: Kendall's τ-b of the links as points (i, j), each link one point: −1 … 1.
 * * paper-text: 1 − √(2z/(n²−n)) over all n words of the first sentence, with Birch & Osborne's
 *   permutation: a word goes to its first link; an unaligned word goes directly after the position
 * of the word before it; words at one position keep their order. z: pairs in reversed order. 0 … 1.
 * * paper-code: as paper-text, over the aligned words only.
 *
 * A sentence is left out where τ is undefined: fewer than two links or words, or (fixed) all links
 * at one word. */
typedef struct {
    ig_variant variant;
    bool possible; /* possible links count like sure ones; otherwise they are ignored */
    double *value; /* [n] τ of the sentences that have one */
    int64_t n, have;
    int64_t n_sentence, n_link;           /* all, and links that counted */
    int64_t concordant, discordant, tied; /* pairs, over all sentences that count */
    double *x, *y;                        /* working memory */
    int64_t have_x, have_y;
} ig_word_order;

/* Zeroed to begin with but for variant and possible. Freed with ig_word_order_free. */
ig_code ig_word_order_add(ig_word_order *w, const ig_word_links *s, ig_err *err);
void ig_word_order_free(ig_word_order *w);

/* τ is the unweighted mean over sentences; the interval is of that mean. */
typedef struct {
    ig_summary tau;
    ig_interval interval;
} ig_word_order_score;
ig_word_order_score ig_word_order_get(const ig_word_order *w);
