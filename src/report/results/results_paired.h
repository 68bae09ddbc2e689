/* SPDX-License-Identifier: Apache-2.0
 *
 * Paired comparisons over seeds, as tables, claims and comparisons of two results have them: the
 * values of both sides, the tests, and how their outcome is shown.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

#include <jansson.h>

/* A value of each seed, ascending; NaN where a seed has none. */
typedef struct {
    ig_result_value *value; /* [n] */
    int64_t n;
} ig_seed_values;

/* Values of the runs of a cell, finished models. */
ig_code ig_seed_values_of(ig_seed_values *out, ig_pool *pool, const ig_results *r,
                          const ig_result_cell *c, const ig_quantity *q, ig_err *err);
/* Pairs the values of the seeds that both have. */
ig_code ig_seed_values_pair(ig_pairs *out, ig_pool *pool, const ig_seed_values *a,
                            const ig_seed_values *b, ig_err *err);
/* Compares those of p[n] that have pairs, with Holm's correction over them; *out is [n], .n 0 of
 * the others. */
ig_code ig_result_test(ig_paired **out, ig_pool *pool, const ig_pairs *p, int n, ig_err *err);

/* Pairs that would show a difference (5 %, two-sided, power 0.8), no fewer than the permutation
 * test needs for that; −1: not known. */
int64_t ig_result_seeds_needed(const ig_paired *p);

/* Columns of a comparison: difference, interval, seeds, p, Holm's p, seeds needed. */
enum { IG_PAIRED_DIFFERENCE };
void ig_paired_columns(ig_table *t, const char *difference, const char *needed);
/* Fills them in from column `first` on; absent is what is not known. */
void ig_paired_cells(ig_table *t, int64_t row, int first, const ig_paired *p, int digits,
                     int64_t seeds_needed);
/* Two digits of a spread. */
int ig_paired_digits(double sd);
/* Adds "difference", "low", "high", "p", "p_holm", "seeds_needed" to an object. */
void ig_paired_json(json_t *to, const ig_paired *p, int64_t seeds_needed);
