/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures of a model (the JSON object of `isoglot eval` and of a run's measures.json,
 * docs/measures-json.md) as metrics of the store: which number is which task (docs/quantities.md),
 * said once.
 */
#pragma once

#include "base/pool.h"
#include "store/store.h"

#include <jansson.h>

typedef struct {
    ig_store_metric *metric; /* [n] */
    int64_t n, capacity;
    ig_pool pool; /* of their strings */
} ig_store_metrics;

/* What they were taken of. */
typedef struct {
    const char *split; /* what their development text is called: "dev" (copied) */
    int64_t step;
    bool last;
    bool by_batch;     /* the run's own perplexity is the mean over batches, not over tokens */
    const char *where; /* the file's path, for messages */
} ig_store_measured;

/* Appends what `measures` holds; null and missing measures give nothing. A part that is not what it
 * should be is IG_ERR_INPUT. Start with a zeroed struct, free with ig_store_metrics_free. */
ig_code ig_store_metrics_add(ig_store_metrics *m, const json_t *measures,
                             const ig_store_measured *of, ig_err *err);
/* Appends loss and accuracy of a line of a training's log, those that it has. */
ig_code ig_store_metrics_log(ig_store_metrics *m, const json_t *line, int64_t step, bool last,
                             ig_err *err);
/* Appends one value, whose strings are copied. */
ig_code ig_store_metrics_put(ig_store_metrics *m, const ig_store_metric *one, ig_err *err);
void ig_store_metrics_free(ig_store_metrics *m);
