/* SPDX-License-Identifier: Apache-2.0
 *
 * The subspace in which states reveal their language: orthonormal rows u[k, d], which a projection
 * removes (model/edit/project.c).
 */
#pragma once

#include "analyse/linear_probe.h"

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
