/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims on the numbers that their paper prints: a statement that is false there does not test
 * what the paper says.
 */
#pragma once

#include "experiment/experiment.h"
#include "report/results/results_claims.h"

typedef struct {
    const char
        *by; /* the set of proxies through which it is read; NULL: the quantities themselves */
    double more, less;
    bool holds;
} ig_paper_reading;

typedef struct {
    const ig_claim_comparison *what; /* borrowed */
    ig_on_paper verdict;             /* it holds where all readings do */
    ig_paper_reading *reading;
    int n_reading;
} ig_paper_comparison;

typedef struct {
    const ig_claim *claim; /* borrowed */
    ig_on_paper verdict;
    ig_paper_comparison *comparison; /* [claim->n_comparison] */
} ig_paper_claim;

typedef struct {
    ig_paper_claim *claim;
    int n_claim;
    int n_verdict[IG_N_ON_PAPER];
    ig_pool pool;
} ig_paper_claims;

/* Counts the means of each statement that lie within the spread that the paper prints, where the
 * experiment has the paper's size (`at:` of the reference file). */
ig_code ig_paper_spread(ig_claim_results *out, const ig_experiment *e, const ig_results *r,
                        ig_err *err);
/* `e` must outlive `out`. Freed with ig_paper_claims_free, also after an error. */
ig_code ig_paper_claims_make(ig_paper_claims *out, const ig_experiment *e, ig_err *err);
void ig_paper_claims_free(ig_paper_claims *c);
/* A row for each claim, and below it a line for each reading of its comparisons. */
ig_code ig_paper_claims_table(ig_table **out, const ig_paper_claims *c, ig_err *err);
/* [{"id", "text", "source", "statement", "on_paper", "comparisons": [{"text", "role", "on_paper",
 * "readings": [{"by", "more", "less", "holds"}]}]}] */
json_t *ig_paper_claims_json(const ig_paper_claims *c);
