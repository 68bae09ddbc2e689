/* SPDX-License-Identifier: Apache-2.0
 *
 * Singular values and vectors of a square matrix, in double; the same bits on every call.
 */
#pragma once

#include "isoglot/error.h"

/* a[n, n] = Σ s_k u_k v_kᵀ: row k of u[n, n] and of v[n, n], both of length 1 and orthogonal to the
 * others, belongs to s[k] ≥ 0; values fall. If a is not of full rank, the vectors of the zeros
 * complete the basis. A value that is not finite is IG_ERR_NUMERIC. O(n³) time, another n × n
 * doubles. a is only read. */
ig_code ig_singular(const double *a, int n, double *u, double *s, double *v, ig_err *err);
