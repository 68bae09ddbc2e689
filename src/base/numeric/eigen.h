/* SPDX-License-Identifier: Apache-2.0
 *
 * Eigenvalues and eigenvectors of a symmetric matrix, in double; the same bits on every call.
 */
#pragma once

#include "isoglot/error.h"

/* a[n, n], symmetric (the lower half is read), becomes the eigenvectors: row i, of length 1,
 * belongs to value[i]. Values fall; equal ones keep the order in which the method finds them. The
 * sign of a vector makes its entry of largest magnitude (the first one of these) positive. A value
 * that is not finite is IG_ERR_NUMERIC. O(n³) time, another n × n doubles. */
ig_code ig_eigen_symmetric(double *a, double *value, int n, ig_err *err);
