/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of a text: types, tokens, sentence lengths, Zipf exponent, entropies. A token is a
 * punctuation character or a longest run of other characters between blanks and punctuation (an
 * apostrophe or hyphen between letters or digits belongs to its word), case-folded. A sentence is
 * a line.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    int64_t n_sentence; /* lines with at least one token */
    int64_t n_token, n_type;
    double mean_length, median_length; /* tokens of a sentence */
    int64_t longest;
    double zipf;            /* maximum-likelihood s of p(rank) ∝ rank^−s over all types */
    double unigram_entropy; /* bits a token */
    double bigram_entropy;  /* H(next | token) in bits, the first after a start symbol; plug-in */
    double type_token;      /* types / tokens */
    double hapax_share;     /* types seen once / types */
} ig_text_stats;

typedef struct ig_text_counter ig_text_counter;
ig_code ig_text_counter_new(ig_text_counter **out, ig_err *err);
void ig_text_counter_free(ig_text_counter *c);
/* Adds one sentence of UTF-8; invalid bytes count as U+FFFD. */
ig_code ig_text_counter_add(ig_text_counter *c, const char *line, int64_t n, ig_err *err);
/* Computes the statistics. */
ig_code ig_text_counter_finish(ig_text_counter *c, ig_text_stats *out, ig_err *err);

/* Returns the s of p(r) ∝ r^−s, r = 1 .. n, that maximizes the likelihood of the counts (largest
 * first); 0 for fewer than two. */
double ig_zipf_fit(const int64_t *count, int64_t n);

/* Published text to compare with: the New Testament of the Bible in Basic English, measured with
 * `isoglot corpus stats` (experiments/worlds has the command). */
extern const ig_text_stats ig_text_stats_bbe_nt;
