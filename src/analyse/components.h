/* SPDX-License-Identifier: Apache-2.0
 *
 * Principal components: the directions in which vectors differ most. What Figure 4 of Dufter &
 * Schütze 2020 shows of token embeddings and of hidden states.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    int d;
    double *mean;     /* [d] */
    double *axis;     /* [d, d] rows of length 1, at right angles, by falling variance; the entry of
                         largest magnitude of each is positive */
    double *variance; /* [d] along each axis, divisor n */
    double *share;    /* [d] of the whole variance; sums to 1, all 0 where nothing varies */
} ig_components;

/* Finds the axes of x[n, d] exactly: eigenvectors of the covariance, in double. n ≥ 1; a value that
 * is not finite is IG_ERR_NUMERIC. Freed with ig_components_free, also after an error. */
ig_code ig_components_fit(ig_components *c, const float *x, int64_t n, int d, ig_err *err);
/* y[n, k]: the coordinates of x[n, d] along the first k axes; 0 for axes beyond d. */
void ig_components_project(const ig_components *c, double *y, int k, const float *x, int64_t n);
void ig_components_free(ig_components *c);

typedef struct {
    const float *x; /* [n, d] */
    int64_t n;
    int d;
    const int32_t *group; /* [n] in 0 … n_group − 1 */
    int n_group;
} ig_grouped_rows;
/* Share of the variance of x[n, d] that lies between groups: Σ_g n_g ‖mean_g − mean‖² over
 * Σ_i ‖x_i − mean‖². 0: the groups have one mean; 1: all points of a group are the same. NaN where
 * nothing varies. */
ig_code ig_between_share(double *share, const ig_grouped_rows *r, ig_err *err);
