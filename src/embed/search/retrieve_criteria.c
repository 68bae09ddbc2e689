/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes what retrieval criteria need beside the k best: CSLS's means, the normaliser of the
 * inverted softmax, and ranks.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "embed/search/retrieve.h"
#include "embed/search/retrieve_tiles.h"
#include "embed/train/exp_float.h"

#include <math.h>
#include <string.h>

const char *const ig_retrieve_method_names[] = {"nn", "softmax", "csls", NULL};

void ig_retrieve_list_means(float *mean, const float *scores, int64_t n, int k)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        int have = 0;
        for (; have < k && scores[i * k + have] > -INFINITY; have++)
            sum += (double)scores[i * k + have];
        mean[i] = have > 0 ? (float)(sum / have) : 0;
    }
}

ig_code ig_retrieve_means(float *mean, const ig_retrieve_side *of, const ig_retrieve_side *among,
                          int k, ig_vector_work with, ig_err *err)
{
    ig_retrieve_want want[2] = {{.k = k}, {.k = 0}};
    ig_code code = ig_alloc(&want[0].answer, of->n * k, sizeof *want[0].answer, "neighbours", err);
    IG_THEN(code, ig_alloc(&want[0].score, of->n * k, sizeof *want[0].score, "neighbours", err));
    IG_THEN(code, ig_retrieve_top(of, among, want, NULL, with, err));
    if (code == IG_ERR_OK)
        ig_retrieve_list_means(mean, want[0].score, of->n, k);
    IG_FREE(want[0].answer, want[0].score);
    return code;
}

/* log Σ exp(β s) of each row so far: the largest s, and the sum relative to it. */
typedef struct {
    float beta;
    float *most; /* [rows] */
    double *sum; /* [rows] */
} softmax;

enum { LANES = 16, SOME = 16 };

static float highest(const float *s, int n, float high)
{
    float lane[LANES];
    int j = 0;
    for (int l = 0; l < LANES; l++)
        lane[l] = high;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = s[j + l] > lane[l] ? s[j + l] : lane[l];
    for (; j < n; j++)
        high = s[j] > high ? s[j] : high;
    for (int l = 0; l < LANES; l++)
        high = lane[l] > high ? lane[l] : high;
    return high;
}

static float power(float beta, float s, float high)
{
    float x = beta * (s - high);
    return ig_exp_float(x < -87.0f ? -87.0f : x);
}

static void softmax_tile(void *arg, const ig_tile *t)
{
    softmax *m = arg;
    for (int i = 0; i < t->n_row; i++) {
        const float *s = t->s + (int64_t)i * t->ld;
        float *most = &m->most[t->row0 + i];
        double *sum = &m->sum[t->row0 + i];
        const float high = highest(s, t->n_column, *most);
        float lane[LANES] = {0};
        int j = 0;
        if (high > *most) {
            *sum *= exp((double)m->beta * ((double)*most - (double)high));
            *most = high;
        }
        for (; j + LANES <= t->n_column; j += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] += power(m->beta, s[j + l], high);
        for (; j < t->n_column; j++)
            lane[0] += power(m->beta, s[j], high);
        for (int l = 0; l < LANES; l++)
            *sum += (double)lane[l];
    }
}

static ig_code softmax_penalty(float *penalty, double beta, const ig_retrieve_side *source,
                               const ig_retrieve_side *candidate, ig_vector_work with, ig_err *err)
{
    softmax m = {.beta = (float)beta, .most = penalty};
    const ig_tile_user user = {.use = softmax_tile, .arg = &m};
    for (int64_t j = 0; j < candidate->n; j++)
        penalty[j] = -INFINITY;
    ig_code code = ig_alloc(&m.sum, candidate->n, sizeof *m.sum, "normalisers", err);
    IG_THEN(code, ig_tiles_run(candidate, source, &user, with, err));
    for (int64_t j = 0; code == IG_ERR_OK && j < candidate->n; j++)
        penalty[j] = (float)((double)penalty[j] + log(m.sum[j]) / beta);
    ig_free(m.sum);
    return code;
}

ig_code ig_retrieve_penalty(float *penalty, ig_retrieve_criterion by,
                            const ig_retrieve_side *source, const ig_retrieve_side *candidate,
                            ig_vector_work with, ig_err *err)
{
    IG_ASSERT(source->n > 0 && (by.method != IG_RETRIEVE_SOFTMAX || by.beta > 0));
    if (by.method == IG_RETRIEVE_SOFTMAX)
        return softmax_penalty(penalty, by.beta, source, candidate, with, err);
    memset(penalty, 0, (size_t)candidate->n * sizeof *penalty);
    if (by.method == IG_RETRIEVE_CSLS) {
        IG_TRY(ig_retrieve_means(penalty, candidate, source, by.k, with, err));
        for (int64_t j = 0; j < candidate->n; j++)
            penalty[j] /= 2;
    }
    return IG_ERR_OK;
}

typedef struct {
    int64_t *rank;
    const float *penalty;
    float *best;          /* [queries] score of the best right answer */
    int32_t *best_answer; /* [queries] its number */
} ranker;

static void rank_tile(void *arg, const ig_tile *t)
{
    ranker *r = arg;
    for (int i = 0; i < t->n_row; i++) {
        const float *s = t->s + (int64_t)i * t->ld;
        const float best = r->best[t->row0 + i];
        float v[IG_TILE_COLUMNS];
        int32_t more = 0, same = 0;
        for (int j = 0; j < t->n_column; j++) {
            v[j] = r->penalty != NULL ? s[j] - r->penalty[t->column0 + j] : s[j];
            more += v[j] > best;
            same += v[j] == best;
        }
        for (int64_t j = 0; same > 0 && j < t->n_column; j++)
            more += v[j] == best && t->column0 + j < r->best_answer[t->row0 + i];
        r->rank[t->row0 + i] += more;
    }
}

