/* SPDX-License-Identifier: Apache-2.0
 *
 * Hard pairs of a bad map are nearly all wrong, and a map from wrong pairs is bad: self-learning
 * escapes that only by luck. Soft pairs at a high temperature keep what little is known of every
 * word; the map averages over it.
 */
#include "embed/map/map_anneal.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/rng.h"
#include "embed/map/map_polar.h"
#include "embed/map/map_seed.h"
#include "embed/train/exp_float.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 64, SWEEPS = 5, DRAW_TURN = 0x60000000 };

typedef struct {
    const ig_map_spaces *s;
    const ig_anneal_options *o;
    int64_t n, n_task;
    float *p;       /* [n, n] products, then soft pairs without the factors `row` and `column` */
    float *row;     /* [n] p_ij · row_i · column_j are the soft pairs */
    float *column;  /* [n] */
    float *rank;    /* [n] l */
    float *partial; /* [tasks, n] sums of columns over the rows of a task */
    float *x;       /* [n, d] x W */
    float *mean;    /* [n, d] Σ_j of soft pairs times z_j */
    float *z;       /* [n, d] column_j z_j */
    float *packed;  /* zᵀ, later z with its factors */
    ig_scratch *scratch;
    double temperature;
    const float *left; /* [n, width] x W; at first the rows of sorted similarities */
    int width;
} anneal;

/* p = exp(products / τ − κ |difference of ranks|), the largest of a row 1. */
static void soften_task(void *arg, int64_t task, int i_thread)
{
    anneal *a = arg;
    const int64_t n = a->n, from = task * ROWS, end = from + ROWS < n ? from + ROWS : n;
    const float cold = (float)(1 / a->temperature), kappa = (float)a->o->frequency;
    const ig_gemm product = ig_gemm_packed(a->left + from * a->width, (int)(end - from), a->width,
                                           a->packed, (int)n, a->p + from * n);
    a->s->ops->gemm(&product, &a->scratch[i_thread]);
    for (int64_t i = from; i < end; i++) {
        float *p = a->p + i * n, most = -INFINITY;
        const float here = a->rank[i];
        for (int64_t j = 0; j < n; j++)
            p[j] = p[j] * cold - kappa * fabsf(here - a->rank[j]);
        for (int64_t j = 0; j < n; j++)
            most = p[j] > most ? p[j] : most;
        for (int64_t j = 0; j < n; j++) {
            const float v = p[j] - most;
            p[j] = ig_exp_float(v > -80 ? v : -80);
        }
    }
}

/* Scales rows to sum 1, and sums the columns that result. */
static void sweep_task(void *arg, int64_t task, int i_thread)
{
    anneal *a = arg;
    const int64_t n = a->n, from = task * ROWS, end = from + ROWS < n ? from + ROWS : n;
    float *sum = a->partial + task * n;
    (void)i_thread;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t i = from; i < end; i++) {
        const float *p = a->p + i * n;
        float part[16] = {0}, all = 0;
        int64_t j = 0;
        for (; j + 16 <= n; j += 16)
            for (int c = 0; c < 16; c++)
                part[c] += p[j + c] * a->column[j + c];
        for (; j < n; j++)
            part[0] += p[j] * a->column[j];
        for (int c = 0; c < 16; c++)
            all += part[c];
        const float row = a->row[i] = 1 / all;
        for (j = 0; j < n; j++)
            sum[j] += row * p[j];
    }
}

/* Σ_j of soft pairs times z_j. */
static void mean_task(void *arg, int64_t task, int i_thread)
{
    anneal *a = arg;
    const int d = a->s->d;
    const int64_t n = a->n, from = task * ROWS, end = from + ROWS < n ? from + ROWS : n;
    const ig_gemm product = ig_gemm_packed(a->p + from * n, (int)(end - from), (int)n, a->packed, d,
                                           a->mean + from * d);
    a->s->ops->gemm(&product, &a->scratch[i_thread]);
    for (int64_t i = from; i < end; i++)
        for (int c = 0; c < d; c++)
            a->mean[i * d + c] *= a->row[i];
}

/* Soft pairs of left[n, width] and right[n, width]. */
static void soft_pairs(anneal *a, const float *left, const float *right, int width)
{
    const int64_t n = a->n;
    a->left = left;
    a->width = width;
    a->s->ops->pack_b(a->packed, right, width, IG_B_COLS, width, (int)n);
    ig_team_for(a->s->team, a->n_task, soften_task, a);
    for (int64_t j = 0; j < n; j++)
        a->column[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        ig_team_for(a->s->team, a->n_task, sweep_task, a);
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t t = 0; t < a->n_task; t++)
                sum += a->partial[t * n + j];
            a->column[j] = 1 / (sum + 1e-30f);
        }
    }
}

