/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the parts of a report: one figure of the file, made from results and
 * models.
 */
#pragma once

#include "lab/report/lab_report.h"
#include "report/figure/figure.h"

enum { IG_LEFT_OUT = 400 };
/* Figure `i` of the file; free `f` with ig_figure_free, also after an error. `left_out` says which
 * of its cells are not shown and why ("": all are); a figure of none is IG_ERR_INPUT. */
ig_code ig_lab_report_figure(ig_figure *f, char left_out[IG_LEFT_OUT], const ig_lab_report *r,
                             int i, ig_err *err);

/* The losses that the logs of the first runs of the report have, *n_run of them; free `f` with
 * ig_figure_free, also after an error. */
ig_code ig_lab_report_loss(ig_figure *f, int *n_run, const ig_lab_report *r, ig_err *err);

/* Returns what the store's records, or the file of results, say of the examples that a run's
 * fine-tunings read (ig_lab_examples); NULL: nothing. Owned by the caller. */
json_t *ig_lab_report_examples(const ig_lab_report *r, const ig_store_entry *e);
/* ig_experiment_tasks_json, with the examples that were read for each way of fine-tuning, as far as
 * they are known. */
json_t *ig_lab_report_tasks(const ig_lab_report *r);

/* A column of which no file says more. */
ig_code ig_lab_report_column(ig_column *c, const char *quantity, const char *where, ig_err *err);
/* The tables of a file without tables, *n of them: r->own_spec. Those of other texts and of tasks
 * get their columns by ig_lab_report_own_columns; `one`: columns are chosen, hence one table. */
ig_code ig_lab_report_own(int *n, ig_lab_report *r, bool one, ig_err *err);
/* Their columns that the results decide; a table that has none is taken away. */
ig_code ig_lab_report_own_columns(ig_lab_report *r, ig_err *err);

/* The results of files as the store would give them: r->file, r->stored. */
ig_code ig_lab_report_read_files(ig_lab_report *r, const char *const *path, int n, ig_err *err);

/* Marks runs in r->stored that were measured otherwise than requested as missing; the log reports
 * how many and why. */
ig_code ig_lab_report_cover(ig_lab_report *r, ig_err *err);

/* Marks the cells none of whose languages have a piece in common. */
void ig_lab_report_apart(ig_lab_report *r);
/* Adds to a table's columns what stands beside τ and μ where languages share strings. */
ig_code ig_lab_report_shared(ig_lab_report *r, int table, ig_err *err);

/* Finds how large the models of its base cell are, comparable among pre-trainings (0: static
 * vectors), and whether their text is natural. */
void ig_lab_claims_size(double *size, bool *natural, const ig_experiment *e);
