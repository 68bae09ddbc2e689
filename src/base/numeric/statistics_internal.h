/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the files of statistics.h: the normal and Student distributions, the check of
 * input.
 */
#pragma once

#include "base/numeric/statistics.h"
#include "isoglot/error.h"

#include <stdint.h>

/* Return Φ(z) and its inverse; the inverse is ∓∞ at 0 and 1, NaN outside. */
double ig_normal_cdf(double z);
double ig_normal_quantile(double p);
/* P(|T| > t) for Student's t of df > 0 degrees of freedom. */
double ig_student_outside(double df, double t);
/* t > 0 with P(|T| > t) = alpha for Student's t of df > 0 degrees of freedom; 0 < alpha < 1. */
double ig_student_critical(double df, double alpha);

/* I_x(a, b); x and its complement y = 1 − x are both given so that neither loses digits. */
double ig_incomplete_beta(double a, double b, double x, double y);

/* IG_ERR_NUMERIC when one of x is not finite; `what` names it. */
ig_code ig_check_finite(const double *x, int64_t n, const char *what, ig_err *err);
