/* SPDX-License-Identifier: Apache-2.0
 *
 * First and second moments of the sentence vectors of several languages, in folds, and what they
 * show: how well a linear probe predicts the language, how many directions the vectors use, how
 * much of them is constant.
 */
#pragma once

#include "base/threads/team.h"
#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Sentence i of any language is in fold i % 5, so that translations are together. */
enum { IG_FOLDS = 5 };

/* Vectors of one layer, borrowed: x[k] is [n[k], d] of language k. */
typedef struct {
    const float *const *x;
    const int64_t *n;
    int n_language, d;
} ig_language_vectors;

/* D = d + 1: a vector has a 1 at its end. Freed with ig_moments_free. */
typedef struct {
    double *gram; /* [IG_FOLDS, D, D] Σ z zᵀ over all languages */
    double *sum;  /* [IG_FOLDS, languages, D] Σ z */
} ig_moments;

/* Sums in double and in a fixed order: the same bits for any team. */
ig_code ig_moments_make(ig_moments *m, const ig_language_vectors *v, ig_team *team, ig_err *err);
void ig_moments_free(ig_moments *m);

/* Accuracy of predicting a line's language: ridge regression on the languages' indicators, learned
 * on four folds and tested on the fifth, each fold once (the constant is not penalised, else 10⁻³
 * of the mean of the diagonal). 0 … 1. */
ig_code ig_language_probe(double *accuracy, const ig_moments *m, const ig_language_vectors *v,
                          ig_team *team, ig_err *err);

/* (tr C)² / (d ‖C‖²_F) of the covariance C of all vectors: the participation ratio over d, 1/d
 * (one direction has all variance) to 1 (all have the same); NaN: they do not vary. */
double ig_isotropy(const ig_moments *m, const ig_language_vectors *v);
/* Mean over the languages of ‖mean‖² / mean of ‖x‖²: the share of the vectors that is the same in
 * all sentences of a language. NaN: all are zero. */
double ig_constant_share(const ig_language_vectors *v);
/* Mean over the languages of the cosine of two different sentences (Ethayarajh 2019, §4.1), for
 * vectors of unit length or zero. */
double ig_mean_cosine(const ig_language_vectors *v);
