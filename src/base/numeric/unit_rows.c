/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalises rows with sums of squares in double, so that rows of small and of large values have
 * the same accuracy.
 */
#include "base/numeric/unit_rows.h"

#include "base/numeric/sums.h"

#include <math.h>

ig_code ig_unit_rows(float *x, int64_t n, int d, const char *what, ig_err *err)
{
    for (int64_t i = 0; i < n; i++) {
        float *row = x + i * d;
        const double s = ig_dot_floats(row, row, d);
        if (!isfinite(s))
            return ig_fail(err, IG_ERR_NUMERIC, what, 0, "vector %lld of %lld is not finite",
                           (long long)i, (long long)n);
        if (s <= 0)
            continue;
        double scale = 1 / sqrt(s);
        for (int c = 0; c < d; c++)
            row[c] = (float)((double)row[c] * scale);
    }
    return IG_ERR_OK;
}

void ig_mean_row(float *out, const float *x, int64_t n, int d)
{
    for (int c = 0; c < d; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)x[i * d + c];
        out[c] = n > 0 ? (float)(sum / (double)n) : 0;
    }
}