/* Computes W of the soft pairs, and x W. */
static ig_code turn(anneal *a, double *w, double *cross, ig_err *err)
{
    const ig_map_spaces *s = a->s;
    const int d = s->d;
    for (int64_t j = 0; j < a->n; j++)
        for (int c = 0; c < d; c++)
            a->z[j * d + c] = a->column[j] * s->z[j * d + c];
    s->ops->pack_b(a->packed, a->z, d, IG_B_ROWS, (int)a->n, d);
    ig_team_for(s->team, a->n_task, mean_task, a);
    IG_TRY(ig_map_cross(cross, (ig_retrieve_side){s->x, NULL, a->n},
                        (ig_retrieve_side){a->mean, NULL, a->n}, ig_map_with(s), err));
    IG_TRY(ig_map_polar(w, cross, d, s->ops, s->team, err));
    return ig_map_apply(a->x, s->x, a->n, (ig_map_matrix){w, d}, ig_map_with(s), err);
}

/* The first soft pairs of a random start: the orthogonal factor of normal numbers. */
static ig_code begin_random(anneal *a, double *w, ig_err *err)
{
    const ig_map_spaces *s = a->s;
    const int d = s->d;
    double *normal = w + (int64_t)d * d;
    ig_rng r = ig_rng_make(a->o->seed, IG_STREAM_MAP, DRAW_TURN, a->o->draw);
    for (int64_t i = 0; i < (int64_t)d * d; i++)
        normal[i] = ig_rng_normal(&r);
    IG_TRY(ig_map_polar(w, normal, d, s->ops, s->team, err));
    IG_TRY(ig_map_apply(a->x, s->x, a->n, (ig_map_matrix){w, d}, ig_map_with(s), err));
    soft_pairs(a, a->x, s->z, d);
    return IG_ERR_OK;
}

/* The first soft pairs: √(X Xᵀ) of both sides, rows sorted and normalised. */
static ig_code begin(anneal *a, const ig_steps *steps, ig_err *err)
{
    const int64_t n = a->n;
    float *rows;
    IG_TRY(ig_alloc(&rows, 2 * n * n, sizeof *rows, "similarities", err));
    ig_code code = ig_map_similarity_rows(rows, rows + n * n, a->s, n, steps, err);
    if (code == IG_ERR_OK)
        soft_pairs(a, rows, rows + n * n, (int)n);
    ig_free(rows);
    return code;
}

static ig_code rounds(anneal *a, double *w, const ig_steps *steps, ig_err *err)
{
    const ig_anneal_options *o = a->o;
    const int d = a->s->d;
    char text[64];
    a->temperature = o->from;
    IG_TRY(o->random ? begin_random(a, w, err) : begin(a, steps, err));
    for (int64_t round = 1; a->temperature > o->to; round++) {
        IG_TRY(turn(a, w, w + (int64_t)d * d, err));
        soft_pairs(a, a->x, a->s->z, d);
        a->temperature *= o->factor;
        snprintf(text, sizeof text, "temperature %.3f", a->temperature);
        ig_progress(round, text);
    }
    return turn(a, w, w + (int64_t)d * d, err);
}

ig_code ig_map_seed_annealed(ig_map_pairs *p, const ig_map_spaces *s, const ig_anneal_options *o,
                             const ig_steps *steps, ig_err *err)
{
    anneal a = {.s = s, .o = o, .n = o->words};
    double *w = NULL;
    const int n_thread = ig_team_size(s->team), d = s->d;
    a.n = s->n_x < a.n ? s->n_x : a.n;
    a.n = s->n_z < a.n ? s->n_z : a.n;
    a.n_task = (a.n + ROWS - 1) / ROWS;
    const int64_t n = a.n, pack[3] = {s->ops->pack_size((int)n, (int)n),
                                      s->ops->pack_size(d, (int)n), s->ops->pack_size((int)n, d)};
    const int64_t most = pack[0] > pack[1] ? pack[0] : pack[1];
    ig_code code = ig_alloc(&w, 2 * (int64_t)d * d, sizeof *w, "map", err);
    IG_THEN(code, ig_alloc(&a.p, n * n, sizeof *a.p, "similarities", err));
    IG_THEN(code, ig_alloc(&a.partial, a.n_task * n, sizeof *a.partial, "similarities", err));
    IG_THEN(code, ig_alloc(&a.row, 3 * n, sizeof *a.row, "similarities", err));
    IG_THEN(code, ig_alloc(&a.x, 3 * n * d, sizeof *a.x, "vectors", err));
    IG_THEN(code,
            ig_alloc(&a.packed, most > pack[2] ? most : pack[2], sizeof *a.packed, "vectors", err));
    IG_THEN(code, ig_alloc(&a.scratch, n_thread, sizeof *a.scratch, "scratch", err));
    if (code == IG_ERR_OK) {
        a.column = a.row + n;
        a.rank = a.row + 2 * n;
        a.mean = a.x + n * d;
        a.z = a.x + 2 * n * d;
        for (int64_t i = 0; i < n; i++)
            a.rank[i] = (float)log(10 + (double)i);
        ig_progress_begin("first pairs", (int64_t)ceil(log(o->to / o->from) / log(o->factor)));
        code = rounds(&a, w, steps, err);
        ig_progress_end();
    }
    IG_THEN(code, ig_map_seed_best(p, (ig_square_pair){a.x, s->z, n}, o->k, ig_map_with(s), err));
    IG_THEN(code, ig_scratches_check(a.scratch, n_thread, err));
    ig_scratches_free(a.scratch, n_thread);
    IG_FREE(a.packed, a.x, a.row, a.partial, a.p, w);
    return code;
}
