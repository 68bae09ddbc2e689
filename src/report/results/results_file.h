/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as a file that is kept and compared: a line of JSON for each run and for each of its
 * values, which `isoglot export` takes from a store and `isoglot report --results` reads without
 * one. Format: docs/formats.md, "Results".
 */
#pragma once

#include "report/results/results.h"

#include <stdio.h>

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct {
    ig_store_entry entry; /* as the store has it, done; .cell.order is 0; metrics are the file's */
    const char *settings; /* 16 digits: what the settings of the run were (experiment.h); NULL: not
                             told */
    uint64_t line;        /* where it begins */
} ig_result_file_run;

typedef struct {
    const char *path;        /* borrowed from who named it */
    ig_result_file_run *run; /* [n_run] as the file has them */
    int64_t n_run;
    ig_row *metric; /* [n_metric] of each run in the store's order */
    int64_t n_metric;
    const char **experiment; /* [n_experiment] of which it holds results: name and variants */
    int n_experiment;
    ig_pool pool;
} ig_result_file;

/* All of a file, or IG_ERR_INPUT with the line that is not as docs/formats.md says, what was found
 * there and what was expected. Freed with ig_result_file_free, also after an error. */
ig_code ig_result_file_read(ig_result_file *f, const char *path, ig_err *err);
void ig_result_file_free(ig_result_file *f);

/* --- writing ---------------------------------------------------------------------------------- */

/* A value of a run, under the name that tables have for it. */
typedef struct {
    ig_quantity quantity;
    int layer; /* −1: none */
    int64_t step, n;
    bool last; /* of the finished model */
    int task_version;
    double value;
} ig_result_line;

/* A finished run that is written. */
typedef struct {
    const ig_results *results;
    const ig_result_cell *cell;
    const ig_store_entry *entry;
    const char *settings; /* 16 digits; NULL: not known. CSV has none */
} ig_result_written;

typedef struct {
    const ig_quantity *final; /* [n_final] of finished models */
    int n_final;
    const ig_quantity *curve; /* [n_curve] of every checkpoint */
    int n_curve;
} ig_result_wanted;

/* The values that a run has of these quantities, in the order of their names and steps, each once,
 * whatever it is called twice. What is of the training itself (seconds) is told with the run.
 * *out is freed with ig_free. */
ig_code ig_result_lines_of(ig_result_line **out, int64_t *n, const ig_result_written *run,
                           const ig_result_wanted *what, ig_err *err);

/* The line that begins the results of an experiment. */
ig_code ig_result_file_begin(FILE *fp, const char *experiment, ig_err *err);
/* A run and its values. */
ig_code ig_result_file_put(FILE *fp, const ig_result_written *run, const ig_result_line *line,
                           int64_t n, ig_err *err);
/* The values as CSV, where each line is complete by itself. */
ig_code ig_result_file_csv_begin(FILE *fp, ig_err *err);
ig_code ig_result_file_csv(FILE *fp, const ig_result_written *run, const ig_result_line *line,
                           int64_t n, ig_err *err);
