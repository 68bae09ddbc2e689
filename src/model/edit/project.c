/* SPDX-License-Identifier: Apache-2.0
 *
 * A projection out of a subspace: h − h Uᵀ U = h (I − UᵀU), e.g. of what tells languages apart
 * (Ravfogel et al. 2020, INLP). The rows of U are orthonormal.
 */
#include "base/numeric/sums.h"
#include "model/edit/edit.h"

#include <math.h>

static int64_t n_float(int n, int d)
{
    return n >= 1 && n <= d ? (int64_t)n * d : -1;
}

static ig_code matrix(float *m, const float *data, int n, int d, const char *where, ig_err *err)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double sum = ig_dot_floats(data + i * d, data + j * d, d);
            if (fabs(sum - (i == j)) > 1e-3)
                return ig_fail(err, IG_ERR_USAGE, where, 0,
                               "rows %lld and %lld of a projection have the product %g, expected "
                               "%d: orthonormal rows",
                               (long long)j + 1, (long long)i + 1, sum, i == j);
        }
    for (int64_t r = 0; r < d; r++)
        for (int64_t c = 0; c < d; c++) {
            double sum = r == c;
            for (int64_t i = 0; i < n; i++)
                sum -= (double)data[i * d + r] * (double)data[i * d + c];
            m[r * d + c] = (float)sum;
        }
    return IG_ERR_OK;
}

const ig_edit_rule ig_edit_project = {.name = "project",
                                      .n_float = n_float,
                                      .matrix = matrix,
                                      .run = ig_edit_forward,
                                      .back = ig_edit_backward};
