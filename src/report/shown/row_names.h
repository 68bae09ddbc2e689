/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that distinguish the rows of a table, or the marks of a figure: the cell's own name, its
 * differences, and its value of each axis. What all rows have in common is reported once.
 */
#pragma once

#include "report/results/results.h"

typedef struct {
    const char *id;     /* "8" of "8/batch=64"; "": a cell of axes alone */
    const char *words;  /* the file's title, else its label without what axes and all rows have in
                           common; "" */
    const char **value; /* [n_axis] "64" */
} ig_row_name;

typedef struct {
    ig_row_name *row; /* [n_row] */
    int n_row;
    const char **axis; /* [n_axis] "batch": those in which rows differ */
    int n_axis;
    bool has_id, has_words; /* some row has one */
    const char *common;     /* "dropout=0; batch=64": what all rows have; "" */
    ig_pool pool;
} ig_row_names;

/* A row of other axes than its neighbours has its whole name as id. Freed with ig_row_names_free,
 * also after an error. */
ig_code ig_row_names_make(ig_row_names *out, const ig_results *r, const ig_result_cell *const *row,
                          int n_row, ig_err *err);
void ig_row_names_free(ig_row_names *n);

/* One row in one line: "8  lang-pos, batch=64". Axis `without` (−1: none) is left out; of a single
 * one whose values are words the value says enough: "8  lang-pos, rotary". */
void ig_row_name_line(char *out, size_t size, const ig_row_names *n, int row, int without);
