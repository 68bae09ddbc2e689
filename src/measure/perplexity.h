/* SPDX-License-Identifier: Apache-2.0
 *
 * Perplexity: exp of the mean negative log probability (natural) of the predicted tokens, the
 * masked ones of a masked language model (pseudo-perplexity) or the next ones of a causal model.
 * Token-weighted (Dufter & Schütze 2020, §2.2.2), and as their program has it: exp of the
 * unweighted mean of the batches' means.
 */
#pragma once

#include <stdint.h>

/* Zeroed to begin with. */
typedef struct {
    int64_t n_token;  /* masked tokens */
    double sum;       /* Σ nll */
    int64_t n_batch;  /* batches with at least one masked token */
    double sum_batch; /* Σ over batches of the batch's mean nll */
} ig_perplexity;

/* nll[n] of one batch; n = 0 changes nothing. */
void ig_perplexity_add(ig_perplexity *p, const double *nll, int64_t n);

/* NaN when nothing was added. */
double ig_perplexity_by_token(const ig_perplexity *p);
double ig_perplexity_by_batch(const ig_perplexity *p);
