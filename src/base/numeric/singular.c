/* SPDX-License-Identifier: Apache-2.0
 *
 * One-sided Jacobi rotations (Hestenes 1958; Golub and Van Loan, Matrix Computations, 4th ed.,
 * §8.6.3) from a basis that is nearly right: the eigenvectors V of AᵀA, so that the rows of (A
 * Vᵀ)ᵀ are orthogonal up to rounding, which the square doubled; one or two sweeps correct that,
 * and small singular values get their own precision.
 */
#include "base/numeric/singular.h"

#include "base/numeric/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { most_sweeps = 60 };

static double dot(const double *a, const double *b, int n)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double *row(double *a, int i, int n)
{
    return a + (size_t)i * (size_t)n;
}

/* Computes g = aᵀ a. */
static void gram(double *g, const double *a, int n)
{
    memset(g, 0, (size_t)n * (size_t)n * sizeof *g);
    for (int r = 0; r < n; r++) {
        const double *x = a + (size_t)r * (size_t)n;
        for (int i = 0; i < n; i++) {
            double *to = row(g, i, n), f = x[i];
            for (int j = 0; j <= i; j++)
                to[j] += f * x[j];
        }
    }
}

static void rotate(double *x, double *y, double c, double s, int n)
{
    for (int i = 0; i < n; i++) {
        double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Makes the rows of u pairwise orthogonal and rotates v with them; false: not within
 * most_sweeps. */
static bool sweeps(double *u, double *v, double *square, int n)
{
    const double limit = DBL_EPSILON * n;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        square[i] = dot(row(u, i, n), row(u, i, n), n);
        largest = fmax(largest, square[i]);
    }
    /* Rows this small are rounding errors of zeros: their direction has no meaning. */
    const double nothing = largest * limit * limit;
    for (int sweep = 0; sweep < most_sweeps; sweep++) {
        bool turned = false;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                if (!(square[i] > nothing && square[j] > nothing))
                    continue;
                double g = dot(row(u, i, n), row(u, j, n), n);
                if (!(fabs(g) > limit * sqrt(square[i]) * sqrt(square[j])))
                    continue;
                double zeta = (square[j] - square[i]) / (2 * g);
                double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta));
                double c = 1 / hypot(1, t), s = c * t;
                rotate(row(u, i, n), row(u, j, n), c, s, n);
                rotate(row(v, i, n), row(v, j, n), c, s, n);
                square[i] = dot(row(u, i, n), row(u, i, n), n);
                square[j] = dot(row(u, j, n), row(u, j, n), n);
                turned = true;
            }
        if (!turned)
            return true;
    }
    return false;
}

static void swap_rows(double *a, int i, int j, int n)
{
    double *x = row(a, i, n), *y = row(a, j, n);
    for (int k = 0; k < n; k++) {
        double t = x[k];
        x[k] = y[k];
        y[k] = t;
    }
}

/* Makes rows from `from` on of u unit vectors orthogonal to all before them. */
static void complete(double *u, int from, int n)
{
    for (int i = from; i < n; i++) {
        double *x = row(u, i, n);
        int best = 0;
        for (int k = 0; k < n; k++)
            x[k] = 1;
        for (int j = 0; j < i; j++)
            for (int k = 0; k < n; k++)
                x[k] -= row(u, j, n)[k] * row(u, j, n)[k];
        /* The squared part of each axis outside of the rows; they sum to n − i. */
        for (int k = 0; k < n; k++)
            best = x[k] > x[best] ? k : best;
        memset(x, 0, (size_t)n * sizeof *x);
        x[best] = 1;
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < i; j++) {
                double f = dot(x, row(u, j, n), n);
                for (int k = 0; k < n; k++)
                    x[k] -= f * row(u, j, n)[k];
            }
        double length = sqrt(dot(x, x, n));
        for (int k = 0; k < n; k++)
            x[k] /= length;
    }
}

ig_code ig_singular(const double *a, int n, double *u, double *s, double *v, ig_err *err)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!isfinite(a[(size_t)i * (size_t)n + (size_t)j]))
                return ig_fail(err, IG_ERR_NUMERIC, "singular values", 0,
                               "a number of the matrix is not finite");
    gram(v, a, n);
    IG_TRY(ig_eigen_symmetric(v, s, n, err));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            row(u, k, n)[i] = dot(a + (size_t)i * (size_t)n, row(v, k, n), n);
    if (!sweeps(u, v, s, n))
        return ig_fail(err, IG_ERR_NUMERIC, "singular values", 0, "not found in %d sweeps",
                       (int)most_sweeps);
    for (int i = 0; i < n; i++)
        s[i] = sqrt(s[i]);
    for (int i = 0; i < n; i++) { /* selection: values fall, ties in order */
        int best = i;
        for (int j = i + 1; j < n; j++)
            best = s[j] > s[best] ? j : best;
        if (best == i)
            continue;
        double t = s[i];
        s[i] = s[best];
        s[best] = t;
        swap_rows(u, i, best, n);
        swap_rows(v, i, best, n);
    }
    int rank = 0;
    for (; rank < n && s[rank] > s[0] * DBL_EPSILON * n; rank++)
        for (int k = 0; k < n; k++)
            row(u, rank, n)[k] /= s[rank];
    for (int i = rank; i < n; i++)
        s[i] = 0;
    complete(u, rank, n);
    return IG_ERR_OK;
}
