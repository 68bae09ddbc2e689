/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything over words is a matrix product in float32 with sums of at most PIECE words, but for
 * what is whitened: its small eigenvalues are divided by, so these products are in double, as is
 * everything of d × d. The maps are put together as matrices and applied once.
 */
#include "embed/map/map_linear.h"

#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/numeric/singular.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, PIECE = 1024 };

const char *const ig_dewhiten_names[] = {"none", "source", "target", NULL};

ig_code ig_map_pairs_add(ig_map_pairs *p, int32_t source, int32_t target, ig_err *err)
{
    IG_TRY(ig_grow(&p->source, &p->have_source, p->n + 1, sizeof *p->source, "pairs", err));
    IG_TRY(ig_grow(&p->target, &p->have_target, p->n + 1, sizeof *p->target, "pairs", err));
    p->source[p->n] = source;
    p->target[p->n++] = target;
    return IG_ERR_OK;
}

ig_code ig_map_pairs_copy(ig_map_pairs *p, const ig_map_pairs *from, int64_t n, int64_t m,
                          ig_err *err)
{
    for (int64_t i = 0; i < from->n; i++)
        if (from->source[i] < n && from->target[i] < m)
            IG_TRY(ig_map_pairs_add(p, from->source[i], from->target[i], err));
    return IG_ERR_OK;
}

void ig_map_pairs_free(ig_map_pairs *p)
{
    IG_FREE(p->source, p->target);
    *p = (ig_map_pairs){0};
}

typedef struct {
    ig_retrieve_side a, b;
    int d;
    const ig_ops *ops;
    double *sum;   /* [lanes, d, d] */
    float *buffer; /* [threads, 2 PIECE + d, d] */
    ig_scratch *scratch;
} cross_job;

static const float *gather(float *to, const ig_retrieve_side *s, int d, int64_t from, int64_t n)
{
    if (s->row == NULL)
        return s->x + from * d;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * d, s->x + (int64_t)s->row[from + i] * d, (size_t)d * sizeof *to);
    return to;
}

static void cross_lane(void *arg, int64_t lane, int i_thread)
{
    const cross_job *j = arg;
    const int64_t square = (int64_t)j->d * j->d;
    float *a = j->buffer + i_thread * (2 * PIECE + (int64_t)j->d) * j->d,
          *b = a + (int64_t)PIECE * j->d, *c = b + (int64_t)PIECE * j->d;
    double *sum = j->sum + lane * square;
    for (int64_t from = lane * PIECE; from < j->a.n; from += LANES * PIECE) {
        int64_t n = j->a.n - from < PIECE ? j->a.n - from : PIECE;
        const float *left = gather(a, &j->a, j->d, from, n),
                    *right = gather(b, &j->b, j->d, from, n);
        j->ops->gemm(&(ig_gemm){.m = j->d,
                                .n = j->d,
                                .k = (int)n,
                                .a = left,
                                .lda = j->d,
                                .a_trans = true,
                                .b = right,
                                .ldb = j->d,
                                .b_form = IG_B_ROWS,
                                .c = c,
                                .ldc = j->d},
                     &j->scratch[i_thread]);
        for (int64_t i = 0; i < square; i++)
            sum[i] += (double)c[i];
    }
}

ig_code ig_map_cross(double *out, ig_retrieve_side a, ig_retrieve_side b, ig_vector_work with,
                     ig_err *err)
{
    const int n_thread = ig_team_size(with.team), d = with.d;
    const int64_t square = (int64_t)d * d, pieces = (a.n + PIECE - 1) / PIECE;
    const int n_lane = pieces < LANES ? (int)pieces : LANES; /* those that have a piece */
    cross_job j = {.a = a, .b = b, .d = d, .ops = with.ops};
    ig_code code = ig_alloc(&j.sum, n_lane * square, sizeof *j.sum, "products", err);
    IG_THEN(code, ig_alloc(&j.buffer, n_thread * (2 * PIECE + (int64_t)d) * d, sizeof *j.buffer,
                           "products", err));
    IG_THEN(code, ig_alloc(&j.scratch, n_thread, sizeof *j.scratch, "scratch", err));
    if (code == IG_ERR_OK) {
        ig_team_for(with.team, n_lane, cross_lane, &j);
        code = ig_scratches_check(j.scratch, n_thread, err);
        memset(out, 0, (size_t)square * sizeof *out);
        for (int lane = 0; lane < n_lane; lane++)
            for (int64_t i = 0; i < square; i++)
                out[i] += j.sum[lane * square + i];
    }
    ig_scratches_free(j.scratch, n_thread);
    IG_FREE(j.buffer, j.sum);
    return code;
}

