/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of cells as tables, claims and comparisons of two results have them: the values of a
 * cell, the tests (ig_contrast), and how their outcome is shown.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

#include <jansson.h>

/* A value of each seed, ascending; NaN where a seed has none. */
typedef struct {
    ig_result_value *value; /* [n] */
    int64_t n;
    ig_summary summary; /* of those that are finite */
    int layer;          /* of these; −1: none, or not the same for all */
} ig_seed_values;

/* Values of the runs of a cell at a step; −1: of finished models. */
ig_code ig_seed_values_of(ig_seed_values *out, ig_pool *pool, const ig_results *r,
                          const ig_result_cell *c, const ig_quantity *q, int64_t step, ig_err *err);
/* Summarises those that are finite, times `times`. */
ig_code ig_seed_values_summary(ig_summary *out, ig_pool *pool, const ig_seed_values *v,
                               double times, ig_err *err);
/* b − a, one of n_test tests; .n 0 where one has no values. */
ig_contrast ig_result_difference(const ig_summary *b, const ig_summary *a, int n_test);

/* Seeds that would show a difference at a level (two-sided, power 0.8), more than it has; −1: not
 * known. */
int64_t ig_result_seeds_needed(const ig_contrast *c, double level);

/* Columns of a contrast: difference, interval, seeds, p, p times the tests, seeds needed. */
enum { IG_CONTRAST_DIFFERENCE };
void ig_contrast_columns(ig_table *t, const char *difference, const char *needed);
/* Fills them in from column `first` on; absent is what is not known. */
void ig_contrast_cells(ig_table *t, int64_t row, int first, const ig_contrast *c, int digits,
                       int64_t seeds_needed);
/* Two digits of a spread. */
int ig_contrast_digits(double sd);
/* Adds "difference", "low", "high", "p", "p_adjusted", "seeds_needed" to an object. */
void ig_contrast_json(json_t *to, const ig_contrast *c, int64_t seeds_needed);
