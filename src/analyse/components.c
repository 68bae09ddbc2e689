/* SPDX-License-Identifier: Apache-2.0
 *
 * Principal component analysis by the eigenvectors of the covariance (Pearson 1901; Hotelling
 * 1933). Means first, then products of the differences, so that vectors far from 0 lose no digits.
 */
#include "analyse/components.h"

#include "base/memory.h"
#include "base/numeric/eigen.h"

#include <math.h>

void ig_components_free(ig_components *c)
{
    IG_FREE(c->mean, c->axis, c->variance, c->share);
    *c = (ig_components){0};
}

static void find_mean(double *mean, const float *x, int64_t n, int d)
{
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < d; k++)
            mean[k] += (double)x[i * d + k];
    for (int k = 0; k < d; k++)
        mean[k] /= (double)n;
}

ig_code ig_components_fit(ig_components *c, const float *x, int64_t n, int d, ig_err *err)
{
    *c = (ig_components){.d = d};
    if (n < 1 || d < 1)
        return ig_fail(err, IG_ERR_INPUT, "components", 0, "of no vectors");
    IG_TRY(ig_alloc(&c->mean, d, sizeof(double), "components", err));
    IG_TRY(ig_alloc(&c->axis, (int64_t)d * d, sizeof(double), "components", err));
    IG_TRY(ig_alloc(&c->variance, d, sizeof(double), "components", err));
    IG_TRY(ig_alloc(&c->share, d, sizeof(double), "components", err));
    double *diff;
    IG_TRY(ig_alloc(&diff, d, sizeof *diff, "components", err));
    find_mean(c->mean, x, n, d);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < d; k++)
            diff[k] = (double)x[i * d + k] - c->mean[k];
        for (int r = 0; r < d; r++) {
            double *row = c->axis + (int64_t)r * d, v = diff[r];
            for (int k = 0; k <= r; k++)
                row[k] += v * diff[k];
        }
    }
    ig_free(diff);
    for (int64_t i = 0; i < (int64_t)d * d; i++)
        c->axis[i] /= (double)n;
    ig_code code = ig_eigen_symmetric(c->axis, c->variance, d, err);
    if (code == IG_ERR_NUMERIC)
        ig_hint(err, "the vectors hold a number that is not finite");
    IG_TRY(code);
    double sum = 0;
    for (int k = 0; k < d; k++) {
        c->variance[k] = c->variance[k] > 0 ? c->variance[k] : 0; /* rounding */
        sum += c->variance[k];
    }
    for (int k = 0; k < d && sum > 0; k++)
        c->share[k] = c->variance[k] / sum;
    return IG_ERR_OK;
}

void ig_components_project(const ig_components *c, double *y, int k, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < k; a++) {
            const double *axis = c->axis + (int64_t)a * c->d;
            double sum = 0;
            for (int j = 0; j < c->d && a < c->d; j++)
                sum += ((double)x[i * c->d + j] - c->mean[j]) * axis[j];
            y[i * k + a] = sum;
        }
}

ig_code ig_between_share(double *share, const ig_grouped_rows *r, ig_err *err)
{
    const float *x = r->x;
    const int64_t n = r->n;
    const int d = r->d, n_group = r->n_group;
    const int32_t *group = r->group;
    double *mean, within = 0, all = 0;
    int64_t *count = NULL;
    *share = (double)NAN;
    IG_TRY(ig_alloc(&mean, (int64_t)(n_group + 1) * d, sizeof *mean, "means", err));
    ig_code code = ig_alloc(&count, n_group, sizeof *count, "means", err);
    if (code == IG_ERR_OK && n > 0) {
        double *whole = mean + (int64_t)n_group * d;
        for (int64_t i = 0; i < n; i++) {
            count[group[i]]++;
            for (int k = 0; k < d; k++)
                mean[(int64_t)group[i] * d + k] += (double)x[i * d + k];
        }
        for (int g = 0; g < n_group; g++)
            for (int k = 0; k < d; k++) {
                whole[k] += mean[(int64_t)g * d + k] / (double)n;
                if (count[g] > 0)
                    mean[(int64_t)g * d + k] /= (double)count[g];
            }
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < d; k++) {
                double v = (double)x[i * d + k], w = v - mean[(int64_t)group[i] * d + k];
                within += w * w;
                all += (v - whole[k]) * (v - whole[k]);
            }
        *share = all > 0 ? 1 - within / all : (double)NAN;
    }
    IG_FREE(mean, count);
    return code;
}
