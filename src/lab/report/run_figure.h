/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures that look into the model of one run: positions, tokens, states, alignment
 * (docs/figures.md). What the run was is read from its folder, as for an evaluation.
 */
#ifndef IG_LAB_REPORT_RUN_FIGURE_H
#define IG_LAB_REPORT_RUN_FIGURE_H

#include "report/figure/figure.h"
#include "report/table/spec.h"

#include <jansson.h>

enum { IG_RUN_FIGURE_MAX_LAYER = 24 };

typedef struct {
    int a, b;         /* the two languages, by number */
    const char *pair; /* as ig_language_pair has it, in their place; NULL: a and b */
    int64_t step;     /* the checkpoint of that update; −1: the newest */
    /* Of states and alignment, a panel each: a number, IG_LAYER_LOW, IG_LAYER_HIGH. None: HIGH. */
    int layer[IG_RUN_FIGURE_MAX_LAYER];
    int n_layer;
    /* positions: of each language (default: as many as its sequences may have); tokens: words with
     * names (16); states: sentences (100); alignment: sentence pairs (1). 0: the default. */
    int64_t count;
    int64_t sentence; /* alignment: number of the first pair; −1: the first of 6 to 14 pieces */
    int n_thread;     /* 0: as many as this process may use */
} ig_run_figure_options;

/* Languages 0 and 1, the newest checkpoint, defaults for the rest. */
ig_run_figure_options ig_run_figure_defaults(void);

/* Adds the panels of one run to a figure; `name` (NULL: none) begins their titles. `numbers` (NULL:
 * not wanted) is an array that gets an object for each panel: what the picture shows, in numbers.
 * A kind that does not show one model, a layer, language or sentence that there is not:
 * IG_ERR_USAGE. */
ig_code ig_run_figure_add(ig_figure *f, ig_figure_kind kind, const char *dir, const char *name,
                          const ig_run_figure_options *o, json_t *numbers, ig_err *err);

#endif
