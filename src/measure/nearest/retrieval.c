/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval by cosine as in Dufter & Schütze 2020, §2.2.1: P@k of one side's vectors among the
 * other's, both ways, and the mean of both P@1. A query's rank is counted, not sorted: how many
 * candidates come before its right answer. Similarities are float32 products of unit vectors, made
 * once for both ways and used up tile by tile. What they are counted against, the right answers'
 * similarities, is made first, by the same sums in the same order, so equal vectors stay exactly as
 * similar.
 */
#include "measure/nearest/retrieval.h"

#include "base/assert.h"
#include "base/memory.h"
#include "embed/search/retrieve_tiles.h"

#include <math.h>

const int ig_retrieval_k[IG_RETRIEVAL_N_K] = {1, 5, 10};

/* The vectors of a side as queries. */
typedef struct {
    int64_t n;
    float *right;            /* [n] similarity of the best right answer; NaN: none */
    int32_t *answer;         /* [n] which it is; −1: none */
    int32_t *n_right;        /* [n] right answers exactly as similar */
    int32_t *before, *equal; /* [threads, n] candidates before it, candidates as similar */
} queries;

static int32_t member(const ig_vector_pair *v, int64_t p, int side)
{
    return v->gold != NULL ? v->gold[2 * p + side] : (int32_t)p;
}

/* The best right answer of every query; of_pair[n_gold]: similarities. */
static void find_right(queries *q, const ig_vector_pair *v, int side, const float *of_pair)
{
    for (int64_t i = 0; i < q->n; i++) {
        q->right[i] = (float)NAN;
        q->answer[i] = -1;
    }
    for (int64_t p = 0; p < v->n_gold; p++) {
        const int32_t i = member(v, p, side), j = member(v, p, 1 - side);
        if (q->answer[i] < 0 || of_pair[p] > q->right[i] ||
            (of_pair[p] == q->right[i] && j < q->answer[i])) {
            q->right[i] = of_pair[p];
            q->answer[i] = j;
        }
    }
    for (int64_t p = 0; p < v->n_gold; p++)
        q->n_right[member(v, p, side)] += of_pair[p] == q->right[member(v, p, side)];
}

static void count_tile(void *arg, const ig_tile *t)
{
    const queries *a = arg, *b = a + 1;
    const float *right = b->right + t->column0;
    const int32_t *answer = b->answer + t->column0;
    const int64_t at = t->i_thread * b->n + t->column0;
    int32_t *before = b->before + at, *equal = b->equal + at;
    for (int i = 0; i < t->n_row; i++) {
        const float *s = t->s + (int64_t)i * t->ld;
        const int32_t row = (int32_t)t->row0 + i, column = a->answer[row] - (int32_t)t->column0;
        const float own = a->right[row];
        int32_t more = 0, same = 0;
        for (int32_t j = 0; j < t->n_column; j++) {
            const int32_t as_row = s[j] == own, as_column = s[j] == right[j];
            more += (s[j] > own) | (as_row & (j < column));
            same += as_row;
            before[j] += (s[j] > right[j]) | (as_column & (row < answer[j]));
            equal[j] += as_column;
        }
        a->before[t->i_thread * a->n + row] += more;
        a->equal[t->i_thread * a->n + row] += same;
    }
}

static void sum_up(ig_retrieval_way *w, const queries *q, int n_thread)
{
    for (int64_t i = 0; i < q->n; i++) {
        int64_t before = 0, equal = 0;
        for (int t = 0; t < n_thread; t++) {
            before += q->before[t * q->n + i];
            equal += q->equal[t * q->n + i];
        }
        if (q->answer[i] < 0)
            continue;
        w->n_query++;
        w->n_tie += equal > q->n_right[i];
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            w->n_found[k] += before < ig_retrieval_k[k];
    }
    for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
        w->p[k] = w->n_query ? (double)w->n_found[k] / (double)w->n_query : (double)NAN;
}

