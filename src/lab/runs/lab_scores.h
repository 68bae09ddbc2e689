/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a finished run's fine-tunings (tasks.json, lab_tasks.h) as metrics of the store.
 */
#pragma once

#include "store/row.h"

/* A row of each fine-tuning, model, language and score, of the test data (where there are none, of
 * the development data). The task's name is the split; tags say the way of a grid (lr=1e-5), the
 * seed of fine-tuning (tuning=0), which model it is of (by=last: the one that the fine-tuning has
 * chosen, and how; else select=last, source-dev or target-dev), what is behind a score (length=10,
 * label=B-LOC), and, of the score of development data that ways are chosen by, on=source-dev or
 * on=dev. Means and choices are results' (report/results/results_tuned.c). */
ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err);

/* Existing scores.json of the fine-tunings in tasks.json. Freed with ig_free. */
typedef struct {
    char task[32], way[64]; /* way "": there is no grid */
    int64_t seed;           /* of fine-tuning */
    char path[96];          /* below the run's folder */
} ig_lab_score_file;
ig_code ig_lab_score_files(ig_lab_score_file **out, int *n, const char *dir, ig_err *err);
