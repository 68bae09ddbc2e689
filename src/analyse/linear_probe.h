/* SPDX-License-Identifier: Apache-2.0
 *
 * A linear classifier of vectors: one hinge loss against the rest for each class, by stochastic
 * gradient descent as scikit-learn's SGDClassifier has it (alpha 1e-4, learning rate "optimal":
 * Bottou 2012), the classifier that iterative null-space projection was published with (Ravfogel et
 * al. 2020; gonenhila/mbert).
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows x[n, d], of classes 0 .. n_class − 1. */
typedef struct {
    const float *x;
    const int32_t *label;
    int64_t n;
    int d, n_class;
} ig_probe_data;

/* Two classes have one direction, that of class 1; more have one each. Freed with
 * ig_linear_probe_free. */
typedef struct {
    int n, d;
    double *w; /* [n, d] */
    double *b; /* [n] */
} ig_linear_probe;

/* The order of the rows of an epoch is drawn from IG_STREAM_SAMPLE of the seed. Every tenth row is
 * not trained on. */
ig_code ig_linear_probe_train(ig_linear_probe *p, const ig_probe_data *data, uint64_t seed,
                              ig_err *err);
void ig_linear_probe_free(ig_linear_probe *p);

/* Returns the share of correct rows among those not trained on, their number in *n, and in *chance
 * the share of their most frequent class. */
double ig_linear_probe_accuracy(const ig_linear_probe *p, const ig_probe_data *data, int64_t *n,
                                double *chance);
