/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections of the page, one file each, and what they share.
 */
#pragma once

#include "report/page/page.h"

/* What a run was made with and on: the part of its manifest that is not about it alone. */
typedef struct {
    const char *text; /* its facts, one JSON object, what runs are told apart by */
    int64_t n_run;
} ig_page_machine;

typedef struct {
    ig_page_machine *machine;
    int n_machine;
    int *of_run;        /* [results->store->n_entry]; −1: no manifest */
    int64_t parameters; /* of the first model that tells; 0: none */
} ig_page_machines;
ig_code ig_page_machines_make(ig_page_machines *m, const ig_results *r, ig_err *err);
void ig_page_machines_free(ig_page_machines *m);

ig_code ig_page_setup(FILE *fp, const ig_page *p, const ig_page_machines *m, ig_err *err);
/* What failed, is missing, could not be drawn. Nothing when nothing is. */
void ig_page_missing(FILE *fp, const ig_page *p);
bool ig_page_has_missing(const ig_page *p);
void ig_page_runs(FILE *fp, const ig_page *p, const ig_page_machines *m);

/* A, B, …, Z, AA, … */
void ig_page_machine_name(FILE *fp, int i);
/* <dl> of facts. */
void ig_page_facts(FILE *fp, const ig_page_fact *f, int n);
/* A command in a box of its own. */
void ig_page_command(FILE *fp, const char *command);
/* "3 min 20 s" */
void ig_page_seconds(FILE *fp, double seconds);
