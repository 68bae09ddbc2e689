/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval by cosine as in Dufter & Schütze 2020, §2.2.1: P@k of one side's vectors among the
 * other's, both ways, and the mean of both P@1. A query's rank is counted, not sorted: how many
 * candidates come before its right answer. Similarities are float32 products of unit vectors, made
 * once for both ways, a few rows at a time against the packed other side; a row is used up before
 * the next ones are made, so memory stays small. A row has its right answers in it; what a column
 * is counted against, its right answers' similarities, is made first, by the same sums in the same
 * order, so equal vectors stay exactly as similar.
 */
#include "measure/nearest/retrieval.h"

#include "base/assert.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const int ig_retrieval_k[IG_RETRIEVAL_N_K] = {1, 5, 10};

enum { block_floats = 1 << 19, max_rows = 64, max_pairs = 16 };

/* Right answers of side 0's rows as compressed rows: those of row i are answer[start[i]] .. start[i
 * + 1] − 1. */
typedef struct {
    int64_t *start;
    int32_t *answer;
} gold_rows;

static int32_t member(const ig_vector_pair *v, int64_t p, int side)
{
    return v->gold != NULL ? v->gold[2 * p + side] : (int32_t)p;
}

/* Pairs are sorted by their first member. */
static ig_code gold_make(gold_rows *g, const ig_vector_pair *v, ig_err *err)
{
    IG_TRY(ig_alloc(&g->start, v->n[0] + 1, sizeof *g->start, "gold answers", err));
    IG_TRY(ig_alloc(&g->answer, v->n_gold, sizeof *g->answer, "gold answers", err));
    for (int64_t p = 0; p < v->n_gold; p++) {
        g->start[member(v, p, 0) + 1] = p + 1;
        g->answer[p] = member(v, p, 1);
    }
    for (int64_t i = 0; i < v->n[0]; i++)
        if (g->start[i + 1] < g->start[i])
            g->start[i + 1] = g->start[i];
    return IG_ERR_OK;
}

/* Rows of both sides, on their way through all tasks. */
typedef struct {
    const ig_vector_pair *v;
    const ig_ops *ops;
    const ig_stop *stop;
    gold_rows gold;
    int rows;            /* of a block */
    ig_scratch *scratch; /* per thread */
    float *packed;       /* side 1 */
    float *block;        /* per thread: [rows, n[1]] */
    float *pairs;        /* per thread: rows of both sides, [2, max_pairs, d], and their products */
    float *of_pair;      /* [n_gold] similarities of the pairs */
    /* of side 1's rows, the columns: */
    float *right;              /* similarity of the best right answer; NaN: none */
    int32_t *answer;           /* which it is; −1: none */
    int32_t *n_right;          /* right answers exactly as similar */
    int32_t *before, *equal;   /* per thread: rows before it, rows as similar */
    ig_retrieval_way *by_task; /* way 0 */
} job;

static void count(ig_retrieval_way *w, int64_t before, bool tie)
{
    w->n_query++;
    w->n_tie += tie;
    for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
        w->n_found[k] += before < ig_retrieval_k[k];
}

/* Candidates before `right` in the order (similarity falling, index rising), and those as similar.
 */
static void rank_of(const float *s, int64_t n, int64_t right, int64_t *before, int64_t *equal)
{
    const float t = s[right];
    int64_t b = 0, e = 0;
    enum { piece = 4096 }; /* so that the inner counters are 32 bits wide, as the floats are */
    for (int64_t from = 0; from < n; from += piece) {
        int64_t to = n - from < piece ? n : from + piece;
        int32_t more = 0, same = 0;
        for (int64_t j = from; j < to; j++) {
            more += s[j] > t;
            same += s[j] == t;
        }
        b += more;
        e += same;
    }
    if (e > 1)
        for (int64_t j = 0; j < right; j++)
            b += s[j] == t;
    *before = b;
    *equal = e;
}

static void count_row(const job *w, ig_retrieval_way *t, int64_t i, const float *s)
{
    const int32_t *g = w->gold.answer + w->gold.start[i];
    const int64_t n_gold = w->gold.start[i + 1] - w->gold.start[i];
    if (n_gold == 0)
        return;
    int64_t best = g[0], before, equal, right_equal = 0;
    for (int64_t k = 1; k < n_gold; k++)
        if (s[g[k]] > s[best] || (s[g[k]] == s[best] && g[k] < best))
            best = g[k];
    for (int64_t k = 0; k < n_gold; k++)
        right_equal += s[g[k]] == s[best];
    rank_of(s, w->v->n[1], best, &before, &equal);
    count(t, before, equal > right_equal);
}

