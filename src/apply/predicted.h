/* SPDX-License-Identifier: Apache-2.0
 *
 * Probabilities of tokens of sentences: those that are masked, or, of a causal model, the next
 * ones; and from them a sentence's log-likelihood, exact of a causal model, else the
 * pseudo-log-likelihood (Salazar et al. 2020, "Masked Language Model Scoring", §2.2). Sentences
 * wait until a batch is full.
 */
#pragma once

#include "apply/states.h"

/* Zeroed: nothing waits. Freed with ig_predicted_free. */
typedef struct {
    int32_t *start, *language, *id, *pos, *seg, *row, *label;
    double **to; /* [n] where a token's −log p is added; NULL: nowhere */
    int64_t have[8];
    int32_t n_seq, n_tok, n;
    int64_t n_predicted; /* of all batches so far */
    double sum;          /* their −log p */
} ig_predicted;

/* Bits that say what happens to a token. */
enum { IG_TOKEN_MASKED = 1, IG_TOKEN_PREDICTED = 2 };

/* Adds [CLS] tokens [SEP] of a language, of the two those that it has; what[tokens->n + 2]. A token
 * that is predicted is so from the state that the model predicts it from, and none is that has no
 * such state before it: [CLS], or the first token of a model without. *to gets −log p of each when
 * the batch runs (NULL: only the sums). */
ig_code ig_predicted_put(ig_predicted *p, ig_states *s, const ig_tokens *tokens, int language,
                         const uint8_t *what, double *to, ig_err *err);
/* Runs what waits. */
ig_code ig_predicted_run(ig_predicted *p, ig_states *s, ig_err *err);
void ig_predicted_free(ig_predicted *p);

/* Adds the sentence's negative log-likelihood to *to, once the batch that it is in has run: of a
 * causal model Σ −log p(token | those before), [SEP] too; else Σ −log p(token | all others), each
 * token masked in turn. `whole_words`: tokens of the same word after it are masked, too, so that
 * the rest of a word does not tell its beginning (Kauf & Ivanova 2023, "A Better Way to Do Masked
 * Language Model Scoring", PLL-word-l2r). *cut: it was longer than the model's positions. */
ig_code ig_likelihood_put(ig_predicted *p, ig_states *s, const ig_states_sentence *of,
                          bool whole_words, double *to, bool *cut, ig_err *err);