static const float *vector(const ig_retrieve_side *s, int64_t i, int d)
{
    return s->x + (s->row != NULL ? (int64_t)s->row[i] : i) * d;
}

typedef struct {
    float *out;
    int64_t n; /* columns */
} matrix;

static void copy_tile(void *arg, const ig_tile *t)
{
    const matrix *m = arg;
    for (int i = 0; i < t->n_row; i++)
        memcpy(m->out + (t->row0 + i) * m->n + t->column0, t->s + (int64_t)i * t->ld,
               (size_t)t->n_column * sizeof *t->s);
}

ig_code ig_retrieve_products(float *out, const ig_retrieve_side *a, const ig_retrieve_side *b,
                             ig_vector_work with, ig_err *err)
{
    matrix m = {out, b->n};
    return ig_tiles_run(a, b, &(ig_tile_user){.use = copy_tile, .arg = &m}, with, err);
}

typedef struct {
    const ig_retrieve_side *a, *b;
    ig_vector_work with;
    float *out, *rows; /* [threads, 2 SOME d + SOME SOME] rows of both, and their products */
    ig_scratch *scratch;
} pairs_job;

/* The diagonal of the products of some rows with as many: as in a tile, since a product does not
 * depend on the shape (tensor/ops.h). */
static void pairs_task(void *arg, int64_t task, int i_thread)
{
    const pairs_job *j = arg;
    const int64_t d = j->with.d, from = task * SOME;
    const int n = (int)(j->a->n - from < SOME ? j->a->n - from : SOME);
    float *a = j->rows + i_thread * (2 * d + SOME) * SOME, *b = a + SOME * d, *c = b + SOME * d;
    for (int i = 0; i < n; i++) {
        memcpy(a + i * d, vector(j->a, from + i, (int)d), (size_t)d * sizeof *a);
        memcpy(b + i * d, vector(j->b, from + i, (int)d), (size_t)d * sizeof *b);
    }
    const ig_gemm product = ig_gemm_of_rows(a, n, b, n, (int)d, c);
    j->with.ops->gemm(&product, &j->scratch[i_thread]);
    for (int i = 0; i < n; i++)
        j->out[from + i] = c[i * n + i];
}

ig_code ig_retrieve_pairs(float *out, const ig_retrieve_side *a, const ig_retrieve_side *b,
                          ig_vector_work with, ig_err *err)
{
    const int n_thread = ig_team_size(with.team);
    pairs_job j = {.a = a, .b = b, .with = with, .out = out};
    ig_code code = ig_alloc(&j.rows, n_thread * (2 * (int64_t)with.d + SOME) * SOME, sizeof *j.rows,
                            "pairs", err);
    IG_THEN(code, ig_alloc(&j.scratch, n_thread, sizeof *j.scratch, "scratch", err));
    if (code == IG_ERR_OK) {
        ig_team_for(with.team, (a->n + SOME - 1) / SOME, pairs_task, &j);
        code = ig_scratches_check(j.scratch, n_thread, err);
    }
    ig_scratches_free(j.scratch, n_thread);
    ig_free(j.rows);
    return code;
}

/* score[p]: of right answer p. */
static ig_code find_best(ranker *r, const ig_retrieve_side *query,
                         const ig_retrieve_side *candidate, const ig_retrieve_gold *gold,
                         ig_vector_work with, ig_err *err)
{
    const int64_t *start = gold->start, n = start[query->n];
    IG_OWNED int32_t *row = NULL;
    IG_OWNED float *score = NULL;
    IG_TRY(ig_alloc(&row, 2 * n, sizeof *row, "ranks", err));
    IG_TRY(ig_alloc(&score, n, sizeof *score, "ranks", err));
    for (int64_t i = 0; i < query->n; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            const int32_t j = gold->right[k];
            row[k] = query->row != NULL ? query->row[i] : (int32_t)i;
            row[n + k] = candidate->row != NULL ? candidate->row[j] : j;
        }
    const ig_retrieve_side a = {query->x, row, n}, b = {candidate->x, row + n, n};
    IG_TRY(ig_retrieve_pairs(score, &a, &b, with, err));
    for (int64_t i = 0; i < query->n; i++) {
        IG_ASSERT(start[i + 1] > start[i]);
        r->best[i] = -INFINITY;
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            const int32_t j = gold->right[k];
            const float v = r->penalty != NULL ? score[k] - r->penalty[j] : score[k];
            if (k == start[i] || v > r->best[i] || (v == r->best[i] && j < r->best_answer[i])) {
                r->best[i] = v;
                r->best_answer[i] = j;
            }
        }
    }
    return IG_ERR_OK;
}

ig_code ig_retrieve_rank(int64_t *rank, const ig_retrieve_side *query,
                         const ig_retrieve_side *candidate, const ig_retrieve_gold *gold,
                         ig_vector_work with, ig_err *err)
{
    ranker r = {.rank = rank, .penalty = gold->penalty};
    const ig_tile_user user = {.use = rank_tile, .arg = &r};
    memset(rank, 0, (size_t)query->n * sizeof *rank);
    ig_code code = ig_alloc(&r.best, query->n, sizeof *r.best, "ranks", err);
    IG_THEN(code, ig_alloc(&r.best_answer, query->n, sizeof *r.best_answer, "ranks", err));
    IG_THEN(code, find_best(&r, query, candidate, gold, with, err));
    IG_THEN(code, ig_tiles_run(query, candidate, &user, with, err));
    IG_FREE(r.best, r.best_answer);
    return code;
}
