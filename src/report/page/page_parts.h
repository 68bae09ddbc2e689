/* SPDX-License-Identifier: Apache-2.0
 *
 * The page's data on runs and what they were made with, as page.html shows it.
 */
#pragma once

#include "report/page/page.h"

/* Adds `machines` to the data: what of their manifests runs have in common, once for all of them.
 * *of_run: [results->store->n_entry] the machine of each, −1: no manifest; freed with ig_free. */
ig_code ig_page_machines(json_t *data, int **of_run, const ig_results *r, ig_err *err);
/* Fills the cells of the data: their names, labels, runs and values. */
void ig_page_runs(json_t *data, const ig_page *p, const int *of_run);
/* A, B, …, Z, AA, … */
json_t *ig_page_letter(int i);
