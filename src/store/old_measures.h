/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures of a model as a run's folder keeps them (docs/measures.md), as rows: an array
 * "rows", or the nested objects that version 0.2 wrote, which are read until the next version.
 */
#pragma once

#include "store/row.h"

/* The subject of the measures. */
typedef struct {
    int64_t step;
    bool last;
    bool by_batch;     /* version 0.2: the run's own perplexity is the mean over batches */
    const char *where; /* the file's path, for messages */
} ig_store_measured;

/* Appends the rows of `measures`; null and missing measures give none. A part of another form is
 * IG_ERR_INPUT. The set must be zeroed at first. */
ig_code ig_measures_read(ig_row_set *m, const json_t *measures, const ig_store_measured *of,
                         ig_err *err);
/* Appends loss and accuracy of a line of a training's log, those that it has. */
ig_code ig_training_log_read(ig_row_set *m, const json_t *line, int64_t step, bool last,
                             ig_err *err);
