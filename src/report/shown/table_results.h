/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of results as people read it: a row per cell, mean ± sd of each quantity, the paper's
 * numbers and the comparison with the base cell in lines below, agreement of the order at the foot.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

/* Lines below a row. Empty ones are left out even if requested. */
typedef struct {
    bool interval; /* interval of the mean */
    bool paper;    /* the paper's number, and ours minus it */
    bool beside;   /* the paper's number in a column instead */
    bool compare;  /* difference from the base cell, p after Holm, seeds that would show it */
    bool ids;      /* rows that have a name are called by it alone */
    bool link;     /* a row's name leads to its runs, #cell-NAME */
    bool tooltip;  /* so do its numbers, and say all that is known of them when pointed at */
} ig_result_lines;

/* Freed with ig_table_free. */
ig_code ig_table_of_results(ig_table **out, const ig_result_table *t, const ig_result_lines *show,
                            ig_err *err);

/* A cell's number in its column's digits; unit: bytes are shown in MiB. */
int ig_result_digits(const ig_column *c, const ig_result_number *n);
/* Heading of a column: its own title, else symbol and layer, "ρ₈". */
void ig_result_title(char *out, size_t size, const ig_result_table *t, int column);
/* "" for p ≥ .05 or NaN, "*" below, "**" below .01, "***" below .001. */
const char *ig_result_stars(double p);