typedef struct {
    ig_retrieve_side a, b;
    int d;
    double *sum; /* [LANES, d, d] */
} double_job;

static const float *vector(const ig_retrieve_side *s, int64_t i, int d)
{
    return s->x + (s->row != NULL ? s->row[i] : i) * d;
}

/* Two words at a time: the sums are read and written half as often. */
static void double_lane(void *arg, int64_t lane, int i_thread)
{
    const double_job *j = arg;
    const int d = j->d;
    double *sum = j->sum + lane * d * d;
    const int64_t end = j->a.n * (lane + 1) / LANES;
    (void)i_thread;
    for (int64_t at = j->a.n * lane / LANES; at < end; at += 2) {
        const int64_t next = at + 1 < end ? at + 1 : at;
        const float *a = vector(&j->a, at, d), *b = vector(&j->b, at, d),
                    *a2 = vector(&j->a, next, d), *b2 = vector(&j->b, next, d);
        for (int i = 0; i < d; i++) {
            const double f = (double)a[i], f2 = next > at ? (double)a2[i] : 0;
            double *to = sum + (int64_t)i * d;
            for (int k = 0; k < d; k++)
                to[k] += f * (double)b[k] + f2 * (double)b2[k];
        }
    }
}

/* Computes the same sum as ig_map_cross, with products in double. */
static ig_code cross_in_double(double *out, ig_retrieve_side a, ig_retrieve_side b,
                               ig_vector_work with, ig_err *err)
{
    const int64_t square = (int64_t)with.d * with.d;
    double_job j = {.a = a, .b = b, .d = with.d};
    IG_TRY(ig_alloc(&j.sum, LANES * square, sizeof *j.sum, "products", err));
    ig_team_for(with.team, LANES, double_lane, &j);
    memset(out, 0, (size_t)square * sizeof *out);
    for (int lane = 0; lane < LANES; lane++)
        for (int64_t i = 0; i < square; i++)
            out[i] += j.sum[lane * square + i];
    ig_free(j.sum);
    return IG_ERR_OK;
}

void ig_map_multiply(double *c, const double *a, bool a_trans, const double *b, bool b_trans, int n)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int i = 0; i < n; i++) {
        double *to = c + (int64_t)i * n;
        for (int k = 0; k < n; k++) {
            double f = a_trans ? a[(int64_t)k * n + i] : a[(int64_t)i * n + k];
            const double *x = b_trans ? b + k : b + (int64_t)k * n;
            if (b_trans)
                for (int j = 0; j < n; j++)
                    to[j] += f * x[(int64_t)j * n];
            else
                for (int j = 0; j < n; j++)
                    to[j] += f * x[j];
        }
    }
}

ig_code ig_map_orthogonal(double *w, const double *cross, int d, ig_err *err)
{
    const int64_t square = (int64_t)d * d;
    IG_OWNED double *u = NULL;
    IG_TRY(ig_alloc(&u, 2 * square + d, sizeof *u, "singular vectors", err));
    IG_TRY(ig_singular(cross, d, u, u + 2 * square, u + square, err));
    ig_map_multiply(w, u, true, u + square, false, d);
    return IG_ERR_OK;
}

