/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes first and second moments in folds, and the probe and the shape of the vectors from them.
 * The regressions of the five folds are solved from one pass over the vectors: each learns on the
 * sum over all folds without one. Solved by Cholesky's factor, each row of which changes those
 * below it at once.
 */
#include "analyse/moments.h"

#include "base/memory.h"
#include "base/numeric/sums.h"

#include <math.h>
#include <string.h>

typedef struct {
    ig_moments *m;
    const ig_language_vectors *v;
} gram_job;

/* Rows of a task: this many of one fold stay in a cache while all vectors pass. */
enum { gram_rows = 8 };

/* n ≤ 4 vectors, `step` floats apart. */
typedef struct {
    const float *x;
    int64_t step, d;
    int n;
} vectors;

/* Adds them to the rows from .. to, starting at the diagonal: one after the other, so that sums do
 * not depend on n. */
static void add_vectors(double *gram, double *sum, const vectors *v, int64_t from, int64_t to)
{
    const float *x = v->x;
    const int64_t step = v->step, d = v->d;
    const int n = v->n;
    for (int64_t i = from; i < to; i++) {
        double a[4], *row = gram + i * (d + 1);
        for (int k = 0; k < n; k++) {
            a[k] = i < d ? (double)x[k * step + i] : 1;
            sum[i] += a[k];
            row[d] += a[k];
        }
        for (int64_t c = i; c < d && n == 4; c++)
            row[c] = (((row[c] + a[0] * (double)x[c]) + a[1] * (double)x[step + c]) +
                      a[2] * (double)x[2 * step + c]) +
                     a[3] * (double)x[3 * step + c];
        for (int k = 0; k < n && n < 4; k++)
            for (int64_t c = i; c < d; c++)
                row[c] += a[k] * (double)x[k * step + c];
    }
}

/* The rows are mirrored after all tasks are done. */
static void gram_task(void *arg, int64_t i_task, int i_thread)
{
    const gram_job *j = arg;
    const ig_language_vectors *v = j->v;
    const int64_t d = v->d, D = d + 1, from = i_task * gram_rows,
                  to = from + gram_rows < D ? from + gram_rows : D;
    (void)i_thread;
    for (int64_t f = 0; f < IG_FOLDS; f++)
        for (int k = 0; k < v->n_language; k++)
            for (int64_t s = f; s < v->n[k]; s += 4 * IG_FOLDS) {
                const int64_t left = (v->n[k] - s + IG_FOLDS - 1) / IG_FOLDS;
                const vectors some = {v->x[k] + s * d, IG_FOLDS * d, d, left < 4 ? (int)left : 4};
                add_vectors(j->m->gram + f * D * D, j->m->sum + (f * v->n_language + k) * D, &some,
                            from, to);
            }
}

ig_code ig_moments_make(ig_moments *m, const ig_language_vectors *v, ig_team *team, ig_err *err)
{
    const int64_t D = v->d + 1;
    gram_job j = {m, v};
    *m = (ig_moments){0};
    IG_TRY(ig_alloc(&m->gram, IG_FOLDS * D * D, sizeof *m->gram, "moments", err));
    IG_TRY(ig_alloc(&m->sum, IG_FOLDS * v->n_language * D, sizeof *m->sum, "moments", err));
    ig_team_for(team, (D + gram_rows - 1) / gram_rows, gram_task, &j);
    for (int64_t f = 0; f < IG_FOLDS; f++)
        for (int64_t r = 0; r < D; r++)
            for (int64_t c = 0; c < r; c++)
                m->gram[(f * D + r) * D + c] = m->gram[(f * D + c) * D + r];
    return IG_ERR_OK;
}

void ig_moments_free(ig_moments *m)
{
    IG_FREE(m->gram, m->sum);
    *m = (ig_moments){0};
}

/* --- the probe */

typedef struct {
    const ig_moments *m;
    const ig_language_vectors *v;
    double *a, *w;  /* per fold: [D, D] and [languages, D] */
    int64_t *right; /* per fold */
} probe_job;

/* Row k, from which all rows above have been subtracted, becomes one of L. A direction that is
 * spanned by others gets no weight. */
static void factor_row(double *row, int64_t k, int64_t n)
{
    if (!(row[k] > 0)) {
        memset(row + k, 0, (size_t)(n - k) * sizeof *row);
        return;
    }
    const double scale = 1 / sqrt(row[k]);
    for (int64_t c = k; c < n; c++)
        row[c] *= scale;
}

/* a = Lᵀ L in place, L in the upper triangle. Rows of L are subtracted from those below four at a
 * time, one after the other. */
static void factor(double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k += 4) {
        const double *l = a + k * n;
        const int64_t end = k + 4 < n ? k + 4 : n;
        for (int64_t q = k; q < end; q++) {
            factor_row(a + q * n, q, n);
            for (int64_t r = q + 1; r < end; r++)
                for (int64_t c = r; c < n; c++)
                    a[r * n + c] -= a[q * n + r] * a[q * n + c];
        }
        for (int64_t r = end; r < n; r++) {
            const double f[4] = {l[r], l[n + r], l[2 * n + r], l[3 * n + r]};
            double *below = a + r * n;
            for (int64_t c = r; c < n; c++)
                below[c] = (((below[c] - f[0] * l[c]) - f[1] * l[n + c]) - f[2] * l[2 * n + c]) -
                           f[3] * l[3 * n + c];
        }
    }
}

