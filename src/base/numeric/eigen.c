/* SPDX-License-Identifier: Apache-2.0
 *
 * Householder's reduction to a tridiagonal matrix, then implicitly shifted QL steps (Golub and Van
 * Loan, Matrix Computations, 4th ed., §8.3; Bowdler, Martin, Reinsch and Wilkinson 1968). LAPACK
 * is not used because some systems' BLAS lacks its C interface, and matrices have only a few
 * hundred columns.
 */
#include "base/numeric/eigen.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { most_steps = 60 };

/* Makes A tridiagonal: diagonal d[n], below it e[n − 1]. Row k of `v` keeps the k-th reflection's
 * vector from column k + 1 on, of squared length 2, or zeros. */
static void tridiagonal(double *a, double *v, double *d, double *e, double *work, int n)
{
    for (int k = 0; k + 2 < n; k++) {
        double *u = v + (size_t)k * (size_t)n, scale = 0, norm = 0;
        for (int i = k + 1; i < n; i++)
            scale = fmax(scale, fabs(a[(size_t)i * (size_t)n + (size_t)k]));
        for (int i = k + 1; i < n && scale > 0; i++) {
            u[i] = a[(size_t)i * (size_t)n + (size_t)k] / scale;
            norm += u[i] * u[i];
        }
        norm = sqrt(norm);
        e[k] = scale > 0 ? u[k + 1] > 0 ? -norm * scale : norm * scale : 0;
        if (!(scale > 0))
            continue;
        u[k + 1] += u[k + 1] > 0 ? norm : -norm;
        double length = 0, dot = 0;
        for (int i = k + 1; i < n; i++)
            length += u[i] * u[i];
        length = sqrt(length / 2);
        for (int i = k + 1; i < n; i++)
            u[i] /= length;
        /* A ← H A H with H = I − u uᵀ: A − u wᵀ − w uᵀ, w = A u − ½ (uᵀ A u) u. */
        for (int i = k + 1; i < n; i++) {
            const double *row = a + (size_t)i * (size_t)n;
            double sum = 0;
            for (int j = k + 1; j < n; j++)
                sum += row[j] * u[j];
            work[i] = sum;
            dot += sum * u[i];
        }
        for (int i = k + 1; i < n; i++)
            work[i] -= dot / 2 * u[i];
        for (int i = k + 1; i < n; i++) {
            double *row = a + (size_t)i * (size_t)n, x = u[i], y = work[i];
            for (int j = k + 1; j < n; j++)
                row[j] -= x * work[j] + y * u[j];
        }
    }
    for (int i = 0; i < n; i++)
        d[i] = a[(size_t)i * (size_t)n + (size_t)i];
    if (n > 1)
        e[n - 2] = a[(size_t)(n - 1) * (size_t)n + (size_t)(n - 2)];
}

/* Makes q[n, n] the product of the reflections: rows are the columns of the transform. */
static void product(double *q, const double *v, int n)
{
    memset(q, 0, (size_t)n * (size_t)n * sizeof *q);
    for (int i = 0; i < n; i++)
        q[(size_t)i * (size_t)n + (size_t)i] = 1;
    for (int k = n - 3; k >= 0; k--) {
        const double *u = v + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++) {
            double *row = q + (size_t)i * (size_t)n, dot = 0;
            for (int j = k + 1; j < n; j++)
                dot += row[j] * u[j];
            for (int j = k + 1; j < n; j++)
                row[j] -= dot * u[j];
        }
    }
}

/* Does one QL step on rows l … m of the tridiagonal matrix, with Wilkinson's shift. */
static void ql_step(double *d, double *e, double *q, int n, int l, int m)
{
    double half = (d[l + 1] - d[l]) / (2 * e[l]), root = hypot(half, 1);
    double g = d[m] - d[l] + e[l] / (half + (half >= 0 ? root : -root));
    double sine = 1, cosine = 1, moved = 0;
    for (int i = m - 1; i >= l; i--) {
        double f = sine * e[i], b = cosine * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (!(r > 0)) { /* the matrix splits here */
            d[i + 1] -= moved;
            e[m] = 0;
            return;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - moved;
        double t = (d[i] - g) * sine + 2 * cosine * b;
        moved = sine * t;
        d[i + 1] = g + moved;
        g = cosine * t - b;
        double *lower = q + (size_t)i * (size_t)n, *upper = lower + n;
        for (int k = 0; k < n; k++) {
            double x = lower[k], y = upper[k];
            upper[k] = sine * x + cosine * y;
            lower[k] = cosine * x - sine * y;
        }
    }
    d[l] -= moved;
    e[l] = g;
    e[m] = 0;
}

static ig_code diagonal(double *d, double *e, double *q, int n, ig_err *err)
{
    /* An entry below the rounding of the whole matrix counts as 0: the large values are needed, and
     * the small ones of a matrix of low rank have no meaning. */
    double norm = 0;
    for (int i = 0; i < n; i++)
        norm = fmax(norm, fabs(d[i]) + (i + 1 < n ? fabs(e[i]) : 0));
    for (int l = 0; l < n; l++)
        for (int step = 0;; step++) {
            int m = l;
            while (m < n - 1 && fabs(e[m]) > DBL_EPSILON / 2 * norm)
                m++;
            if (m == l)
                break;
            if (step == most_steps)
                return ig_fail(err, IG_ERR_NUMERIC, "eigenvalues", 0, "not found in %d steps",
                               (int)most_steps);
            ql_step(d, e, q, n, l, m);
        }
    return IG_ERR_OK;
}

static void give_sign(double *x, int n)
{
    int at = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[at]))
            at = i;
    for (int i = 0; i < n && x[at] < 0; i++)
        x[i] = i == at ? x[i] : -x[i];
    x[at] = fabs(x[at]);
}

/* Copies the lower half of a to the upper one. */
static ig_code mirror(double *a, int n, ig_err *err)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double x = a[(size_t)i * (size_t)n + (size_t)j];
            if (!isfinite(x))
                return ig_fail(err, IG_ERR_NUMERIC, "eigenvalues", 0,
                               "a number of the matrix is not finite");
            a[(size_t)j * (size_t)n + (size_t)i] = x;
        }
    return IG_ERR_OK;
}

ig_code ig_eigen_symmetric(double *a, double *value, int n, ig_err *err)
{
    IG_OWNED double *e = NULL, *v = NULL;
    IG_TRY(mirror(a, n, err));
    IG_TRY(ig_alloc(&v, (int64_t)n * n, sizeof *v, "eigenvectors", err));
    /* One more than n, for an element that QL keeps after the last. */
    IG_TRY(ig_alloc(&e, 2 * (int64_t)n + 2, sizeof *e, "eigenvalues", err));
    if (n > 0) {
        tridiagonal(a, v, value, e, e + n + 1, n);
        product(a, v, n);
        IG_TRY(diagonal(value, e, a, n, err));
    }
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++)
            if (value[j] > value[best])
                best = j;
        double x = value[best];
        memmove(value + i + 1, value + i, (size_t)(best - i) * sizeof *value);
        value[i] = x;
        double *row = a + (size_t)i * (size_t)n;
        memcpy(v, a + (size_t)best * (size_t)n, (size_t)n * sizeof *v);
        memmove(row + n, row, (size_t)(best - i) * (size_t)n * sizeof *row);
        memcpy(row, v, (size_t)n * sizeof *v);
        give_sign(row, n);
    }
    return IG_ERR_OK;
}
