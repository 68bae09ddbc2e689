/* SPDX-License-Identifier: Apache-2.0
 *
 * The subspace in which states reveal their language: orthonormal rows u[k, d], which a projection
 * removes (model/edit/project.c).
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* --- linear probe ----------------------------------------------------------------------------- */

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

/* The span of the differences of n means: at most n − 1 rows; u has space for d. Without it the
 * classes' means are one, and no linear regression distinguishes them. */
ig_code ig_subspace_means(float *u, int *k, const double *const *mean, int n, int d, ig_err *err);

/* Linear discriminant analysis: the span of the covariance within classes, inverted, times the
 * differences of their means (Fisher 1936). */
ig_code ig_subspace_discriminant(float *u, int *k, const ig_probe_data *data, ig_err *err);

/* Iterative null-space projection (Ravfogel et al. 2020, algorithm 1): a probe is trained, its
 * direction is removed from the data, and so on; the projection removes all rounds' directions.
 * until_chance: it ends when the probe is not better than chance by two standard errors. */
typedef struct {
    int64_t rounds;
    bool until_chance;
    uint64_t seed;
} ig_inlp;
ig_code ig_subspace_inlp(float *u, int *k, const ig_probe_data *data, const ig_inlp *how,
                         ig_err *err);

/* Computes x[n, d] − x uᵀ u, in place. */
void ig_subspace_remove(float *x, int64_t n, int d, const float *u, int k);
