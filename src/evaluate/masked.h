/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudo-perplexity of a model with a head of masked words.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/states.h"

/* Number of sentences per language, and the distance between masks. */
enum { IG_MASKED_SENTENCES = 200, IG_MASKED_EVERY = 7 };

/* Sums −log p of the masked pieces of each sentence, and counts how many are masked there: one
 * piece in seven of the first 200 sentences, piece t of sentence i where (t + i) mod 7 = 0. */
typedef struct {
    int64_t n; /* sentences */
    double nll[IG_MASKED_SENTENCES], masked[IG_MASKED_SENTENCES];
} ig_masked_sentences;
ig_code ig_masked_run(ig_masked_sentences *out, ig_states *s, int language,
                      const ig_sentence_list *text, ig_err *err);
