/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of a finished run that are set aside. Two files may ask for measures of one run that
 * cannot stand side by side: over 10 sentences and over 100, of two texts of one name, of a task
 * that was fine-tuned in two ways. The run's folder has those of the last request; the others stay
 * as a finished run beside it, whose model and data are links to the first one's:
 *
 *   STORE/runs/<address>/measured/<address of the other>   empty
 *   STORE/runs/<address of the other>/DONE, manifest.json, measures.json, tasks.json, …
 */
#pragma once

#include "apply/folder/run_folder.h"
#include "lab/runs/lab_list.h"

/* The address of what was set aside of a run: a hash of the run's address and of "measure" of its
 * manifest. */
ig_code ig_lab_aside_address(char out[IG_ADDRESS], const char *address, const json_t *measured,
                             ig_err *err);
/* Before a finished run is measured or fine-tuned as `want` says: sets its present measures aside
 * unless the new ones will have them all. The run is as it was. Only under the run's lock. */
ig_code ig_lab_set_aside(const char *dir, const ig_measure_plan *want, ig_err *err);
/* Where the measures that are wanted were set aside of the run in a folder. False: the run's own
 * are those, or nothing that was set aside has them. */
typedef struct {
    char address[IG_ADDRESS], dir[IG_PATH];
} ig_lab_aside;
bool ig_lab_aside_find(ig_lab_aside *a, const char *dir, const ig_measure_plan *want);
/* Removes what was set aside, which is damaged; the run itself is as it was. */
ig_code ig_lab_aside_drop(const ig_lab_aside *a, const char *dir, ig_err *err);