/* Row i as a candidate of every column. */
static void count_columns(const job *w, int64_t i, const float *s, int32_t *before, int32_t *equal)
{
    const float *right = w->right;
    const int32_t *answer = w->answer, row = (int32_t)i;
    for (int64_t j = 0; j < w->v->n[1]; j++) {
        const int32_t same = s[j] == right[j];
        before[j] += (s[j] > right[j]) | (same & (row < answer[j]));
        equal[j] += same;
    }
}

static void block_task(void *arg, int64_t i_task, int i_thread)
{
    const job *w = arg;
    const ig_vector_pair *v = w->v;
    const int64_t n = v->n[1], from = i_task * w->rows,
                  to = from + w->rows < v->n[0] ? from + w->rows : v->n[0];
    float *block = w->block + (int64_t)i_thread * w->rows * n;
    if (ig_stop_requested(w->stop))
        return; /* the caller asks too */
    w->ops->gemm(&(ig_gemm){.m = (int)(to - from),
                            .n = (int)n,
                            .k = v->d,
                            .a = v->x[0] + from * v->d,
                            .lda = v->d,
                            .b = w->packed,
                            .b_form = IG_B_PACKED,
                            .c = block,
                            .ldc = (int)n},
                 &w->scratch[i_thread]);
    for (int64_t i = from; i < to; i++) {
        const float *s = block + (i - from) * n;
        count_row(w, &w->by_task[i_task], i, s);
        count_columns(w, i, s, w->before + i_thread * n, w->equal + i_thread * n);
    }
}

/* Similarities of some pairs: the diagonal of the product of their rows. */
static void pair_task(void *arg, int64_t i_task, int i_thread)
{
    const job *w = arg;
    const int64_t d = w->v->d, from = i_task * max_pairs;
    const int m = (int)(w->v->n_gold - from < max_pairs ? w->v->n_gold - from : max_pairs);
    float *a = w->pairs + i_thread * (2 * d + max_pairs) * max_pairs, *b = a + max_pairs * d,
          *c = b + max_pairs * d;
    for (int p = 0; p < m; p++)
        for (int side = 0; side < 2; side++) {
            const int64_t row = member(w->v, from + p, side);
            memcpy((side == 0 ? a : b) + p * d, w->v->x[side] + row * d, (size_t)d * sizeof *a);
        }
    const ig_gemm product = ig_gemm_of_rows(a, m, b, m, (int)d, c);
    w->ops->gemm(&product, &w->scratch[i_thread]);
    for (int p = 0; p < m; p++)
        w->of_pair[from + p] = c[p * m + p];
}

/* The best right answer of every column. */
static void find_right(job *w)
{
    for (int64_t j = 0; j < w->v->n[1]; j++) {
        w->right[j] = (float)NAN;
        w->answer[j] = -1;
    }
    for (int64_t p = 0; p < w->v->n_gold; p++) {
        const int32_t j = member(w->v, p, 1);
        /* Pairs come with rising rows, so the first of equal ones stays. */
        if (w->answer[j] < 0 || w->of_pair[p] > w->right[j]) {
            w->right[j] = w->of_pair[p];
            w->answer[j] = member(w->v, p, 0);
        }
    }
    for (int64_t p = 0; p < w->v->n_gold; p++)
        w->n_right[member(w->v, p, 1)] += w->of_pair[p] == w->right[member(w->v, p, 1)];
}

static void finish(ig_retrieval_way *w)
{
    for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
        w->p[k] = w->n_query ? (double)w->n_found[k] / (double)w->n_query : (double)NAN;
}

/* Way 0 from its tasks, way 1 from what the threads counted in its columns. */
static void sum_up(ig_retrieval_score *out, const job *w, int64_t n_task, int n_thread)
{
    const int64_t n = w->v->n[1];
    ig_retrieval_way *way = out->way;
    for (int64_t i = 0; i < n_task; i++) {
        way[0].n_query += w->by_task[i].n_query;
        way[0].n_tie += w->by_task[i].n_tie;
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            way[0].n_found[k] += w->by_task[i].n_found[k];
    }
    for (int64_t j = 0; j < n; j++) {
        int64_t before = 0, equal = 0;
        for (int t = 0; t < n_thread; t++) {
            before += w->before[t * n + j];
            equal += w->equal[t * n + j];
        }
        if (w->answer[j] >= 0)
            count(&way[1], before, equal > w->n_right[j]);
    }
    finish(&way[0]);
    finish(&way[1]);
}

