/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of long matrices, as similarity.h needs them: columns with columns, rows with rows.
 */
#pragma once

#include "analyse/similarity.h"

/* out[dx, dy] = xᵀy of x[n, dx], y[n, dy]. */
ig_code ig_products_columns(double *out, const ig_space *x, const ig_space *y,
                            const ig_similarity_with *with, ig_err *err);

/* Some rows of the n × n inner products. */
typedef struct {
    float *k; /* [n_row, n] x_i · x_j, i from `first`; may be written to */
    float *l; /* the same of y; NULL where y is */
    int64_t first;
    int n_row;
    int number; /* index of this block: results are stored under it, never added up among threads */
    int i_thread;
} ig_products_block;
enum { IG_PRODUCTS_ROWS = 64 };
typedef void ig_products_fn(void *arg, const ig_products_block *b);
int ig_products_blocks(int64_t n);
ig_code ig_products_rows(ig_products_fn *fn, void *arg, const ig_space *x, const ig_space *y,
                         const ig_similarity_with *with, ig_err *err);
