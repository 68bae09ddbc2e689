/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of single runs without a store: what their folders hold (measures.jsonl, the
 * evaluations and losses of log.jsonl, eval.json) as the store would give it, so that figures and
 * tables of results can be made of them. Runs of one name are the seeds of one cell.
 */
#pragma once

#include "store/store.h"

typedef struct {
    const char *dir, *name;
} ig_named_run;

/* `last` are the metrics of a run's newest measured checkpoint, whether the run is finished or not.
 * A folder that is no run, or that is given twice, is an error. Freed with ig_store_result_free. */
ig_code ig_run_results(ig_store_result *out, const ig_named_run *run, int n, ig_err *err);
