/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear maps from pairs of words: the orthogonal one, and the steps of Artetxe, Labaka and Agirre,
 * "Generalizing and improving bilingual word embedding mappings with a multi-step framework of
 * linear transformations" (AAAI 2018). Both sides get a matrix, d × d' in double, row-major: a
 * mapped vector is x · A.
 */
#pragma once

#include "embed/search/retrieve.h"

#include <stdbool.h>
#include <stdint.h>

/* Pairs of row numbers, not necessarily different. */
typedef struct {
    int64_t n, have_source, have_target;
    int32_t *source, *target;
} ig_map_pairs;
ig_code ig_map_pairs_add(ig_map_pairs *p, int32_t source, int32_t target, ig_err *err);
/* Adds the pairs of `from` whose words are among the first n and m. */
ig_code ig_map_pairs_copy(ig_map_pairs *p, const ig_map_pairs *from, int64_t n, int64_t m,
                          ig_err *err);
void ig_map_pairs_free(ig_map_pairs *p);

/* Two normalised spaces and the machinery that computes on them. The rows are the caller's. */
typedef struct {
    const float *x, *z; /* [n_x, d], [n_z, d] */
    int64_t n_x, n_z;
    int d;
    const ig_ops *ops;
    ig_team *team;
} ig_map_spaces;

static inline ig_vector_work ig_map_with(const ig_map_spaces *s)
{
    return (ig_vector_work){s->d, s->ops, s->team};
}

/* out[d, d] = Σ a_iᵀ b_i over the n vectors of both. Products of float32 in pieces of rows whose
 * sums are added in double, in a fixed order. */
ig_code ig_map_cross(double *out, ig_retrieve_side a, ig_retrieve_side b, ig_vector_work with,
                     ig_err *err);

/* The orthogonal W[d, d] that brings the first members of the pairs nearest to the second: argmax
 * tr(W xᵀz) = U Vᵀ of its singular vectors (Schönemann, "A generalized solution of the orthogonal
 * Procrustes problem", Psychometrika 1966). */
ig_code ig_map_procrustes(double *w, const ig_map_spaces *s, const ig_map_pairs *p, ig_err *err);
/* Computes the same W from C = Σ xᵀz[d, d]. */
ig_code ig_map_orthogonal(double *w, const double *cross, int d, ig_err *err);

typedef enum { IG_DEWHITEN_NONE, IG_DEWHITEN_SOURCE, IG_DEWHITEN_TARGET } ig_dewhiten;
extern const char *const ig_dewhiten_names[]; /* none source target, NULL */

typedef struct {
    bool whiten;
    double reweight_x, reweight_z; /* powers of the singular values; 0: none */
    ig_dewhiten dewhiten_x, dewhiten_z;
    int dim; /* first dimensions kept; 0: all */
} ig_map_steps;

typedef struct {
    double *x, *z;    /* [d, d] maps of both sides */
    int *d_out;       /* columns */
    double *singular; /* [d] */
} ig_multi_step;
/* Whitening by the words of the pairs, an orthogonal map of both sides to one space, re-weighting
 * by the singular values, de-whitening, dimension reduction. Directions without variance
 * (fewer words than dimensions) are mapped to 0 when whitened: the map has at most as many
 * directions as different words on either side. */
ig_code ig_map_multi_step(const ig_multi_step *out, const ig_map_spaces *s, const ig_map_pairs *p,
                          const ig_map_steps *o, ig_err *err);

typedef struct {
    const double *a; /* [d, d_out] */
    int d_out;
} ig_map_matrix;
/* out[n, d_out] = x[n, d] · A. out may not be x. */
ig_code ig_map_apply(float *out, const float *x, int64_t n, ig_map_matrix by, ig_vector_work with,
                     ig_err *err);

/* c[n, n] = a · b, a · bᵀ or aᵀ · b, small matrices in double. */
void ig_map_multiply(double *c, const double *a, bool a_trans, const double *b, bool b_trans,
                     int n);

/* f(λ) of the eigenvalues of a symmetric a[n, n]: λ^power. *rank: at most how many are not 0 (as
 * many as vectors that a is the products of); values after these and below 1e-10 of the largest
 * count as 0 and stay 0, and *rank becomes the number of the others. */
ig_code ig_map_power(double *out, const double *a, double power, int n, int *rank, ig_err *err);
