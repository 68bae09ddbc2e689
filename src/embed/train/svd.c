/* SPDX-License-Identifier: Apache-2.0
 *
 * M [V, V] sparse, by rows. Subspace iteration from a random block (Halko, Martinsson, Tropp,
 * "Finding structure with randomness", SIAM Review 53(2), 2011, algorithm 4.4): Q = orth(M Mᵀ Q),
 * until it has converged; then, with B = Mᵀ Q, the eigenvectors of BᵀB give U = Q W and the
 * singular values. M is not symmetric once context counts are smoothed, so its transpose is kept,
 * too. Orthogonalisation is by Cholesky's factor of QᵀQ, twice. All in double; rows are tasks, sums
 * have the order of the cells.
 */
#include "embed/train/svd.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { EXTRA = 16, ROWS = 256, FIRST_LOOK = 8, MOST_PASSES = 512 };
static const double CONVERGED = 1e-3;

typedef struct {
    int64_t *start; /* [n + 1] */
    int32_t *column;
    float *value;
} sparse;

typedef struct {
    const ig_svd_options *o;
    ig_cooccur index;
    int32_t n;
    double *word_sum, *context, context_sum, all;
    sparse m, t; /* the table and its transpose */
    int k;       /* columns of the block */
    const sparse *by;
    const double *from;
    double *to, *gram; /* [n, k]; [tasks, k, k] or [k, k] */
    const double *factor;
    int passes;
} solver;

static void sum_row(void *arg, int32_t w, const ig_cooccur_row *r)
{
    solver *s = arg;
    s->word_sum[w] = 0;
    for (int32_t i = 0; i < r->n; i++)
        s->word_sum[w] += r->sum[r->word[i]];
}

/* max(log(x · all / (word · context)) − log shift, 0). */
static double ppmi(const solver *s, int32_t w, int32_t c, double x)
{
    double pmi = log(x * s->context_sum / (s->word_sum[w] * s->context[c])) - log(s->o->shift);
    return pmi > 0 ? pmi : 0;
}

static void count_row(void *arg, int32_t w, const ig_cooccur_row *r)
{
    const solver *s = arg;
    for (int32_t i = 0; i < r->n; i++)
        s->m.start[w + 1] += ppmi(s, w, r->word[i], r->sum[r->word[i]]) > 0;
}

static void fill_row(void *arg, int32_t w, const ig_cooccur_row *r)
{
    const solver *s = arg;
    int64_t at = s->m.start[w];
    for (int32_t i = 0; i < r->n; i++) {
        double x = ppmi(s, w, r->word[i], r->sum[r->word[i]]);
        if (x > 0) {
            s->m.column[at] = r->word[i];
            s->m.value[at++] = (float)x;
        }
    }
}

static ig_code sparse_new(sparse *m, int64_t n_cell, ig_err *err)
{
    IG_TRY(ig_alloc(&m->column, n_cell, sizeof *m->column, "cells", err));
    return ig_alloc(&m->value, n_cell, sizeof *m->value, "cells", err);
}

static void sparse_free(sparse *m)
{
    IG_FREE(m->start, m->column, m->value);
}

/* Rows in order go to the columns, so the cells of each are in order. */
static ig_code transpose(solver *s, ig_err *err)
{
    int64_t *at;
    IG_TRY(ig_alloc(&s->t.start, (int64_t)s->n + 1, sizeof *s->t.start, "cells", err));
    IG_TRY(sparse_new(&s->t, s->m.start[s->n], err));
    IG_TRY(ig_alloc(&at, s->n, sizeof *at, "cells", err));
    for (int64_t i = 0; i < s->m.start[s->n]; i++)
        s->t.start[s->m.column[i] + 1]++;
    for (int32_t i = 0; i < s->n; i++) {
        s->t.start[i + 1] += s->t.start[i];
        at[i] = s->t.start[i];
    }
    for (int32_t w = 0; w < s->n; w++)
        for (int64_t i = s->m.start[w]; i < s->m.start[w + 1]; i++) {
            int64_t to = at[s->m.column[i]]++;
            s->t.column[to] = w;
            s->t.value[to] = s->m.value[i];
        }
    ig_free(at);
    return IG_ERR_OK;
}

