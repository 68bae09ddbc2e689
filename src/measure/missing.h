/* SPDX-License-Identifier: Apache-2.0
 *
 * Reasons why a measure of two languages cannot be computed, and what would make it possible: one
 * line each.
 */
#pragma once

#include "measure/measure.h"

/* "" for a measure that can be computed or was not requested. */
typedef struct {
    char mu[400], rho[192], tau[192], perplexity[96], positions[96], gradients[96], shift[96];
} ig_measure_missing;

/* Fills in the reasons from measured results. */
void ig_measure_missing_of(ig_measure_missing *m, const ig_measure_result *r);
/* Fills in the reasons from the first two languages of a development text, before anything is
 * measured. */
ig_code ig_measure_missing_in(ig_measure_missing *m, const ig_corpus *dev, ig_err *err);

/* {"mu": …, "rho": …, "tau": …, "perplexity": …, "positions": …, "gradients": …, "shift": …}
 * without what is ""; NULL: nothing is missing. */
json_t *ig_measure_missing_json(const ig_measure_missing *m);
