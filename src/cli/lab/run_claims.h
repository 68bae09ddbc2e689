/* SPDX-License-Identifier: Apache-2.0
 *
 * Which runs of an experiment would decide its claims: `isoglot run --claims undecided`.
 */
#pragma once

#include "experiment/experiment.h"

/* The cells, as a selector, of the claim that the least computing would decide: of those that are
 * undecided or not measured, have a statement and lack runs of the file's seeds; `tried` [n_claim]
 * are left out, and the claim is added to them. All seeds of a claim's cells are run before it is
 * looked at again, so that nobody stops when p happens to be small. *selector NULL: there is none.
 * Freed with ig_free. */
ig_code ig_run_claims_next(char **selector, bool *tried, const ig_experiment *e, const char *store,
                           ig_err *err);
/* The cells of all such claims; NULL: there is none. */
ig_code ig_run_claims_all(char **selector, const ig_experiment *e, const char *store, ig_err *err);
/* Says which claims are open though all runs of the file's seeds are done, and what would help. */
ig_code ig_run_claims_left(const ig_experiment *e, const char *store, ig_err *err);
