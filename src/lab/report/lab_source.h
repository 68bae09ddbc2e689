/* SPDX-License-Identifier: Apache-2.0
 *
 * Results without their experiment's file: of a store's folder, or of a file that `isoglot export`
 * wrote. The cells are those that it names, the values all that it has.
 */
#pragma once

#include "report/results/results.h"
#include "report/results/results_file.h"

typedef struct {
    char *experiment; /* name and variants */
    ig_store_result stored;
    ig_results results;
} ig_lab_source;

/* Returns whether a path is one of these and no experiment file: a folder, or a name that ends with
 * .jsonl.
 */
bool ig_lab_is_source(const char *path);
/* `experiment` NULL: the only one that is there; another number of them is IG_ERR_USAGE with their
 * names. last_only: values of finished models alone. `path` must outlive the source. Freed with
 * ig_lab_source_close, also after an error. */
ig_code ig_lab_source_open(ig_lab_source *s, const char *path, const char *experiment,
                           bool last_only, ig_err *err);
void ig_lab_source_close(ig_lab_source *s);
/* The order of entries (ig_store_entry): cells as their file has them, then seeds. */
int ig_lab_by_cell(const void *x, const void *y);
/* Names of the experiments that are there; their memory is the pool's. */
ig_code ig_lab_source_experiments(const char ***name, int64_t *n, ig_pool *pool, const char *path,
                                  ig_err *err);

/* Appends loss and accuracy at every logged step of a run of a store; none where there is no log.
 */
ig_code ig_lab_log_rows(ig_row_set *to, const char *store, const char *address, ig_err *err);
/* Adds every measure that the runs have, at the layers of μ; of what compares languages all pairs
 * together, of scores after fine-tuning no details. */
ig_code ig_lab_measured(ig_quantity_list *to, const ig_store_result *s, ig_err *err);
