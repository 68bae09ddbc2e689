/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudo-perplexity of a model with a head of masked words.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/states.h"

/* Number of sentences per language, and the distance between masks. */
enum { IG_MASKED_SENTENCES = 200, IG_MASKED_EVERY = 7 };

/* exp of the mean −log p of the pieces that were masked, one in seven of the first 200 sentences:
 * piece t of sentence i where (t + i) mod 7 = 0. NaN and *n 0 where no piece is. */
ig_code ig_masked_perplexity(double *perplexity, int64_t *n, ig_states *s, int language,
                             const ig_sentence_list *text, ig_err *err);
