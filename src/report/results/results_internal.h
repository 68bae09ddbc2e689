/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of results.h share.
 */
#pragma once

#include "report/results/results.h"
#include "report/results/results_claims.h"
#include "report/results/results_contrast.h"

#include <jansson.h>

/* Counts and times of the training itself; 0: not recorded. */
typedef struct {
    const char *name; /* of the task */
    double value;
} ig_run_number;
enum { IG_RUN_NUMBERS = 5 };
void ig_run_numbers(ig_run_number out[IG_RUN_NUMBERS], const ig_store_run *r);

/* --- scores after fine-tuning (results_tuned.c) --- */

/* v with its mean over the seeds of fine-tuning, of which the run `e` has a row each; v as it is:
 * there is none. */
ig_result_value ig_result_tuned_value(ig_result_value v, const ig_results *r,
                                      const ig_store_entry *e, const ig_quantity *q, int64_t step);
/* The main score of the task that a quantity is of, as a run's rows tell. */
const char *ig_result_main_score(const ig_results *r, const ig_store_entry *e,
                                 const ig_quantity *q);
/* Returns whether that is made of this row, or may be. */
bool ig_result_tuned_takes(const ig_row *m, const ig_quantity *q);
/* Its variance between the runs of a cell and within them. */
ig_code ig_result_tuned_parts(ig_variance_parts *out, ig_pool *pool, const ig_results *r,
                              const ig_result_cell *c, const ig_quantity *q, ig_err *err);
/* At most two notes: how much of the spread is which, and the baselines. */
enum { IG_TUNED_NOTES = 2 };
ig_code ig_result_tuned_notes(ig_result_table *t, ig_err *err);

/* The data that decide whether a run may be averaged with others: configuration and manifest,
 * parsed. */
typedef struct {
    json_t *config, *manifest; /* NULL: none was kept */
} ig_result_origin;

/* A text that is not an object of JSON is IG_ERR_INPUT with the run's address. */
ig_code ig_result_origin_read(ig_result_origin *o, const ig_store_run *r, ig_err *err);
void ig_result_origin_free(ig_result_origin *o);
/* A quick look at the texts, which the parts of a run's origin that must be the same (same) and
 * what is reported of the program (program) decide. Runs with equal prints need not be read. False:
 * the texts are not as this program writes them. */
typedef struct {
    uint64_t same, program;
    uint64_t manifest; /* what of `same` the manifest decides */
} ig_result_print;
bool ig_result_print_of(ig_result_print *p, const ig_store_run *r);
/* As quick a look at the members keys[] (NULL-terminated) of a JSON object: texts with equal prints
 * have the same. False: the text is not as this program writes it. */
bool ig_result_print_keys(uint64_t *print, const char *text, const char *const *keys);
/* Calls `report` with every key that must be the same and is not, "data.train.sha256" or
 * "config.batch", and both values, NULL: not there. */
typedef void ig_result_differs(void *arg, const char *key, const json_t *a, const json_t *b);
void ig_result_origin_differ(const ig_result_origin *a, const ig_result_origin *b,
                             ig_result_differs *report, void *arg);
/* Number of layers of the model; −1: not known. */
int ig_result_origin_layers(const ig_result_origin *o);
/* Text of a key of the manifest's program, "kernels.table"; "" when there is none. */
const char *ig_result_origin_program(const ig_result_origin *o, const char *path);

/* more − less, one of n_test tests. *missing, NULL before, says in one line what is not there.
 * Memory is the pool's. */
ig_code ig_claim_contrast(ig_contrast *out, const char **missing, const ig_results *r,
                          const ig_claim_comparison *c, int n_test, ig_pool *pool, ig_err *err);
