/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of killed processes in a store that nobody will resume: temporary files, incomplete
 * checkpoints, fine-tunings whose scores exist already.
 */
#pragma once

#include "lab/runs/lab_list.h"

/* Cleans the folder of a run that no process works on; *n counts removed files. With `tasks`, the
 * tasks of an experiment, also unfinished fine-tunings that it does not request; NULL: they stay.
 * Nothing is removed while another process holds the run. */
ig_code ig_lab_clean_run(int64_t *n, const char *dir, const ig_experiment *tasks, ig_err *err);
/* Cleans a whole store; `e` (may be NULL) applies only to its own runs. */
ig_code ig_lab_clean_store(int64_t *n, const char *store, const ig_experiment *e,
                           const ig_lab_list *own, ig_err *err);
