/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the subspace in which states reveal their language, by class means, discriminant analysis
 * or null-space projection. A basis grows by Gram and Schmidt's method, done twice (which is
 * enough: Giraud et al. 2005); a remainder of a vector below a millionth of its length is rounding.
 */
#include "analyse/language_subspace.h"

#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/numeric/sums.h"

#include <math.h>
#include <string.h>

/* Adds a row in the direction of v, which is overwritten, unless v is in the span. */
static void add_direction(float *u, int *k, double *v, int d)
{
    const double least = 1e-6 * sqrt(ig_dot(v, v, d));
    for (int twice = 0; twice < 2; twice++)
        for (int r = 0; r < *k; r++) {
            const double c = ig_dot_mixed(v, u + (int64_t)r * d, d);
            for (int i = 0; i < d; i++)
                v[i] -= c * (double)u[(int64_t)r * d + i];
        }
    const double left = sqrt(ig_dot(v, v, d));
    if (*k == d || !(left > least))
        return;
    for (int i = 0; i < d; i++)
        u[(int64_t)*k * d + i] = (float)(v[i] / left);
    ++*k;
}

ig_code ig_subspace_means(float *u, int *k, const double *const *mean, int n, int d, ig_err *err)
{
    IG_OWNED double *v = NULL;
    *k = 0;
    IG_TRY(ig_alloc(&v, d, sizeof *v, "means", err));
    for (int c = 1; c < n; c++) {
        for (int i = 0; i < d; i++)
            v[i] = mean[c][i] - mean[0][i];
        add_direction(u, k, v, d);
    }
    return IG_ERR_OK;
}

void ig_subspace_remove(float *x, int64_t n, int d, const float *u, int k)
{
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < k; r++) {
            const float *row = u + (int64_t)r * d;
            double c = 0;
            for (int j = 0; j < d; j++)
                c += (double)x[i * d + j] * (double)row[j];
            for (int j = 0; j < d; j++)
                x[i * d + j] -= (float)(c * (double)row[j]);
        }
}

/* --- linear discriminant analysis ------------------------------------------------------------ */

typedef struct {
    double *mean;  /* [n_class, d] */
    double *cov;   /* [d, d] within classes, then its eigenvectors */
    double *value; /* [d] */
    double *v, *delta;
} discriminant;

static void means_of(discriminant *a, const ig_probe_data *data)
{
    const int d = data->d;
    for (int c = 0; c < data->n_class; c++) {
        double *mean = a->mean + (int64_t)c * d;
        int64_t n = 0;
        for (int64_t i = 0; i < data->n; i++)
            if (data->label[i] == c) {
                for (int k = 0; k < d; k++)
                    mean[k] += (double)data->x[i * d + k];
                n++;
            }
        for (int k = 0; k < d && n > 0; k++)
            mean[k] /= (double)n;
    }
}

/* Computes the lower half, the only one that is read. */
static void covariance(discriminant *a, const ig_probe_data *data)
{
    const int d = data->d;
    for (int64_t i = 0; i < data->n; i++) {
        const double *mean = a->mean + (int64_t)data->label[i] * d;
        for (int k = 0; k < d; k++)
            a->delta[k] = (double)data->x[i * d + k] - mean[k];
        for (int k = 0; k < d; k++)
            for (int j = 0; j <= k; j++)
                a->cov[(int64_t)k * d + j] += a->delta[k] * a->delta[j] / (double)data->n;
    }
}

/* Treats directions of no variance as if they had a billionth of the largest. */
static void solve(discriminant *a, int d)
{
    memset(a->v, 0, (size_t)d * sizeof *a->v);
    for (int r = 0; r < d; r++) {
        const double *e = a->cov + (int64_t)r * d, floor = 1e-9 * a->value[0],
                     s = a->value[r] > floor ? a->value[r] : floor;
        double c = 0;
        for (int i = 0; i < d; i++)
            c += e[i] * a->delta[i];
        for (int i = 0; i < d && s > 0; i++)
            a->v[i] += c / s * e[i];
    }
}

ig_code ig_subspace_discriminant(float *u, int *k, const ig_probe_data *data, ig_err *err)
{
    const int d = data->d;
    discriminant a = {0};
    *k = 0;
    ig_code code =
        ig_alloc(&a.mean, (int64_t)data->n_class * d, sizeof *a.mean, "discriminant", err);
    IG_THEN(code, ig_alloc(&a.cov, (int64_t)d * d, sizeof *a.cov, "discriminant", err));
    IG_THEN(code, ig_alloc(&a.value, 3 * (int64_t)d, sizeof *a.value, "discriminant", err));
    if (code == IG_ERR_OK) {
        a.v = a.value + d;
        a.delta = a.v + d;
        means_of(&a, data);
        covariance(&a, data);
        code = ig_eigen_symmetric(a.cov, a.value, d, err);
    }
    for (int c = 1; c < data->n_class && code == IG_ERR_OK; c++) {
        for (int i = 0; i < d; i++)
            a.delta[i] = a.mean[(int64_t)c * d + i] - a.mean[i];
        solve(&a, d);
        add_direction(u, k, a.v, d);
    }
    IG_FREE(a.mean, a.cov, a.value);
    return code;
}

/* --- iterative null-space projection --------------------------------------------------------- */

/* Runs a round; *on becomes false where the probe is at chance and `until_chance` is set. */
static ig_code one_round(bool *on, float *u, int *k, const ig_probe_data *left, const ig_inlp *how,
                         ig_err *err)
{
    IG_SCOPED(ig_linear_probe_free) ig_linear_probe probe = {0};
    int64_t n;
    double chance;
    IG_TRY(ig_linear_probe_train(&probe, left, how->seed, err));
    const double right = ig_linear_probe_accuracy(&probe, left, &n, &chance);
    *on = !how->until_chance || right > chance + 2 * sqrt(chance * (1 - chance) / (double)n);
    for (int r = 0; r < probe.n && *on; r++)
        add_direction(u, k, probe.w + (int64_t)r * probe.d, probe.d);
    return IG_ERR_OK;
}

ig_code ig_subspace_inlp(float *u, int *k, const ig_probe_data *data, const ig_inlp *how,
                         ig_err *err)
{
    ig_inlp round = *how; /* each round has its own seed */
    const int64_t size = data->n * data->d;
    IG_OWNED float *x = NULL;
    bool on = true;
    *k = 0;
    IG_TRY(ig_alloc(&x, size, sizeof *x, "states", err));
    for (int64_t r = 0; r < how->rounds && on && *k < data->d; r++) {
        const ig_probe_data left = {x, data->label, data->n, data->d, data->n_class};
        memcpy(x, data->x, (size_t)size * sizeof *x);
        ig_subspace_remove(x, data->n, data->d, u, *k);
        round.seed = how->seed + (uint64_t)r;
        IG_TRY(one_round(&on, u, k, &left, &round, err));
    }
    return IG_ERR_OK;
}
