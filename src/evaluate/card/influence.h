/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers with their intervals over sentences. What a sentence adds to a number, to first order, is
 * its influence; the spread of influences gives the standard error that the bootstrap has with
 * endless samples (the infinitesimal jackknife: Efron 1982, The jackknife, the bootstrap and other
 * resampling plans, §6.5), without samples that hold a sentence twice, which CKA would take for
 * similarity.
 */
#pragma once

#include "analyse/moments.h"
#include "base/numeric/statistics.h"
#include "embed/search/retrieve.h"

/* A number of the report card. NaN: not measured, or not defined. */
typedef struct {
    double value, low, high; /* the 95 % interval over sentences */
    double chance;           /* the value of vectors without any relation */
    double untrained;        /* that of a model of the same shape with random weights */
    int64_t n;               /* sentences (words, pieces) that it comes from */
} ig_card_number;

ig_card_number ig_card_none(void);
/* A share of n cases, exactly (ig_interval_of_count). */
ig_card_number ig_card_share(double share, int64_t n, double chance);
/* A number from its influences on n rows, whose mean is of no consequence. */
ig_card_number ig_card_by_influence(double value, const double *influence, int64_t n,
                                    ig_value_range range, double chance);
/* A ratio Σ a / Σ b over n sentences; b ≥ 0, and a ≥ 0 but for IG_RANGE_ANY. A share whose count is
 * 0 (or all) has the exact interval of n cases. NaN where Σ b is 0. */
ig_card_number ig_card_ratio(const double *a, const double *b, int64_t n, ig_value_range range);

/* Vectors without their mean: x[n, d]. */
typedef struct {
    const float *x;
    int64_t n;
    int d;
} ig_centred;
/* out[n]: x_iᵀ XᵀY y_i, of which linear CKA is made (rows are paired). */
ig_code ig_hsic_rows(double *out, const ig_centred *x, const ig_centred *y, ig_vector_work with,
                     ig_err *err);

/* Holds what CKA's influences come from: ig_hsic_rows of x with y, x with x, y with y, and the
 * squared lengths of the rows. */
typedef struct {
    const double *xy, *xx, *yy;        /* [n] */
    const double *length_x, *length_y; /* [n] */
    int64_t n;
} ig_cka_rows;
/* Give linear CKA (biased, which is known) and its debiased form their intervals and what chance
 * gives: the mean over all orders of one side's rows, exactly. */
ig_code ig_card_cka(ig_card_number *out, double cka, const ig_cka_rows *r, ig_err *err);
ig_code ig_card_cka_debiased(ig_card_number *out, double cka, const ig_cka_rows *r, ig_err *err);

/* Numbers of all languages of a layer: the share of variance by ig_isotropy, ig_constant_share,
 * ig_mean_cosine, which are known. of[k] is [n[k]]: the influences of language k's rows; with
 * `parallel` row i is one sentence in all of them. */
typedef struct {
    double *const *of;
    const int64_t *n;
    int n_language;
    bool parallel;
} ig_language_influence;
/* weight[k]: of language k's number in the value (the sum of all). */
ig_code ig_card_of_languages(ig_card_number *out, double value, const ig_language_influence *f,
                             const double *weight, ig_value_range range, ig_err *err);
