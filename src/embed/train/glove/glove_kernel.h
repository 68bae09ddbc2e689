/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loop of GloVe for each instruction set.
 */
#pragma once

#include "embed/train/glove/glove_cells.h"

/* A row of a table: [ld] values, then [ld] of 1 / √(sum of squares) for AdaGrad. ld is a multiple
 * of 16. */
typedef struct {
    float *word, *context;           /* [words, 2 ld] */
    float *word_bias, *context_bias; /* [words, 2]: value, sum of squares */
    int ld;
    float eta, bias_rate;
} ig_glove_tables;

/* Processes n cells in order; returns the sum of their costs, ½ f(x) (w·c + b + b' − log x)². */
typedef double ig_glove_kernel(const ig_glove_tables *t, const ig_glove_cell *cell, int64_t n);

ig_glove_kernel ig_glove_portable, ig_glove_neon, ig_glove_avx2, ig_glove_avx512;
