/* SPDX-License-Identifier: Apache-2.0
 *
 * Perplexity from the negative log probabilities of predicted tokens (masked ones:
 * pseudo-perplexity; the next ones of a causal model: perplexity): token-weighted, as the text of
 * Dufter & Schütze 2020, §2.2.2 defines it, and as their program computes it (exp of the unweighted
 * mean of the batches' mean losses, so that the last, smaller batch weighs as much as a full one).
 */
#include "measure/perplexity.h"

#include "base/numeric/sums.h"
#include "measure/measure_list.h"

#include <math.h>

void ig_perplexity_add(ig_perplexity *p, const double *nll, int64_t n)
{
    if (n == 0)
        return;
    const double s = ig_sum(nll, n);
    p->n_token += n;
    p->sum += s;
    p->n_batch++;
    p->sum_batch += s / (double)n;
}

double ig_perplexity_by_token(const ig_perplexity *p)
{
    return p->n_token ? exp(p->sum / (double)p->n_token) : (double)NAN;
}

double ig_perplexity_by_batch(const ig_perplexity *p)
{
    return p->n_batch ? exp(p->sum_batch / (double)p->n_batch) : (double)NAN;
}

#define PERPLEXITY .version = 1, .split = "dev", .better = -1

/* Named by the run's languages, not by pairs: the store reads them separately (measure.c). */
const ig_store_task ig_numbers_perplexity[] = {
    {"perplexity", "perplexity",
     "pseudo-perplexity of masked tokens (of a causal model: exact, of next tokens), by the run's "
     "own mean",
     PERPLEXITY},
    {"perplexity_by_token", "perplexity (by token)", "the same, mean over predicted tokens",
     PERPLEXITY},
    {"perplexity_by_batch", "perplexity (by batch)", "the same, unweighted mean over batches",
     PERPLEXITY},
    {"perplexity_causal", "perplexity (next token)",
     "exact perplexity of next tokens, of models with causal batches", PERPLEXITY},
    {0}};
const ig_measure_kind ig_measure_kind_perplexity = {.number = ig_numbers_perplexity};
