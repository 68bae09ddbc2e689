/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sets of results side by side: of each cell that both have and each quantity, the difference
 * of their means, and in which settings their runs differ. The statistics
 * are those of tables (docs/report.md); adjusted for the cells of a quantity.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

#include <jansson.h>

typedef struct {
    const ig_result_cell *a, *b;
} ig_compared_cells;

typedef struct {
    const ig_compared_cells *cells;
    const ig_quantity *q;
    ig_summary a, b;      /* of the seeds of each */
    ig_contrast tested;   /* b − a; .n 0 where `missing` */
    int64_t seeds_needed; /* that would show it (power .8); −1: not known */
    const char *missing;  /* NULL; else why there is nothing to compare */
    bool neither;         /* it is measured on neither side: nothing is said of it */
} ig_compared;

/* A setting in which the runs of some cells differ. */
typedef struct {
    const char *key, *a, *b;         /* "config.updates", "500", "1000"; "" where one has none */
    const ig_compared_cells **cells; /* [n_cells] */
    int n_cells;
} ig_compared_setting;

typedef struct {
    ig_compared_cells *cells; /* [n_cells] in A's order */
    int n_cells;
    const char **only[2]; /* [n_only] names of cells that A or B alone has */
    int n_only[2];
    ig_compared *value; /* [n_cells, n_quantity] */
    int n_quantity;
    ig_compared_setting *setting; /* [n_setting] */
    int n_setting;
    int n_both;             /* cells of which both have a finished run */
    int n_unknown_settings; /* cells whose settings are not known: of files of results */
    ig_pool pool;
} ig_comparison;

/* `pair` has "NAME" or "NAME=NAME" of A and B; none: cells of the same name. A cell that is not
 * there is IG_ERR_USAGE with the nearest. a, b and q must outlive `out`. Freed with
 * ig_comparison_free, also after an error. */
typedef struct {
    const ig_results *a, *b;
    const ig_quantity *q; /* [n_q] */
    int n_q;
    char *const *pair; /* [n_pair] */
    int n_pair;
} ig_comparison_of;
ig_code ig_comparison_make(ig_comparison *out, const ig_comparison_of *of, ig_err *err);
void ig_comparison_free(ig_comparison *c);

/* A row for each cell and quantity, settings in the notes. Freed with ig_table_free. */
ig_code ig_comparison_table(ig_table **out, const ig_comparison *c, const char *a, const char *b,
                            ig_err *err);
/* {"isoglot_compare": 1, "a", "b", "settings": [{"key", "a", "b", "cells"}], "settings_untold",
 * "only_a", "only_b", "comparisons": [{"cell_a", "cell_b", "quantity", "n", "mean_a", "sd_a",
 * "mean_b", "sd_b", "difference", "low", "high", "p", "level", "p_adjusted", "seeds_needed",
 * "missing"}]} */
json_t *ig_comparison_json(const ig_comparison *c, const char *a, const char *b);
