/* SPDX-License-Identifier: Apache-2.0
 *
 * How alike the position embeddings of two languages are (Dufter & Schütze 2020, Figures 5 and 8):
 * cosines of the raw rows of the table, within and between the languages' ranges.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const float *x; /* [n, d] */
    int64_t n;
} ig_row_list;
/* out[a.n, b.n]: cosines of the rows of a with those of b, in double; 0 where a row is
 * zero. A value that is not finite is IG_ERR_NUMERIC. */
ig_code ig_cosines(double *out, ig_row_list a, ig_row_list b, int d, ig_err *err);

/* Summary of the picture. Position i of the one language has a counterpart in the other: position i
 * again. NaN where there is nothing to average. */
typedef struct {
    int n;
    double same;    /* mean cosine of i with its counterpart */
    double between; /* mean cosine of i with the other positions of the other language */
    double within;  /* mean cosine of different positions of one language, both languages */
    double nearest; /* share of positions, both ways, whose nearest in the other language is the
                       counterpart (the first of equals counts) */
} ig_position_summary;

/* cosine[2n, 2n]: positions of the one language, then of the other */
ig_position_summary ig_position_summarise(const double *cosine, int n);