static ig_code job_make(job *w, int64_t n_task, int n_thread, ig_err *err)
{
    const ig_vector_pair *v = w->v;
    const int64_t n = v->n[1];
    IG_TRY(gold_make(&w->gold, v, err));
    IG_TRY(ig_alloc(&w->packed, w->ops->pack_size(v->d, (int)n), sizeof *w->packed,
                    "packed candidates", err));
    IG_TRY(ig_alloc(&w->block, w->rows * n * n_thread, sizeof *w->block, "similarities", err));
    IG_TRY(ig_alloc(&w->scratch, n_thread, sizeof *w->scratch, "scratch", err));
    IG_TRY(ig_alloc(&w->pairs, n_thread * (2 * (int64_t)v->d + max_pairs) * max_pairs,
                    sizeof *w->pairs, "gold answers", err));
    IG_TRY(ig_alloc(&w->of_pair, v->n_gold, sizeof *w->of_pair, "gold answers", err));
    IG_TRY(ig_alloc(&w->right, n, sizeof *w->right, "gold answers", err));
    IG_TRY(ig_alloc(&w->answer, n, sizeof *w->answer, "gold answers", err));
    IG_TRY(ig_alloc(&w->n_right, n, sizeof *w->n_right, "gold answers", err));
    IG_TRY(ig_alloc(&w->before, n * n_thread, sizeof *w->before, "ranks", err));
    IG_TRY(ig_alloc(&w->equal, n * n_thread, sizeof *w->equal, "ranks", err));
    return ig_alloc(&w->by_task, n_task, sizeof *w->by_task, "tallies", err);
}

static void job_free(job *w, int n_thread)
{
    ig_scratches_free(w->scratch, n_thread);
    IG_FREE(w->gold.start, w->gold.answer, w->packed, w->block, w->pairs, w->of_pair, w->right,
            w->answer, w->n_right, w->before, w->equal, w->by_task);
}

ig_code ig_retrieval_run(ig_retrieval_score *out, const ig_vector_pair *v,
                         const ig_retrieval_with *with, ig_err *err)
{
    IG_ASSERT(v->gold != NULL || (v->n[0] == v->n[1] && v->n_gold == v->n[0]));
    if (v->n[0] > INT32_MAX || v->n[1] > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "retrieval", 0,
                       "%lld × %lld vectors, at most %d of a side", (long long)v->n[0],
                       (long long)v->n[1], INT32_MAX);
    const int n_thread = ig_team_size(with->team);
    /* Depends on the shape alone, so that a task is the same for any team. */
    int64_t rows = v->n[1] ? block_floats / v->n[1] : max_rows;
    rows = rows < 4 ? 4 : rows > max_rows ? max_rows : rows;
    const int64_t n_task = (v->n[0] + rows - 1) / rows;
    job w = {.v = v, .ops = with->ops, .stop = with->stop, .rows = (int)rows};
    *out = (ig_retrieval_score){.way = {{.n_candidate = v->n[1]}, {.n_candidate = v->n[0]}}};
    ig_code code = job_make(&w, n_task, n_thread, err);
    if (code == IG_ERR_OK && v->n[1] > 0) {
        w.ops->pack_b(w.packed, v->x[1], v->d, IG_B_COLS, v->d, (int)v->n[1]);
        ig_team_for(with->team, (v->n_gold + max_pairs - 1) / max_pairs, pair_task, &w);
        find_right(&w);
        ig_team_for(with->team, n_task, block_task, &w);
        code = ig_stop_check(with->stop, "retrieval", err);
        IG_THEN(code, ig_scratches_check(w.scratch, n_thread, err));
    }
    if (code == IG_ERR_OK)
        sum_up(out, &w, n_task, n_thread);
    job_free(&w, n_thread);
    out->mean = (out->way[0].p[0] + out->way[1].p[0]) / 2;
    return code;
}

ig_retrieval_score ig_retrieval_none(void)
{
    ig_retrieval_score s = {.mean = (double)NAN};
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            s.way[w].p[k] = (double)NAN;
    return s;
}
