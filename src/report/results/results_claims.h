/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts on the claims of an experiment by its runs (report/table/claim.h).
 *
 * A comparison is tested over the seeds that its cells share: the sign-flip permutation test of the
 * mean of more − less (base/numeric/statistics.h), two-sided, with Holm's correction over all
 * comparisons of the experiment. p < .05 supports or contradicts it, by the sign of the mean.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/claim.h"
#include "report/table/table.h"

#include <jansson.h>

typedef enum {
    IG_CLAIM_SUPPORTED,
    IG_CLAIM_CONTRADICTED,
    IG_CLAIM_UNDECIDED,
    IG_CLAIM_NOT_MEASURED
} ig_verdict;
/* supported, contradicted, undecided, not measured */
const char *ig_verdict_name(ig_verdict v);

enum { IG_CLAIM_SEEDS_AT_MOST = 1000 }; /* more are not practical */

typedef struct {
    const ig_claim_comparison *what; /* borrowed */
    ig_verdict verdict;
    ig_paired paired; /* more − less; .n 0: not measured */
    /* For an undecided claim, the number of seeds that would decide it if the difference stayed the
     * same: what a paired t test needs (power .8), and the permutation test can show, at 5 % of all
     * comparisons of the experiment (Bonferroni, so Holm needs no more). −1: not known, or more
     * than IG_CLAIM_SEEDS_AT_MOST. */
    int64_t seeds_needed;
    const char *missing; /* NULL; else what is not measured, one line */
} ig_claimed;

typedef struct {
    const ig_claim *claim; /* borrowed */
    ig_verdict verdict;
    int64_t seeds_needed;       /* of a claim that is undecided; −1: not known */
    const ig_claimed *compared; /* [claim->n_comparison] */
    double operations; /* floating-point operations of the pre-trainings that would decide it; 0: of
                          none, or not known */
} ig_claim_result;

/* Operations of one core an hour where nothing was timed: the speed of a laptop. */
#define IG_CLAIM_OPERATIONS_A_SECOND 100e9

typedef struct {
    ig_claim_result *claim; /* [n_claim] */
    int n_claim;
    int n_verdict[IG_CLAIM_NOT_MEASURED + 1]; /* claims of each */
    const char *data; /* texts and models it was measured on; NULL: not given */
    bool tuned;       /* models are fine-tuned, too, which .operations do not count */
    ig_pool pool;
} ig_claim_results;

/* `r` and `claim` must outlive `out`. Freed with ig_claim_results_free, also after an error. */
ig_code ig_claim_results_make(ig_claim_results *out, const ig_results *r, const ig_claim *claim,
                              int n_claim, ig_err *err);
void ig_claim_results_free(ig_claim_results *c);
/* Keeps a copy of the line. */
ig_code ig_claim_results_measured_on(ig_claim_results *c, const char *data, ig_err *err);
enum { IG_CLAIM_COST_TEXT = 100 };
/* "2 h 09 min of one core at 100 GFLOP/s, without fine-tuning"; "": it costs nothing or is not
 * known. */
const char *ig_claim_cost(char out[IG_CLAIM_COST_TEXT], const ig_claim_results *c,
                          const ig_claim_result *of);

/* A row for each claim, and below it a line for each comparison. Freed with ig_table_free. */
ig_code ig_claim_results_table(ig_table **out, const ig_claim_results *c, ig_err *err);
/* [{"id", "text", "source", "statement", "proxy", "needs", "verdict", "data", "seeds_needed",
 * "operations", "comparisons": [{"text", "verdict", "n", "difference", "low", "high", "p",
 * "p_holm", "seeds_needed", "missing"}]}] */
json_t *ig_claim_results_json(const ig_claim_results *c);
