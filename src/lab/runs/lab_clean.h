/* SPDX-License-Identifier: Apache-2.0
 *
 * What killed processes have left in a store and nobody goes on with: files under temporary names,
 * checkpoints that are not whole, fine-tunings whose scores are there already.
 */
#pragma once

#include "lab/runs/lab_list.h"

/* Of the folder of a run that no process works on; *n counts what was removed. With `tasks`, the
 * tasks of an experiment, also fine-tunings that were begun and that it does not ask for; NULL:
 * they stay. Nothing is removed while another process holds the run. */
ig_code ig_lab_clean_run(int64_t *n, const char *dir, const ig_experiment *tasks, ig_err *err);
/* Of all of a store; `e` (may be NULL) is asked for its own runs alone. */
ig_code ig_lab_clean_store(int64_t *n, const char *store, const ig_experiment *e,
                           const ig_lab_list *own, ig_err *err);
