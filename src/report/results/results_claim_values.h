/* SPDX-License-Identifier: Apache-2.0
 *
 * What a claim's comparisons are computed from: values by seed of their sides.
 */
#ifndef IG_REPORT_RESULTS_RESULTS_CLAIM_VALUES_H
#define IG_REPORT_RESULTS_RESULTS_CLAIM_VALUES_H

#include "report/results/results_claims.h"
#include "report/results/results_internal.h"

/* A value of each seed, ascending. */
typedef struct {
    int64_t n, *seed;
    double *value;
} ig_claim_values;

/* Of a side with terms, over the seeds that all of them have. *missing, NULL before, says in one
 * line what is not there. Memory is the pool's. */
ig_code ig_claim_values_make(ig_claim_values *out, const char **missing, const ig_results *r,
                             const ig_claim_side *side, ig_pool *pool, ig_err *err);

#endif