/* Lᵀ L x = x in place. */
static void solve(double *x, const double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const double *row = a + k * n;
        x[k] = row[k] > 0 ? x[k] / row[k] : 0;
        for (int64_t c = k + 1; c < n; c++)
            x[c] -= row[c] * x[k];
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const double *row = a + k * n;
        for (int64_t c = k + 1; c < n; c++)
            x[k] -= row[c] * x[c];
        x[k] = row[k] > 0 ? x[k] / row[k] : 0;
    }
}

/* Learns on all folds but one. */
static void learn(const probe_job *j, int64_t without)
{
    const int64_t d = j->v->d, D = d + 1, n_language = j->v->n_language;
    double *a = j->a + without * D * D, *w = j->w + without * n_language * D, trace = 0;
    for (int64_t f = 0; f < IG_FOLDS; f++) {
        const double *gram = j->m->gram + f * D * D, *sum = j->m->sum + f * n_language * D;
        for (int64_t i = 0; i < D * D && f != without; i++)
            a[i] += gram[i];
        for (int64_t i = 0; i < n_language * D && f != without; i++)
            w[i] += sum[i];
    }
    for (int64_t i = 0; i < d; i++)
        trace += a[i * D + i];
    for (int64_t i = 0; i < d; i++)
        a[i * D + i] += 1e-3 * trace / (double)d;
    factor(a, D);
    for (int64_t k = 0; k < n_language; k++)
        solve(w + k * D, a, D);
}

static int64_t ask(const probe_job *j, int64_t fold)
{
    const int64_t d = j->v->d, D = d + 1, n_language = j->v->n_language;
    const double *w = j->w + fold * n_language * D;
    int64_t right = 0;
    for (int64_t k = 0; k < n_language; k++)
        for (int64_t s = fold; s < j->v->n[k]; s += IG_FOLDS) {
            const float *x = j->v->x[k] + s * d;
            double best = 0;
            int64_t best_k = -1;
            for (int64_t l = 0; l < n_language; l++) {
                double score = w[l * D + d];
                for (int64_t i = 0; i < d; i++)
                    score += (double)x[i] * w[l * D + i];
                if (best_k < 0 || score > best) {
                    best = score;
                    best_k = l;
                }
            }
            right += best_k == k;
        }
    return right;
}

static void probe_task(void *arg, int64_t fold, int i_thread)
{
    const probe_job *j = arg;
    (void)i_thread;
    learn(j, fold);
    j->right[fold] = ask(j, fold);
}

ig_code ig_language_probe(double *accuracy, const ig_moments *m, const ig_language_vectors *v,
                          ig_team *team, ig_err *err)
{
    const int64_t D = v->d + 1;
    int64_t right[IG_FOLDS] = {0}, n = 0, n_right = 0;
    probe_job j = {.m = m, .v = v, .right = right};
    ig_code code = ig_alloc(&j.a, IG_FOLDS * D * D, sizeof *j.a, "language probe", err);
    IG_THEN(code, ig_alloc(&j.w, IG_FOLDS * v->n_language * D, sizeof *j.w, "language probe", err));
    if (code == IG_ERR_OK)
        ig_team_for(team, IG_FOLDS, probe_task, &j);
    IG_FREE(j.a, j.w);
    for (int f = 0; f < IG_FOLDS; f++)
        n_right += right[f];
    for (int k = 0; k < v->n_language; k++)
        n += v->n[k];
    *accuracy = n > 0 ? (double)n_right / (double)n : (double)NAN;
    return code;
}

/* --- how the vectors lie */

double ig_isotropy(const ig_moments *m, const ig_language_vectors *v)
{
    const int64_t d = v->d, D = d + 1;
    double trace = 0, square = 0, n = 0;
    for (int64_t f = 0; f < IG_FOLDS; f++)
        n += m->gram[(f * D + d) * D + d];
    for (int64_t r = 0; r < d; r++)
        for (int64_t c = 0; c < d; c++) {
            double rc = 0, mean_r = 0, mean_c = 0;
            for (int64_t f = 0; f < IG_FOLDS; f++) {
                const double *gram = m->gram + f * D * D;
                rc += gram[r * D + c];
                mean_r += gram[r * D + d];
                mean_c += gram[c * D + d];
            }
            const double cov = rc / n - mean_r / n * (mean_c / n);
            square += cov * cov;
            trace += r == c ? cov : 0;
        }
    return square > 0 ? trace * trace / ((double)d * square) : (double)NAN;
}

/* ‖Σ x‖² and Σ ‖x‖² of one language; of vectors of unit length with `unit`. */
static void sums(double *of_sum, double *of_squares, const ig_language_vectors *v, int k, bool unit)
{
    *of_sum = *of_squares = 0;
    for (int64_t s = 0; s < v->n[k]; s++) {
        const double norm = ig_dot_floats(v->x[k] + s * v->d, v->x[k] + s * v->d, v->d);
        *of_squares += unit ? norm > 0 : norm;
    }
    for (int i = 0; i < v->d; i++) {
        double column = 0;
        for (int64_t s = 0; s < v->n[k]; s++)
            column += (double)v->x[k][s * v->d + i];
        *of_sum += column * column;
    }
}

double ig_constant_share(const ig_language_vectors *v)
{
    double share = 0;
    for (int k = 0; k < v->n_language; k++) {
        double of_sum, of_squares;
        sums(&of_sum, &of_squares, v, k, false);
        share += of_sum / ((double)v->n[k] * of_squares) / v->n_language;
    }
    return share;
}

double ig_mean_cosine(const ig_language_vectors *v)
{
    double mean = 0;
    for (int k = 0; k < v->n_language; k++) {
        double of_sum, of_squares;
        sums(&of_sum, &of_squares, v, k, true);
        mean += (of_sum - of_squares) / ((double)v->n[k] * ((double)v->n[k] - 1)) / v->n_language;
    }
    return mean;
}
