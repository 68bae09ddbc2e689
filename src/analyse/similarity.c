/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes linear CKA and correlations of single neurons. On columns without their means the
 * centered kernel of x is XXᵀ itself, and its products with another are ‖XᵀY‖², d × d, or Σ K L, n
 * × n (Kornblith et al. 2019, eq. 2 and 3).
 */
#include "analyse/similarity.h"

#include "analyse/products.h"
#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/numeric/sums.h"

#include <math.h>

/* ---- Σ K L ---- */

typedef struct {
    int64_t n;
    double *sum; /* [blocks] */
} kernel_sums;

static void kernel_block(void *arg, const ig_products_block *b)
{
    const kernel_sums *s = arg;
    const float *l = b->l != NULL ? b->l : b->k;
    double sum = 0;
    for (int64_t i = 0; i < b->n_row * s->n; i++)
        sum += (double)b->k[i] * (double)l[i];
    s->sum[b->number] = sum;
}

static ig_code by_rows(double *out, const ig_space *x, const ig_space *y,
                       const ig_similarity_with *with, ig_err *err)
{
    const int n_block = ig_products_blocks(x->n);
    kernel_sums s = {.n = x->n};
    *out = 0;
    IG_TRY(ig_alloc(&s.sum, n_block, sizeof *s.sum, "sums", err));
    ig_code code = ig_products_rows(kernel_block, &s, x, x == y ? NULL : y, with, err);
    for (int b = 0; b < n_block && code == IG_ERR_OK; b++)
        *out += s.sum[b];
    ig_free(s.sum);
    return code;
}

static ig_code by_columns(double *out, const ig_space *x, const ig_space *y,
                          const ig_similarity_with *with, ig_err *err)
{
    IG_OWNED double *c = NULL;
    const int64_t size = (int64_t)x->d * y->d;
    IG_TRY(ig_alloc(&c, size, sizeof *c, "products", err));
    IG_TRY(ig_products_columns(c, x, y, with, err));
    *out = ig_dot(c, c, size);
    return IG_ERR_OK;
}

static ig_code cross_of(double *out, const ig_space *x, const ig_space *y,
                        const ig_similarity_with *with, ig_err *err)
{
    return x->n < x->d && x->n < y->d ? by_rows(out, x, y, with, err)
                                      : by_columns(out, x, y, with, err);
}

/* Song et al. 2012, eq. 5, without the factor 1/(n(n − 3)): with K1 = 0 the sums of a row of K
 * without its diagonal are −k_ii. */
static double unbiased(double cross, const ig_space *x, const ig_space *y)
{
    const double n = (double)x->n;
    double both = 0, sum_x = 0, sum_y = 0;
    for (int64_t i = 0; i < x->n; i++) {
        both += x->length[i] * y->length[i];
        sum_x += x->length[i];
        sum_y += y->length[i];
    }
    return cross - both + sum_x * sum_y / ((n - 1) * (n - 2)) - 2 * both / (n - 2);
}

/* ---- a space ---- */

void ig_space_free(ig_space *s)
{
    IG_FREE(s->mean, s->length, s->axis, s->value);
    *s = (ig_space){0};
}

enum { COLUMNS = 64, ROWS = 256 };

static void mean_task(void *arg, int64_t task, int i_thread)
{
    const ig_space *s = arg;
    const int first = (int)task * COLUMNS, left = s->d - first, n = left < COLUMNS ? left : COLUMNS;
    double *mean = s->mean + first;
    (void)i_thread;
    for (int64_t i = 0; i < s->n; i++)
        for (int j = 0; j < n; j++)
            mean[j] += (double)s->x[i * s->d + first + j];
    for (int j = 0; j < n; j++)
        mean[j] /= (double)s->n;
}

static void length_task(void *arg, int64_t task, int i_thread)
{
    enum { LANES = 8 }; /* several sums at once: a single one would wait for its own additions */
    const ig_space *s = arg;
    const int64_t end = (task + 1) * ROWS < s->n ? (task + 1) * ROWS : s->n;
    (void)i_thread;
    for (int64_t i = task * ROWS; i < end; i++) {
        const float *x = s->x + i * s->d;
        double sum[LANES] = {0};
        int j = 0;
        for (; j + LANES <= s->d; j += LANES)
            for (int l = 0; l < LANES; l++) {
                const double v = (double)(float)((double)x[j + l] - s->mean[j + l]);
                sum[l] += v * v;
            }
        for (; j < s->d; j++) {
            const double v = (double)(float)((double)x[j] - s->mean[j]);
            sum[0] += v * v;
        }
        for (int l = 0; l < LANES; l++)
            s->length[i] += sum[l];
    }
}

