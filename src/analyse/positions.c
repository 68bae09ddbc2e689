/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes cosines of position embeddings and summarises them (Dufter & Schütze 2020, Figures 5 and
 * 8).
 */
#include "analyse/positions.h"

#include "base/memory.h"
#include "base/numeric/sums.h"

#include <math.h>

static ig_code find_norms(double *norm, const float *x, int64_t n, int d, ig_err *err)
{
    for (int64_t i = 0; i < n; i++) {
        const double sum = ig_dot_floats(x + i * d, x + i * d, d);
        if (!isfinite(sum))
            return ig_fail(err, IG_ERR_NUMERIC, "cosines", 0, "vector %lld is not finite",
                           (long long)i);
        norm[i] = sqrt(sum);
    }
    return IG_ERR_OK;
}

ig_code ig_cosines(double *out, ig_row_list a, ig_row_list b, int d, ig_err *err)
{
    IG_OWNED double *norm = NULL;
    IG_TRY(ig_alloc(&norm, a.n + b.n, sizeof *norm, "cosines", err));
    IG_TRY(find_norms(norm, a.x, a.n, d, err));
    IG_TRY(find_norms(norm + a.n, b.x, b.n, d, err));
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j < b.n; j++) {
            double sum = 0, by = norm[i] * norm[a.n + j];
            for (int k = 0; k < d; k++)
                sum += (double)a.x[i * d + k] * (double)b.x[j * d + k];
            out[i * b.n + j] = by > 0 ? fmin(fmax(sum / by, -1), 1) : 0;
        }
    return IG_ERR_OK;
}

static double mean_of(double sum, int64_t n)
{
    return n > 0 ? sum / (double)n : (double)NAN;
}

ig_position_summary ig_position_summarise(const double *cosine, int n)
{
    ig_position_summary r = {.n = n};
    double same = 0, between = 0, within = 0;
    int64_t n_nearest = 0;
    for (int i = 0; i < n; i++) {
        int best[2] = {0, 0};
        for (int j = 0; j < n; j++) {
            /* Rows: position i of the first language, position i of the second. */
            const double *first = cosine + (int64_t)i * 2 * n, *second = first + (int64_t)n * 2 * n;
            if (i == j) {
                same += first[n + j];
            } else {
                between += first[n + j];
                within += (first[j] + second[n + j]) / 2;
            }
            if (first[n + j] > first[n + best[0]])
                best[0] = j;
            if (second[j] > second[best[1]])
                best[1] = j;
        }
        n_nearest += (best[0] == i) + (best[1] == i);
    }
    int64_t others = (int64_t)n * (n - 1);
    r.same = mean_of(same, n);
    r.between = mean_of(between, others);
    r.within = mean_of(within, others);
    r.nearest = mean_of((double)n_nearest, 2 * (int64_t)n);
    return r;
}
