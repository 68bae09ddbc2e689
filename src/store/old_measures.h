/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures of a model as a run's folder keeps them (docs/measures.md), as rows: an array
 * "rows", or the nested objects that version 0.2 wrote, which are read until the next version.
 */
#pragma once

#include "store/row.h"

/* What they were taken of. */
typedef struct {
    int64_t step;
    bool last;
    bool by_batch;     /* version 0.2: the run's own perplexity is the mean over batches */
    const char *where; /* the file's path, for messages */
} ig_store_measured;

/* Appends what `measures` holds; null and missing measures give nothing. A part that is not what it
 * should be is IG_ERR_INPUT. Start with a zeroed set. */
ig_code ig_measures_read(ig_row_set *m, const json_t *measures, const ig_store_measured *of,
                         ig_err *err);
/* Appends loss and accuracy of a line of a training's log, those that it has. */
ig_code ig_training_log_read(ig_row_set *m, const json_t *line, int64_t step, bool last,
                             ig_err *err);
