/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as a file that is kept and compared: a line of JSON for each run and for each of its
 * rows, which `isoglot export` takes from a store and `isoglot report --results` reads without
 * one. Format: docs/formats.md, "Results".
 */
#pragma once

#include "report/results/results.h"

#include <jansson.h>
#include <stdio.h>

typedef struct {
    const char *path; /* borrowed from who named it */
    /* Its runs as the store has them, done, as the file has them; .cell.order is 0. */
    ig_store_result stored;
    const char **experiment; /* [n_experiment] of which it holds results: name and variants */
    int n_experiment;
} ig_result_file;

/* All of a file, or IG_ERR_INPUT with the line that is not as docs/formats.md says, what was found
 * there and what was expected. Freed with ig_result_file_free, also after an error. */
ig_code ig_result_file_read(ig_result_file *f, const char *path, ig_err *err);
void ig_result_file_free(ig_result_file *f);

/* The line that begins the results of an experiment, of n_run runs. */
ig_code ig_result_file_begin(FILE *fp, const char *experiment, int64_t n_run, ig_err *err);
/* A finished run and rows of it; `examples`: of its fine-tunings, NULL or empty: not known. */
ig_code ig_result_file_put(FILE *fp, const ig_store_entry *e, json_t *examples, const ig_row *row,
                           int64_t n, ig_err *err);
/* Rows as CSV, where each line is complete by itself, those that the run's columns give among them
 * (seconds); e NULL: the head. */
ig_code ig_result_file_csv(FILE *fp, const ig_store_entry *e, const ig_row *row, int64_t n,
                           ig_err *err);
