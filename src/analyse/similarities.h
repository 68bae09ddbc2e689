/* SPDX-License-Identifier: Apache-2.0
 *
 * All similarities of two matrices of states at once, and their names, for `isoglot similarity` and
 * the measure `similarity`.
 */
#pragma once

#include "analyse/similarity.h"

/* ID, key, title in a table, description, whether it may be below 0. */
/* clang-format off */
#define IG_SIMILARITIES(X) \
    X(CKA, cka, "CKA", "linear CKA", false) \
    IG_SIMILARITIES_BUT_CKA(X)
#define IG_SIMILARITIES_BUT_CKA(X) \
    X(DEBIASED, cka_debiased, "CKA debiased", "linear CKA by unbiased estimates", true) \
    X(RBF, cka_rbf, "CKA RBF", "CKA by Gaussian kernels, width 1", false) \
    X(SVCCA, svcca, "SVCCA", "mean canonical correlation of the directions with 99 % of the variance", false) \
    X(PWCCA, pwcca, "PWCCA", "canonical correlations weighted by what they explain of the first", false) \
    X(BEST, neurons_best, "neurons", "mean over the first side's neurons of the largest |correlation|", false) \
    X(ORDER, neurons_order, "equal neurons", "mean correlation of equal neurons", true)
/* clang-format on */

#define IG_SIMILARITY_ID(id, key, title, what, below_zero) IG_SIMILARITY_##id,
enum { IG_SIMILARITIES(IG_SIMILARITY_ID) IG_SIMILARITY_N };
#undef IG_SIMILARITY_ID

/* [IG_SIMILARITY_N] */
extern const char *const ig_similarity_keys[], *const ig_similarity_titles[];

/* out[IG_SIMILARITY_N] of n ≥ 2 pairs of rows; both sides have their axes (ig_space_axes). NaN
 * where one is not defined (analyse/similarity.h). */
ig_code ig_similarities(double *out, const ig_space *x, const ig_space *y,
                        const ig_similarity_with *with, ig_err *err);
