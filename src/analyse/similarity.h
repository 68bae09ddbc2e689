/* SPDX-License-Identifier: Apache-2.0
 *
 * How similar two matrices of states are whose rows are paired: two layers, two models, two
 * languages of parallel text (Conneau et al. 2020, §5.2, Figures 6 and 7). No value changes when a
 * side is shifted or, except for the neurons and PWCCA's weights, rotated.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/error.h"
#include "tensor/ops.h"

/* Working memory for one caller at a time: zeroed at first, freed with ig_free(block). */
typedef struct {
    float *block;
    int64_t have;
} ig_similarity_room;

/* Options of the functions below: products are in float32, their sums in double in a fixed order,
 * so the same bits for any team. */
typedef struct {
    const ig_ops *ops;
    ig_team *team;
    ig_similarity_room *room; /* kept between calls; NULL: each call has its own */
} ig_similarity_with;

/* A matrix prepared for comparisons. */
typedef struct {
    int64_t n;
    int d;
    const float *x;     /* [n, d] as given: products subtract each column's mean */
    double *mean;       /* [d] of the columns */
    double *length;     /* [n] squared, of the rows without their mean */
    double cross, free; /* of linear CKA: with itself, biased and debiased */
    int rank;           /* directions with variance; 0 until ig_space_axes */
    double *axis;       /* [rank, d] of length 1, at right angles, by falling variance */
    double *value;      /* [d] squared lengths of the columns along them */
} ig_space;

/* Prepares x[n, d], n ≥ 2, which is not copied: it must live as long, unchanged. A value that is
 * not finite is IG_ERR_NUMERIC. Freed with ig_space_free, also after an error. */
ig_code ig_space_new(ig_space *s, const float *x, int64_t n, int d, const ig_similarity_with *with,
                     ig_err *err);
/* Finds the directions that ig_similarity_cca needs, O(d³). Those with less than 10⁻⁶ of the
 * greatest variance are left out: float32 states do not resolve them. */
ig_code ig_space_axes(ig_space *s, const ig_similarity_with *with, ig_err *err);
void ig_space_free(ig_space *s);

/* Linear centered kernel alignment, 0 … 1: ‖XᵀY‖² / (‖XᵀX‖ ‖YᵀY‖) (Kornblith et al. 2019, eq. 3),
 * and with the unbiased estimate of each HSIC (Song et al. 2012, eq. 5; Nguyen et al. 2021), which
 * is near 0 for noise however few the rows are. NaN where a side does not vary; debiased also where
 * n < 4 or an estimate of a side with itself is not positive. d × d or n × n products, whichever is
 * smaller. */
typedef struct {
    double biased, debiased;
} ig_cka;
ig_code ig_similarity_cka(ig_cka *out, const ig_space *x, const ig_space *y,
                          const ig_similarity_with *with, ig_err *err);

/* CKA with Gaussian kernels exp(−‖a − b‖² / (2 w² m)), m the median over all ordered pairs of rows,
 * a row with itself too, w = width (Kornblith et al. 2019, §3 and their code). NaN where a side
 * does not vary. O(n²) time, memory for some rows of n. */
ig_code ig_similarity_rbf(double *out, const ig_space *x, const ig_space *y, double width,
                          const ig_similarity_with *with, ig_err *err);

/* Means of the canonical correlations. Both sides need ig_space_axes. NaN where a side does not
 * vary. */
typedef struct {
    double svcca; /* of the directions that hold 99 % of each side's variance (Raghu et al. 2017) */
    double pwcca; /* of all, weighted by Σ_j |⟨h_i, x_j⟩|: how much of x a direction h_i explains
                   * (Morcos et al. 2018, §3); not symmetric in x and y */
} ig_cca;
ig_code ig_similarity_cca(ig_cca *out, const ig_space *x, const ig_space *y,
                          const ig_similarity_with *with, ig_err *err);

/* Correlations of single columns. A column that does not vary correlates with none (0). */
typedef struct {
    double best;  /* mean over x's columns of the greatest |r| in y (Bau et al. 2019, maximum
                     correlation) */
    double order; /* mean of r of equal columns; NaN where the sides differ in their number */
} ig_neurons;
ig_code ig_similarity_neurons(ig_neurons *out, const ig_space *x, const ig_space *y,
                              const ig_similarity_with *with, ig_err *err);