static ig_retrieve_side sources(const ig_map_spaces *s, const ig_map_pairs *p)
{
    return (ig_retrieve_side){s->x, p->source, p->n};
}

static ig_retrieve_side targets(const ig_map_spaces *s, const ig_map_pairs *p)
{
    return (ig_retrieve_side){s->z, p->target, p->n};
}

ig_code ig_map_procrustes(double *w, const ig_map_spaces *s, const ig_map_pairs *p, ig_err *err)
{
    IG_OWNED double *cross = NULL;
    IG_TRY(ig_alloc(&cross, (int64_t)s->d * s->d, sizeof *cross, "products", err));
    IG_TRY(ig_map_cross(cross, sources(s, p), targets(s, p), ig_map_with(s), err));
    return ig_map_orthogonal(w, cross, s->d, err);
}

ig_code ig_map_power(double *out, const double *a, double power, int n, int *rank, ig_err *err)
{
    const int64_t square = (int64_t)n * n;
    IG_OWNED double *v = NULL;
    IG_TRY(ig_alloc(&v, 2 * square + n, sizeof *v, "eigenvectors", err));
    double *scaled = v + square, *value = v + 2 * square;
    memcpy(v, a, (size_t)square * sizeof *v);
    IG_TRY(ig_eigen_symmetric(v, value, n, err));
    int have = 0;
    while (have < *rank && have < n && value[have] > 1e-10 * value[0])
        have++;
    *rank = have;
    for (int k = 0; k < n; k++) {
        double f = k < have ? pow(value[k], power) : 0;
        for (int i = 0; i < n; i++)
            scaled[(int64_t)k * n + i] = f * v[(int64_t)k * n + i];
    }
    ig_map_multiply(out, v, true, scaled, false, n);
    return IG_ERR_OK;
}

/* Keeps each word of the pairs once: repeated words span no more directions. */
static ig_code different(int64_t *out, const int32_t *row, int64_t n, ig_err *err)
{
    IG_OWNED int32_t *sorted = NULL;
    *out = 0;
    IG_TRY(ig_alloc(&sorted, n, sizeof *sorted, "pairs", err));
    memcpy(sorted, row, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ig_by_int32);
    for (int64_t i = 0; i < n; i++)
        *out += i == 0 || sorted[i] != sorted[i - 1];
    return IG_ERR_OK;
}

/* The whitening transform of the words of the pairs and its inverse: (Σ xᵀx)^∓½. *rank is the
 * number of directions that they span. */
static ig_code whitening(double *w, double *inverse, int *rank, ig_retrieve_side x,
                         const ig_map_spaces *s, ig_err *err)
{
    IG_OWNED double *gram = NULL;
    int64_t n_word;
    IG_TRY(different(&n_word, x.row, x.n, err));
    IG_TRY(ig_alloc(&gram, (int64_t)s->d * s->d, sizeof *gram, "products", err));
    *rank = n_word < s->d ? (int)n_word : s->d;
    IG_TRY(cross_in_double(gram, x, x, ig_map_with(s), err));
    IG_TRY(ig_map_power(w, gram, -0.5, s->d, rank, err));
    return ig_map_power(inverse, gram, 0.5, s->d, rank, err);
}

/* a ← a · Bᵀ · inverse · B, where the columns of Bᵀ … are rows here: b[k] is the k-th direction. */
static void dewhiten(double *a, const double *b, const double *inverse, double *work, int d)
{
    const int64_t square = (int64_t)d * d;
    ig_map_multiply(work, a, false, b, false, d);
    ig_map_multiply(work + square, work, false, inverse, false, d);
    ig_map_multiply(a, work + square, false, b, true, d);
}

/* Drops the columns of a[d, d] after the first `keep`, packed. */
static void first_columns(double *a, int d, int keep)
{
    for (int i = 0; i < d; i++)
        memmove(a + (int64_t)i * keep, a + (int64_t)i * d, (size_t)keep * sizeof *a);
}