static ig_code check_finite(const ig_space *s, ig_err *err)
{
    for (int64_t i = 0; i < s->n; i++)
        if (!isfinite(s->length[i]))
            return ig_fail(err, IG_ERR_NUMERIC, "similarity", 0,
                           "the states hold a number that is not finite, in row %lld at the latest",
                           (long long)i + 1);
    return IG_ERR_OK;
}

ig_code ig_space_new(ig_space *s, const float *x, int64_t n, int d, const ig_similarity_with *with,
                     ig_err *err)
{
    *s = (ig_space){.n = n, .d = d, .x = x};
    if (n < 2 || d < 1)
        return ig_fail(err, IG_ERR_INPUT, "similarity", 0,
                       "found %lld rows of %d numbers, expected at least two rows", (long long)n,
                       d);
    IG_TRY(ig_alloc(&s->length, n, sizeof *s->length, "states", err));
    IG_TRY(ig_alloc(&s->mean, d, sizeof *s->mean, "means", err));
    ig_team_for(with->team, (d + COLUMNS - 1) / COLUMNS, mean_task, s);
    ig_team_for(with->team, (n + ROWS - 1) / ROWS, length_task, s);
    IG_TRY(check_finite(s, err));
    IG_TRY(cross_of(&s->cross, s, s, with, err));
    s->free = unbiased(s->cross, s, s);
    return IG_ERR_OK;
}

ig_code ig_space_axes(ig_space *s, const ig_similarity_with *with, ig_err *err)
{
    if (s->axis != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&s->axis, (int64_t)s->d * s->d, sizeof *s->axis, "directions", err));
    IG_TRY(ig_alloc(&s->value, s->d, sizeof *s->value, "directions", err));
    IG_TRY(ig_products_columns(s->axis, s, s, with, err));
    IG_TRY(ig_eigen_symmetric(s->axis, s->value, s->d, err));
    while (s->rank < s->d && s->rank < s->n - 1 && s->value[s->rank] > 1e-6 * s->value[0])
        s->rank++;
    return IG_ERR_OK;
}

/* ---- CKA ---- */

/* Cuts to −1 … 1, which rounding passes for copies; NaN stays. */
static double at_most_one(double r)
{
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

static double ratio(double both, double own, double other)
{
    return own > 0 && other > 0 ? at_most_one(both / (sqrt(own) * sqrt(other))) : (double)NAN;
}

static ig_code check_rows(const ig_space *x, const ig_space *y, ig_err *err)
{
    return x->n == y->n ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_INPUT, "similarity", 0,
                                  "found %lld rows and %lld rows, expected as many",
                                  (long long)x->n, (long long)y->n);
}

ig_code ig_similarity_cka(ig_cka *out, const ig_space *x, const ig_space *y,
                          const ig_similarity_with *with, ig_err *err)
{
    double cross;
    IG_TRY(check_rows(x, y, err));
    IG_TRY(cross_of(&cross, x, y, with, err));
    out->biased = ratio(cross, x->cross, y->cross);
    out->debiased = x->n < 4 ? (double)NAN : ratio(unbiased(cross, x, y), x->free, y->free);
    return IG_ERR_OK;
}

/* ---- neurons ---- */

static ig_neurons neurons(const double *c, const ig_space *x, const ig_space *y, const double *sx,
                          const double *sy)
{
    ig_neurons out = {0, x->d == y->d ? 0 : (double)NAN};
    for (int i = 0; i < x->d; i++) {
        double best = 0;
        for (int j = 0; j < y->d; j++) {
            const double both = sx[i] * sy[j],
                         r = both > 0 ? at_most_one(c[(int64_t)i * y->d + j] / sqrt(both)) : 0;
            best = fmax(best, fabs(r));
            if (i == j)
                out.order += r / x->d;
        }
        out.best += best / x->d;
    }
    out.best = at_most_one(out.best); /* the sum of the shares rounds too */
    out.order = at_most_one(out.order);
    return out;
}

static void column_squares(double *sum, const ig_space *s)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int j = 0; j < s->d; j++) {
            const double v = (double)(float)((double)s->x[i * s->d + j] - s->mean[j]);
            sum[j] += v * v;
        }
}

ig_code ig_similarity_neurons(ig_neurons *out, const ig_space *x, const ig_space *y,
                              const ig_similarity_with *with, ig_err *err)
{
    IG_OWNED double *c = NULL;
    const int64_t size = (int64_t)x->d * y->d;
    IG_TRY(check_rows(x, y, err));
    IG_TRY(ig_alloc(&c, size + x->d + y->d, sizeof *c, "products", err));
    IG_TRY(ig_products_columns(c, x, y, with, err));
    column_squares(c + size, x);
    column_squares(c + size + x->d, y);
    *out = neurons(c, x, y, c + size, c + size + x->d);
    return IG_ERR_OK;
}
