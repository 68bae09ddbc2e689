/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts on the claims of an experiment by its runs (report/table/claim.h).
 *
 * Each comparison is a contrast of means over seeds (ig_contrast), its interval adjusted for the
 * number of claims of the paper and, where seeds were added to a claim that had been tested, for
 * the times it was tested. An interval above 0 supports it, one below 0 contradicts it. Comparisons
 * joined by `and` must all hold, which needs no further adjustment (an intersection-union test);
 * parts joined by `or` are adjusted for their number, too.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/claim.h"
#include "report/table/table.h"

#include <jansson.h>

typedef enum {
    IG_CLAIM_SUPPORTED,
    IG_CLAIM_CONTRADICTED,
    IG_CLAIM_PARTLY, /* of several comparisons some are supported, the rest undecided */
    IG_CLAIM_UNDECIDED,
    IG_CLAIM_NOT_TESTABLE,   /* its premise fails: there is nothing to lose, say */
    IG_CLAIM_AT_FLOOR,       /* its premise fails against the majority's or a random score */
    IG_CLAIM_NOT_COMPARABLE, /* the design decides nothing: its caveat says why */
    IG_CLAIM_NOT_MEASURED,
    IG_N_VERDICT
} ig_verdict;
/* supported, contradicted, partly, undecided, not testable here, at floor, not comparable, not
 * measured */
const char *ig_verdict_name(ig_verdict v);
/* More runs might decide it: partly, undecided, not measured. */
bool ig_verdict_is_open(ig_verdict v);

/* The verdict of a claim on the numbers that its paper prints. */
typedef enum {
    IG_ON_PAPER_NONE, /* the claim is in no paper */
    IG_ON_PAPER_NO_NUMBERS,
    IG_ON_PAPER_HOLDS,
    IG_ON_PAPER_FAILS,
    IG_ON_PAPER_VACUOUS, /* it holds of models that know nothing, and has no premise */
    IG_N_ON_PAPER
} ig_on_paper;
/* not in a paper, no numbers, holds, fails, vacuous */
const char *ig_on_paper_name(ig_on_paper p);
/* statement, premise, control */
const char *ig_claim_role_name(ig_claim_role r);

enum { IG_CLAIM_SEEDS_AT_MOST = 1000 }; /* more are not practical */

typedef struct {
    const ig_claim_comparison *what; /* borrowed */
    ig_verdict verdict;
    ig_contrast tested; /* more − less; .n 0: not measured */
    /* For an undecided one, the number of seeds that would decide it if the difference stayed the
     * same (power .8). −1: not known, or more than IG_CLAIM_SEEDS_AT_MOST. */
    int64_t seeds_needed;
    const char *missing; /* NULL; else what is not measured, one line */
} ig_claimed;

typedef struct {
    const ig_claim *claim; /* borrowed */
    ig_verdict verdict;
    int64_t seeds_needed;       /* of a claim that is undecided; −1: not known */
    const ig_claimed *compared; /* [claim->n_comparison] */
    double operations, seconds; /* floating-point operations of the pre-trainings that would decide
                                   it, and their time on one core; 0: of none, or not known */
    ig_on_paper on_paper;
    /* Among n_spread means of the statement of which the paper prints mean and spread, measured at
     * its size, so many lie within. */
    int n_within, n_spread;
} ig_claim_result;

typedef struct {
    ig_claim_result *claim; /* [n_claim] */
    int n_claim;
    int n_verdict[IG_N_VERDICT]; /* claims of each, */
    int n_ours[IG_N_VERDICT];    /* those of them that are in no paper */
    int family;                  /* claims of the paper, for which intervals are adjusted */
    const char *data;            /* texts and models it was measured on; NULL: not given */
    bool tuned;                  /* models are fine-tuned, too, which .seconds do not count */
    ig_pool pool;
} ig_claim_results;

/* `family`: number of the paper's claims; fewer than those given count as that many. `r` and
 * `claim` must outlive `out`. Freed with ig_claim_results_free, also after an error. */
ig_code ig_claim_results_make(ig_claim_results *out, const ig_results *r, const ig_claim *claim,
                              int n_claim, int family, ig_err *err);
void ig_claim_results_free(ig_claim_results *c);
/* The correlation of a term, Spearman's or Kendall's; NaN of too few cells. */
ig_code ig_claim_correlate(double *out, const ig_claim_term *t, const double *x, const double *y,
                           int64_t n, ig_err *err);
/* Keeps a copy of the line. */
ig_code ig_claim_results_measured_on(ig_claim_results *c, const char *data, ig_err *err);
enum { IG_CLAIM_COST_TEXT = 100 };
/* "2 h 09 min of one core, without fine-tuning"; "": it costs nothing or is not known. */
const char *ig_claim_cost(char out[IG_CLAIM_COST_TEXT], const ig_claim_results *c,
                          const ig_claim_result *of);

/* A row for each claim, and below it a line for each comparison. Freed with ig_table_free. */
ig_code ig_claim_results_table(ig_table **out, const ig_claim_results *c, ig_err *err);
/* [{"id", "text", "source", "statement", "proxy", "needs", "caveat", "after", "looks", "verdict",
 * "data", "on_paper", "within_spread", "family", "seeds_needed", "operations", "seconds",
 * "comparisons":
 * [{"text", "role", "verdict", "n", "difference", "low", "high", "level", "p", "p_adjusted",
 * "seeds_needed", "missing"}]}] */
json_t *ig_claim_results_json(const ig_claim_results *c);