ig_code ig_map_multi_step(const ig_multi_step *out, const ig_map_spaces *s, const ig_map_pairs *p,
                          const ig_map_steps *o, ig_err *err)
{
    double *a_x = out->x, *a_z = out->z, *singular = out->singular;
    const int d = s->d;
    const int64_t square = (int64_t)d * d;
    double *block = NULL;
    IG_TRY(ig_alloc(&block, 9 * square, sizeof *block, "maps", err));
    double *w_x = block, *w_z = w_x + square, *back_x = w_z + square, *back_z = back_x + square,
           *cross = back_z + square, *u = cross + square, *v = u + square, *work = v + square;
    int rank[2] = {d, d};
    ig_code code = cross_in_double(cross, sources(s, p), targets(s, p), ig_map_with(s), err);
    if (o->whiten) {
        IG_THEN(code, whitening(w_x, back_x, &rank[0], sources(s, p), s, err));
        IG_THEN(code, whitening(w_z, back_z, &rank[1], targets(s, p), s, err));
        if (code == IG_ERR_OK) {
            ig_map_multiply(work, w_x, false, cross, false, d);
            ig_map_multiply(cross, work, false, w_z, false, d);
        }
    }
    IG_THEN(code, ig_singular(cross, d, u, singular, v, err));
    if (code != IG_ERR_OK)
        goto done;
    /* Beyond the rank there is rounding only, and its root is not small. */
    for (int k = rank[0] < rank[1] ? rank[0] : rank[1]; k < d; k++)
        singular[k] = 0;
    /* Whitened, then turned to the common directions: rows of u and of v are these. */
    if (o->whiten) {
        ig_map_multiply(a_x, w_x, false, u, true, d);
        ig_map_multiply(a_z, w_z, false, v, true, d);
    } else {
        for (int i = 0; i < d; i++)
            for (int k = 0; k < d; k++) {
                a_x[(int64_t)i * d + k] = u[(int64_t)k * d + i];
                a_z[(int64_t)i * d + k] = v[(int64_t)k * d + i];
            }
    }
    for (int k = 0; k < d; k++) {
        double f_x = o->reweight_x > 0 ? pow(singular[k], o->reweight_x) : 1;
        double f_z = o->reweight_z > 0 ? pow(singular[k], o->reweight_z) : 1;
        for (int i = 0; i < d; i++) {
            a_x[(int64_t)i * d + k] *= f_x;
            a_z[(int64_t)i * d + k] *= f_z;
        }
    }
    if (o->whiten && o->dewhiten_x != IG_DEWHITEN_NONE)
        dewhiten(a_x, o->dewhiten_x == IG_DEWHITEN_SOURCE ? u : v,
                 o->dewhiten_x == IG_DEWHITEN_SOURCE ? back_x : back_z, work, d);
    if (o->whiten && o->dewhiten_z != IG_DEWHITEN_NONE)
        dewhiten(a_z, o->dewhiten_z == IG_DEWHITEN_SOURCE ? u : v,
                 o->dewhiten_z == IG_DEWHITEN_SOURCE ? back_x : back_z, work, d);
    *out->d_out = o->dim > 0 && o->dim < d ? o->dim : d;
    first_columns(a_x, d, *out->d_out);
    first_columns(a_z, d, *out->d_out);
done:
    ig_free(block);
    return code;
}

ig_code ig_map_apply(float *out, const float *x, int64_t n, ig_map_matrix by, ig_vector_work with,
                     ig_err *err)
{
    IG_OWNED float *columns = NULL;
    IG_TRY(ig_alloc(&columns, (int64_t)with.d * by.d_out, sizeof *columns, "map", err));
    for (int i = 0; i < with.d; i++)
        for (int k = 0; k < by.d_out; k++)
            columns[(int64_t)k * with.d + i] = (float)by.a[(int64_t)i * by.d_out + k];
    const ig_retrieve_side rows = {x, NULL, n}, of = {columns, NULL, by.d_out};
    return ig_retrieve_products(out, &rows, &of, with, err);
}