static ig_code make_table(solver *s, const ig_text_ids *text, ig_team *team, ig_err *err)
{
    IG_TRY(ig_cooccur_new(&s->index, text, &s->o->cooccur, team, err));
    IG_TRY(ig_alloc(&s->word_sum, s->n, sizeof *s->word_sum, "counts", err));
    IG_TRY(ig_alloc(&s->context, s->n, sizeof *s->context, "counts", err));
    ig_cooccur_each(&s->index, sum_row, s);
    /* A symmetric table: the sums of its columns are those of its rows. */
    for (int32_t w = 0; w < s->n; w++) {
        s->context[w] = pow(s->word_sum[w], s->o->smoothing);
        s->context_sum += s->context[w];
    }
    IG_TRY(ig_alloc(&s->m.start, (int64_t)s->n + 1, sizeof *s->m.start, "cells", err));
    ig_cooccur_each(&s->index, count_row, s);
    for (int32_t w = 0; w < s->n; w++)
        s->m.start[w + 1] += s->m.start[w];
    if (s->m.start[s->n] == 0)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "no two words stand together more than by chance");
    IG_TRY(sparse_new(&s->m, s->m.start[s->n], err));
    ig_cooccur_each(&s->index, fill_row, s);
    return transpose(s, err);
}

static int64_t rows_end(const solver *s, int64_t task)
{
    return (task + 1) * ROWS < s->n ? (task + 1) * ROWS : s->n;
}

/* to = by · from. */
static void multiply_task(void *arg, int64_t task, int i_thread)
{
    const solver *s = arg;
    const int k = s->k;
    (void)i_thread;
    for (int64_t r = task * ROWS; r < rows_end(s, task); r++) {
        double *to = s->to + r * k;
        memset(to, 0, (size_t)k * sizeof *to);
        for (int64_t i = s->by->start[r]; i < s->by->start[r + 1]; i++) {
            const double *from = s->from + (int64_t)s->by->column[i] * k,
                         x = (double)s->by->value[i];
            for (int j = 0; j < k; j++)
                to[j] += x * from[j];
        }
    }
}

/* Row i of the lower half of fromᵀ from. */
static void gram_task(void *arg, int64_t i, int i_thread)
{
    const solver *s = arg;
    double *g = s->gram + i * s->k;
    (void)i_thread;
    memset(g, 0, (size_t)s->k * sizeof *g);
    for (int64_t r = 0; r < s->n; r++) {
        const double *x = s->from + r * s->k, a = x[i];
        for (int64_t j = 0; j <= i; j++)
            g[j] += a * x[j];
    }
}

/* Solves to L ᵀ = to, a row at a time. */
static void solve_task(void *arg, int64_t task, int i_thread)
{
    const solver *s = arg;
    (void)i_thread;
    for (int64_t r = task * ROWS; r < rows_end(s, task); r++) {
        double *x = s->to + r * s->k;
        for (int i = 0; i < s->k; i++) {
            const double *l = s->factor + (int64_t)i * s->k;
            for (int j = 0; j < i; j++)
                x[i] -= l[j] * x[j];
            x[i] /= l[i];
        }
    }
}

/* Cholesky factor in place of the lower half; directions that are (nearly) spanned by earlier ones
 * get a large pivot, which makes them vanish. */
static void cholesky(double *a, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, a[(int64_t)i * n + i]);
    for (int i = 0; i < n; i++) {
        double *x = a + (int64_t)i * n;
        for (int j = 0; j <= i; j++) {
            const double *y = a + (int64_t)j * n;
            for (int k = 0; k < j; k++)
                x[j] -= x[k] * y[k];
            if (j < i)
                x[j] /= y[j];
        }
        x[i] = x[i] > 1e-14 * largest ? sqrt(x[i]) : 1e150;
    }
}

static void orthogonalise(solver *s, double *q, ig_team *team)
{
    for (int twice = 0; twice < 2; twice++) {
        s->from = q;
        s->to = q;
        ig_team_for(team, s->k, gram_task, s);
        cholesky(s->gram, s->k);
        s->factor = s->gram;
        ig_team_for(team, ((int64_t)s->n + ROWS - 1) / ROWS, solve_task, s);
    }
}

static void multiply(solver *s, const sparse *by, const double *from, double *to, ig_team *team)
{
    s->by = by;
    s->from = from;
    s->to = to;
    ig_team_for(team, ((int64_t)s->n + ROWS - 1) / ROWS, multiply_task, s);
}

/* Singular values (squared) and their directions within the block: `gram` and `value`. */
static ig_code values_of_block(solver *s, const double *q, double *b, double *value, ig_team *team,
                               ig_err *err)
{
    multiply(s, &s->t, q, b, team);
    s->from = b;
    ig_team_for(team, s->k, gram_task, s);
    return ig_eigen_symmetric(s->gram, value, s->k, err);
}

