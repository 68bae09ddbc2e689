/* SPDX-License-Identifier: Apache-2.0
 *
 * GloVe (Pennington, Socher, Manning, EMNLP 2014): weighted least squares on the logarithms of
 * cooccurrence counts, AdaGrad. Cells are divided into P × P blocks by their two words; P blocks
 * that share neither a row nor a column are worked through at the same time, cell after cell
 * (Gemulla, Nijkamp, Haas, Sismanis, "Large-scale matrix factorization with distributed stochastic
 * gradient descent", KDD 2011): what one thread would compute, for any number of them.
 */
#pragma once

#include "embed/train/cooccur.h"
#include "embed/vectors/vectors.h"

/* ETA: biases move as in the program of 2015, at the rate of the vectors. ONE: as in today's, whose
 * bias update has no eta. */
typedef enum { IG_GLOVE_BIAS_ONE, IG_GLOVE_BIAS_ETA } ig_glove_bias;
typedef enum { IG_GLOVE_SUM, IG_GLOVE_WORD } ig_glove_result; /* W + W~, or W */

typedef struct {
    ig_cooccur_options cooccur;
    int dim, iterations;
    double eta, x_max, alpha;
    ig_glove_bias bias;
    ig_glove_result result;
    double memory;      /* bytes of cells in memory; more go to a temporary file */
    const char *folder; /* of that file */
    uint64_t seed;
} ig_glove_options;

typedef struct {
    int64_t n_cell;
    bool spilled;
    double seconds_count, seconds_train;
    double cost; /* mean over the cells, in the last iteration */
} ig_glove_report;

/* Moves the words of `text` into *out. */
ig_code ig_glove(ig_vectors *out, ig_text_ids *text, const ig_glove_options *o, ig_team *team,
                 ig_glove_report *report, ig_err *err);
