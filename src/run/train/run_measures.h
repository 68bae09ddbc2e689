/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures of a run while it grows. DIR/measures.jsonl has a line for each checkpoint that was
 * measured, {"step", "last", "measures"}; it is cut back to the checkpoint that a stopped run goes
 * on from, so a resumed run has every line once. A finished run has them all in DIR/measures.json,
 * which holds nothing that the clock decides: the same run gives the same bytes.
 */
#pragma once

#include "run/train/run_train.h"

/* Cuts measures.jsonl back to the lines of at most `step` updates (−1: none), and whatever a killed
 * process left of a line. */
ig_code ig_run_measures_cut(const char *dir, int64_t step, ig_err *err);
/* Adds a line and syncs it. `measures` (ig_measure_json, "pairs" set) is freed. */
ig_code ig_run_measures_add(const char *dir, int64_t step, json_t *measures, ig_err *err);
/* Whether a line of that step is there. */
ig_code ig_run_measures_has(bool *has, const char *dir, int64_t step, ig_err *err);
/* Whether the last line of such a log is {"step": step, "eval": …}; it has `bytes` at most. */
ig_code ig_run_measures_logged(bool *has, const char *log, int64_t bytes, int64_t step,
                               ig_err *err);
/* measures.json: {"isoglot_measures": 2, "training": {…}, "checkpoints": [{"step", "last",
 * "measures"}]}, and takes measures.jsonl away; where there is none the earlier checkpoints are
 * those of the measures.json that was there. `measures` is of the finished model, and is freed. */
ig_code ig_run_measures_finish(const char *dir, const ig_run_result *r, json_t *measures,
                               ig_err *err);