/* Returns whether the right answer of query i comes before all other candidates, and is like none.
 */
static bool is_strictly_first(const queries *q, int64_t i, int n_thread)
{
    int64_t before = 0, equal = 0;
    for (int t = 0; t < n_thread; t++) {
        before += q->before[t * q->n + i];
        equal += q->equal[t * q->n + i];
    }
    return before == 0 && equal == 1;
}

static double strict_share(const queries q[2], const ig_vector_pair *v, int n_thread)
{
    int64_t n = 0;
    for (int64_t p = 0; p < v->n_gold; p++) {
        const int32_t i = member(v, p, 0), j = member(v, p, 1);
        n += q[0].answer[i] == j && is_strictly_first(&q[0], i, n_thread) &&
             is_strictly_first(&q[1], j, n_thread);
    }
    return v->n_gold > 0 ? (double)n / (double)v->n_gold : (double)NAN;
}

static ig_code queries_make(queries *q, int64_t n, int n_thread, ig_err *err)
{
    q->n = n;
    IG_TRY(ig_alloc(&q->right, n, sizeof *q->right, "gold answers", err));
    IG_TRY(ig_alloc(&q->answer, n, sizeof *q->answer, "gold answers", err));
    IG_TRY(ig_alloc(&q->n_right, n, sizeof *q->n_right, "gold answers", err));
    IG_TRY(ig_alloc(&q->before, n * n_thread, sizeof *q->before, "ranks", err));
    return ig_alloc(&q->equal, n * n_thread, sizeof *q->equal, "ranks", err);
}

/* Similarities of the pairs. */
static ig_code right_answers(queries q[2], const ig_vector_pair *v, ig_vector_work with,
                             ig_err *err)
{
    const int64_t n = v->n_gold;
    IG_OWNED int32_t *row = NULL;
    IG_OWNED float *of_pair = NULL;
    IG_TRY(ig_alloc(&row, 2 * n, sizeof *row, "gold answers", err));
    IG_TRY(ig_alloc(&of_pair, n, sizeof *of_pair, "gold answers", err));
    for (int64_t p = 0; p < 2 * n; p++)
        row[p] = member(v, p % n, (int)(p / n));
    const ig_retrieve_side a = {v->x[0], row, n}, b = {v->x[1], row + n, n};
    IG_TRY(ig_retrieve_pairs(of_pair, &a, &b, with, err));
    for (int side = 0; side < 2; side++)
        find_right(&q[side], v, side, of_pair);
    return IG_ERR_OK;
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
    const ig_vector_work work = {v->d, with->ops, with->team};
    const ig_retrieve_side a = {v->x[0], NULL, v->n[0]}, b = {v->x[1], NULL, v->n[1]};
    queries q[2] = {0};
    const ig_tile_user user = {.use = count_tile, .arg = q, .stop = with->stop};
    *out = (ig_retrieval_score){.way = {{.n_candidate = v->n[1]}, {.n_candidate = v->n[0]}}};
    ig_code code = queries_make(&q[0], v->n[0], n_thread, err);
    IG_THEN(code, queries_make(&q[1], v->n[1], n_thread, err));
    IG_THEN(code, right_answers(q, v, work, err));
    IG_THEN(code, ig_tiles_run(&a, &b, &user, work, err));
    if (code == IG_ERR_OK)
        out->strict = strict_share(q, v, n_thread);
    for (int side = 0; side < 2; side++) {
        if (code == IG_ERR_OK)
            sum_up(&out->way[side], &q[side], n_thread);
        IG_FREE(q[side].right, q[side].answer, q[side].n_right, q[side].before, q[side].equal);
    }
    out->mean = (out->way[0].p[0] + out->way[1].p[0]) / 2;
    return code;
}

ig_retrieval_score ig_retrieval_none(void)
{
    ig_retrieval_score s = {.mean = (double)NAN, .strict = (double)NAN};
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            s.way[w].p[k] = (double)NAN;
    return s;
}
