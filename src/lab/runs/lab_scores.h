/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a finished run's fine-tunings (tasks.json, lab_tasks.h) as metrics of the store.
 */
#pragma once

#include "store/row.h"

#include <jansson.h>

/* A row of each fine-tuning, model, language and score, of the test data (where there are none, of
 * the development data). The task's name is the split; tags say the way of a grid (lr=1e-5), the
 * seed of fine-tuning (tuning=0), which model it is of (by=last: the one that the fine-tuning has
 * chosen, and how; else select=last, source-dev or target-dev), what a score is of (length=10,
 * label=B-LOC), and, of the score of development data that ways are chosen by, on=source-dev or
 * on=dev. Means and choices are results' (report/results/results_tuned.c). */
ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err);

/* Paths below the run's folder of the scores.json that are there of the fine-tunings in tasks.json;
 * *out is owned by the caller, also after an error. */
ig_code ig_lab_score_files(json_t **out, const char *dir, ig_err *err);

/* Returns how many examples were read of each text of the finished model's fine-tunings, {"TASK":
 * {"WAY":
 * {"en train": 6000, …}}}, by the records in the run's folder; a WAY is "" where there is no grid.
 * Without a record there is no member. Owned by the caller. */
json_t *ig_lab_examples(const char *dir);