/* Values of the block grow towards the singular values, the smallest last: it has converged when
 * twice as many passes made that of the last dimension grow by less than CONVERGED, since the rest
 * shrinks by at least as much again with every doubling. */
static ig_code factorise(solver *s, double *q, double *b, double *value, ig_team *team, ig_err *err)
{
    const int requested = s->o->passes, most = requested > 0 ? requested : MOST_PASSES;
    double before = 0;
    ig_rng r = ig_rng_make(s->o->seed, IG_STREAM_EMBED, 0, UINT32_MAX);
    for (int64_t i = 0; i < (int64_t)s->n * s->k; i++)
        q[i] = ig_rng_normal(&r);
    ig_progress_begin("factorising", most);
    ig_code code = IG_ERR_OK;
    for (int look = FIRST_LOOK; s->passes < most && code == IG_ERR_OK;) {
        multiply(s, &s->t, q, b, team);
        orthogonalise(s, b, team);
        multiply(s, &s->m, b, q, team);
        orthogonalise(s, q, team);
        ig_progress(++s->passes, NULL);
        if (requested > 0 || s->passes < look)
            continue;
        look *= 2;
        code = values_of_block(s, q, b, value, team, err);
        const double now = sqrt(fmax(value[s->o->dim - 1], 0));
        if (code != IG_ERR_OK || now - before <= CONVERGED * now)
            break;
        before = now;
    }
    ig_progress_end();
    return code == IG_ERR_OK ? values_of_block(s, q, b, value, team, err) : code;
}

static ig_code to_vectors(ig_vectors *out, ig_text_ids *text, const solver *s, const double *q,
                          const double *value, ig_err *err)
{
    IG_TRY(ig_vectors_new(out, &text->words, s->o->dim, err));
    for (int c = 0; c < s->o->dim; c++) {
        const double *w = s->gram + (int64_t)c * s->k;
        double scale = value[c] > 0 ? pow(value[c], s->o->power / 2) : 0;
        for (int64_t i = 0; i < s->n; i++) {
            double x = 0;
            for (int j = 0; j < s->k; j++)
                x += q[i * s->k + j] * w[j];
            out->x[i * s->o->dim + c] = (float)(x * scale);
        }
    }
    return IG_ERR_OK;
}

static void fill_report(ig_svd_report *r, const solver *s, const double *value)
{
    double squares = 0, explained = 0;
    r->n_cell = s->m.start[s->n];
    for (int64_t i = 0; i < r->n_cell; i++)
        squares += (double)s->m.value[i] * (double)s->m.value[i];
    for (int i = 0; i < s->o->dim; i++)
        explained += fmax(value[i], 0);
    r->first = sqrt(fmax(value[0], 0));
    r->last = sqrt(fmax(value[s->o->dim - 1], 0));
    r->share = explained / squares;
}

static void solver_free(solver *s)
{
    ig_cooccur_free(&s->index);
    sparse_free(&s->m);
    sparse_free(&s->t);
    IG_FREE(s->word_sum, s->context, s->gram);
}

ig_code ig_svd(ig_vectors *out, ig_text_ids *text, const ig_svd_options *o, ig_team *team,
               ig_svd_report *report, ig_err *err)
{
    solver s = {.o = o, .n = text->words.n};
    double *q = NULL, *b = NULL, *value = NULL;
    *out = (ig_vectors){0};
    *report = (ig_svd_report){0};
    if (o->dim > s.n)
        return ig_fail(err, IG_ERR_USAGE, "--dim", 0,
                       "found %d for %d words, expected at most that", o->dim, s.n);
    s.k = o->dim + EXTRA < s.n ? o->dim + EXTRA : s.n;
    ig_code code = make_table(&s, text, team, err);
    IG_THEN(code, ig_alloc(&q, (int64_t)s.n * s.k, sizeof *q, "vectors", err));
    IG_THEN(code, ig_alloc(&b, (int64_t)s.n * s.k, sizeof *b, "vectors", err));
    IG_THEN(code, ig_alloc(&s.gram, (int64_t)s.k * s.k, sizeof *s.gram, "vectors", err));
    IG_THEN(code, ig_alloc(&value, s.k, sizeof *value, "singular values", err));
    IG_THEN(code, factorise(&s, q, b, value, team, err));
    report->passes = s.passes;
    if (code == IG_ERR_OK) {
        fill_report(report, &s, value);
        code = to_vectors(out, text, &s, q, value, err);
    }
    IG_FREE(q, b, value);
    solver_free(&s);
    return code;
}
