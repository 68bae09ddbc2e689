/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a finished run's fine-tunings (tasks.json, lab_tasks.h) as metrics of the store.
 */
#pragma once

#include "store/row.h"

/* The mean over the seeds of fine-tuning, of the test data (where there are none, of the
 * development data). The task's name is the split; tags say which way of fine-tuning of a grid
 * (lr=1e-5) and which score is meant (select=last, best=2, length=10, label=B-LOC, of a spread
 * of=accuracy), as report/table/spec.h has them. */
ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err);

/* scores.json of the fine-tunings that tasks.json tells of, those that are there. Freed with
 * ig_free. */
typedef struct {
    char task[32], way[64]; /* way "": there is no grid */
    int64_t seed;           /* of fine-tuning */
    char path[96];          /* below the run's folder */
} ig_lab_score_file;
ig_code ig_lab_score_files(ig_lab_score_file **out, int *n, const char *dir, ig_err *err);
