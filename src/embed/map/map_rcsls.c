/* SPDX-License-Identifier: Apache-2.0
 *
 * The loss of Joulin et al. 2018, equation 5, and its gradient with the neighbours held: for pairs
 * (x, y), with z̄ the mean of the k targets nearest to x W and ū that of the k sources u whose u W
 * is nearest to y, the gradient is mean of −2 xᵀy + xᵀz̄ + ūᵀy. A full gradient a round; constraint
 * and halving of the rate as in the authors' description.
 */
#include "embed/map/map_rcsls.h"

#include "base/memory.h"
#include "base/numeric/singular.h"

#include <math.h>
#include <string.h>

typedef struct {
    const ig_map_spaces *s;
    const ig_map_pairs *p;
    const ig_rcsls_options *o;
    int64_t words_x, words_z;
    float *x, *y;          /* [pairs, d] the vectors of the pairs */
    float *mapped;         /* [pairs, d] x W */
    float *source;         /* [words_x, d] u W */
    float *mean;           /* [pairs, d] */
    int32_t *at;           /* [pairs, k] */
    float *value;          /* [pairs, k] */
    double *cross, *fixed; /* [d, d]; Σ xᵀy */
} solver;

/* out[d, d] = Σ aᵀb over the pairs. */
static ig_code cross_of(const solver *v, double *out, const float *a, const float *b, ig_err *err)
{
    const int64_t n = v->p->n;
    return ig_map_cross(out, (ig_retrieve_side){a, NULL, n}, (ig_retrieve_side){b, NULL, n},
                        ig_map_with(v->s), err);
}

static ig_code solver_new(solver *v, ig_err *err)
{
    const ig_map_spaces *s = v->s;
    const int64_t most = v->o->words > 0 ? v->o->words : INT64_MAX, n = v->p->n, d = s->d;
    v->words_x = s->n_x < most ? s->n_x : most;
    v->words_z = s->n_z < most ? s->n_z : most;
    IG_TRY(ig_alloc(&v->x, n * d, sizeof *v->x, "pairs", err));
    IG_TRY(ig_alloc(&v->y, n * d, sizeof *v->y, "pairs", err));
    IG_TRY(ig_alloc(&v->mapped, n * d, sizeof *v->mapped, "pairs", err));
    IG_TRY(ig_alloc(&v->mean, n * d, sizeof *v->mean, "pairs", err));
    IG_TRY(ig_alloc(&v->source, v->words_x * d, sizeof *v->source, "mapped vectors", err));
    IG_TRY(ig_alloc(&v->at, n * v->o->k, sizeof *v->at, "neighbours", err));
    IG_TRY(ig_alloc(&v->value, n * v->o->k, sizeof *v->value, "neighbours", err));
    IG_TRY(ig_alloc(&v->cross, d * d, sizeof *v->cross, "products", err));
    IG_TRY(ig_alloc(&v->fixed, d * d, sizeof *v->fixed, "products", err));
    for (int64_t i = 0; i < n; i++) {
        memcpy(v->x + i * d, s->x + (int64_t)v->p->source[i] * d, (size_t)d * sizeof *v->x);
        memcpy(v->y + i * d, s->z + (int64_t)v->p->target[i] * d, (size_t)d * sizeof *v->y);
    }
    return cross_of(v, v->fixed, v->x, v->y, err);
}

/* Sum over pairs of the mean of the k best products of query rows with z; the mean of their rows of
 * `of` into v->mean. */
static ig_code nearest_means(solver *v, double *sum, const float *query, ig_retrieve_side z,
                             const float *of, ig_err *err)
{
    const ig_map_spaces *s = v->s;
    const int64_t n = v->p->n, d = s->d;
    const int k = z.n < v->o->k ? (int)z.n : v->o->k;
    const ig_retrieve_side asks = {query, NULL, n};
    const ig_retrieve_want want[2] = {{k, NULL, v->at, v->value, NULL}, {0}};
    IG_TRY(ig_retrieve_top(&asks, &z, want, NULL, ig_map_with(s), err));
    *sum = 0;
    memset(v->mean, 0, (size_t)(n * d) * sizeof *v->mean);
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = i * k; q < (i + 1) * k; q++) {
            const float *row = of + (int64_t)v->at[q] * d;
            *sum += (double)v->value[q] / k;
            for (int64_t c = 0; c < d; c++)
                v->mean[i * d + c] += row[c] / (float)k;
        }
    return IG_ERR_OK;
}

