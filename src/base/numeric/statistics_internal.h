/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the files of statistics.h: the normal and Student distributions, the
 * permutation test, sorting, the check of input.
 */
#pragma once

#include "base/numeric/statistics.h"
#include "isoglot/error.h"

#include <stdint.h>

/* Return Φ(z) and its inverse; the inverse is ∓∞ at 0 and 1, NaN outside. */
double ig_normal_cdf(double z);
double ig_normal_quantile(double p);
/* Returns the t > 0 with P(|T| > t) = alpha for Student's t of df > 0 degrees of freedom; 0 < alpha
 * < 1. */
double ig_student_critical(double df, double alpha);

/* One sample of a test of several. */
typedef struct {
    const double *x;
    int64_t n;
} ig_sample;

/* Computes p of the two-sided sign-flip test of mean 0 for each sample of differences; NaN for an
 * empty one. Exact for up to IG_EXACT_PAIRS. */
enum { IG_EXACT_PAIRS = 20 };
ig_code ig_sign_flip_p(double *p, const ig_sample *s, int n_sample, uint64_t seed, ig_err *err);

/* IG_ERR_NUMERIC when one of x is not finite; `what` names it. */
ig_code ig_check_finite(const double *x, int64_t n, const char *what, ig_err *err);
