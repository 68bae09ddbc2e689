/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes canonical correlations (Hotelling 1936) from the directions of both sides: with XᵀX = V
 * Λ Vᵀ they are the singular values of Λx^-½ Vxᵀ XᵀY Vy Λy^-½. Raghu et al. 2017 and Morcos et al.
 * 2018 differ in which directions count and how much.
 */
#include "analyse/products.h"
#include "analyse/similarity.h"
#include "base/memory.h"
#include "base/numeric/singular.h"
#include "base/numeric/sums.h"

#include <math.h>
#include <string.h>

/* The number of directions that hold 99 % of the variance. */
static int most(const ig_space *s)
{
    double sum = 0, part = 0;
    int k = 0;
    for (int i = 0; i < s->d; i++)
        sum += fmax(s->value[i], 0);
    while (k < s->rank && part < 0.99 * sum)
        part += s->value[k++];
    return k;
}

/* m[rank x, rank y] of all directions; c[dx, dy] = XᵀY, half[rank x, dy] is a buffer. */
static void correlations(double *m, double *half, const double *c, const ig_space *x,
                         const ig_space *y)
{
    memset(half, 0, (size_t)x->rank * (size_t)y->d * sizeof *half);
    for (int i = 0; i < x->rank; i++)
        for (int k = 0; k < x->d; k++) {
            const double f = x->axis[(int64_t)i * x->d + k] / sqrt(x->value[i]),
                         *row = c + (int64_t)k * y->d;
            for (int j = 0; j < y->d; j++)
                half[(int64_t)i * y->d + j] += f * row[j];
        }
    for (int i = 0; i < x->rank; i++)
        for (int j = 0; j < y->rank; j++) {
            const double *a = half + (int64_t)i * y->d, *b = y->axis + (int64_t)j * y->d;
            m[(int64_t)i * y->rank + j] = ig_dot(a, b, y->d) / sqrt(y->value[j]);
        }
}

/* The singular values of the first kx rows and ky columns of m, each with its direction of x. */
typedef struct {
    const double *m;                /* [rank x, rank y] */
    double *square, *u, *v, *value; /* [k, k], [k, k], [k, k], [k], k the greater of kx and ky */
} parts;

static ig_code decompose(const parts *p, int width, int kx, int ky, ig_err *err)
{
    const int k = kx > ky ? kx : ky;
    memset(p->square, 0, (size_t)k * (size_t)k * sizeof *p->square);
    for (int i = 0; i < kx; i++)
        memcpy(p->square + (int64_t)i * k, p->m + (int64_t)i * width, (size_t)ky * sizeof *p->m);
    return ig_singular(p->square, k, p->u, p->value, p->v, err);
}

/* Σ_j |⟨h, x_j⟩| of h = Σ_r u_r (direction r of x, as n numbers of length 1). */
static double explained(const double *u, const ig_space *x, double *work)
{
    double sum = 0;
    for (int j = 0; j < x->d; j++)
        work[j] = 0;
    for (int r = 0; r < x->rank; r++)
        for (int j = 0; j < x->d; j++)
            work[j] += u[r] * sqrt(x->value[r]) * x->axis[(int64_t)r * x->d + j];
    for (int j = 0; j < x->d; j++)
        sum += fabs(work[j]);
    return sum;
}

static ig_code cca(ig_cca *out, const parts *p, const ig_space *x, const ig_space *y, double *work,
                   ig_err *err)
{
    const int kx = most(x), ky = most(y), few = kx < ky ? kx : ky,
              all = x->rank < y->rank ? x->rank : y->rank,
              wide = x->rank > y->rank ? x->rank : y->rank;
    double sum = 0, weights = 0;
    IG_TRY(decompose(p, y->rank, kx, ky, err));
    for (int i = 0; i < few; i++)
        sum += fmin(p->value[i], 1);
    out->svcca = sum / few;
    IG_TRY(decompose(p, y->rank, x->rank, y->rank, err));
    sum = 0;
    for (int i = 0; i < all; i++) {
        const double w = explained(p->u + (int64_t)i * wide, x, work);
        weights += w;
        sum += w * fmin(p->value[i], 1);
    }
    out->pwcca = sum / weights;
    return IG_ERR_OK;
}

ig_code ig_similarity_cca(ig_cca *out, const ig_space *x, const ig_space *y,
                          const ig_similarity_with *with, ig_err *err)
{
    const int64_t d = x->d > y->d ? x->d : y->d, square = d * d;
    IG_OWNED double *c = NULL;
    *out = (ig_cca){(double)NAN, (double)NAN};
    if (x->n != y->n || x->axis == NULL || y->axis == NULL)
        return ig_fail(err, IG_ERR_INPUT, "similarity", 0,
                       "found two spaces of other rows or without directions");
    if (x->rank == 0 || y->rank == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&c, 5 * square + 2 * d, sizeof *c, "products", err));
    double *half = c + square, *m = c + 2 * square, *work = c + 5 * square + d;
    IG_TRY(ig_products_columns(c, x, y, with, err));
    correlations(m, half, c, x, y);
    const parts p = {m, c, half, c + 3 * square, c + 5 * square};
    return cca(out, &p, x, y, work, err);
}