static ig_code loss_of(solver *v, double *loss, double *gradient, const double *w, ig_err *err)
{
    const ig_map_spaces *s = v->s;
    const int64_t n = v->p->n, square = (int64_t)s->d * s->d;
    double near_x, near_y, sum = 0;
    const ig_map_matrix by = {w, s->d};
    const ig_retrieve_side sources = {v->source, NULL, v->words_x},
                           targets = {s->z, NULL, v->words_z};
    IG_TRY(ig_map_apply(v->mapped, v->x, n, by, ig_map_with(s), err));
    IG_TRY(ig_map_apply(v->source, s->x, v->words_x, by, ig_map_with(s), err));
    for (int64_t i = 0; i < square; i++) {
        sum += v->fixed[i] * w[i];
        gradient[i] = -2 * v->fixed[i];
    }
    IG_TRY(nearest_means(v, &near_x, v->mapped, targets, s->z, err));
    IG_TRY(cross_of(v, v->cross, v->x, v->mean, err));
    for (int64_t i = 0; i < square; i++)
        gradient[i] += v->cross[i];
    IG_TRY(nearest_means(v, &near_y, v->y, sources, s->x, err));
    IG_TRY(cross_of(v, v->cross, v->mean, v->y, err));
    for (int64_t i = 0; i < square; i++)
        gradient[i] = (gradient[i] + v->cross[i]) / (double)n;
    *loss = (-2 * sum + near_x + near_y) / (double)n;
    return IG_ERR_OK;
}

/* Singular values above 1 become 1. */
static ig_code into_spectral_ball(double *w, int d, ig_err *err)
{
    const int64_t square = (int64_t)d * d;
    double *u = NULL;
    IG_TRY(ig_alloc(&u, 2 * square + d, sizeof *u, "singular vectors", err));
    double *v = u + square, *value = u + 2 * square;
    ig_code code = ig_singular(w, d, u, value, v, err);
    if (code == IG_ERR_OK) {
        for (int k = 0; k < d; k++)
            for (int i = 0; i < d && value[k] < 1; i++)
                v[(int64_t)k * d + i] *= value[k];
        ig_map_multiply(w, u, true, v, false, d);
    }
    ig_free(u);
    return code;
}

ig_code ig_map_rcsls(double *w, const ig_map_spaces *s, const ig_map_pairs *p,
                     const ig_rcsls_options *o, const ig_rcsls_listener *l, ig_err *err)
{
    const int64_t square = (int64_t)s->d * s->d;
    solver v = {.s = s, .p = p, .o = o};
    double *block = NULL, rate = o->rate, loss, last = (double)INFINITY;
    ig_code code = solver_new(&v, err);
    IG_THEN(code, ig_alloc(&block, 2 * square, sizeof *block, "gradient", err));
    double *gradient = block, *before = block == NULL ? NULL : block + square;
    for (int64_t round = 0; round <= o->rounds && rate >= 1e-4 && code == IG_ERR_OK; round++) {
        code = loss_of(&v, &loss, gradient, w, err);
        if (code == IG_ERR_OK && !isfinite(loss))
            code = ig_fail(err, IG_ERR_NUMERIC, "RCSLS", 0, "the loss is not finite");
        if (code != IG_ERR_OK)
            break;
        if (loss > last) {
            /* The step was too long: undo it, and try half of it from the same gradient. */
            rate /= 2;
            memcpy(w, before, (size_t)square * sizeof *w);
            code = loss_of(&v, &loss, gradient, w, err);
        }
        IG_THEN(code, l->note(l->arg, loss, err));
        last = loss;
        memcpy(before, w, (size_t)square * sizeof *w);
        if (round == o->rounds)
            break;
        for (int64_t i = 0; i < square; i++)
            w[i] -= rate * gradient[i];
        if (o->spectral && code == IG_ERR_OK)
            code = into_spectral_ball(w, s->d, err);
    }
    ig_free(block);
    IG_FREE(v.x, v.y, v.mapped, v.mean, v.source, v.at, v.value, v.cross, v.fixed);
    return code;
}
