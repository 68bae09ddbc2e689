/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of length one, so that an inner product is a cosine; the mean of vectors.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Divides each of n rows [d] by its Euclidean norm (in double); a zero row stays zero, so that its
 * cosine with anything is 0. A non-finite value is IG_ERR_NUMERIC; `what` names the vectors. */
ig_code ig_unit_rows(float *x, int64_t n, int d, const char *what, ig_err *err);

/* Computes out[d], the mean of n rows [d], summed in double in their order; n = 0: zeros. */
void ig_mean_row(float *out, const float *x, int64_t n, int d);
