/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval by cosine as in Dufter & Schütze 2020, §2.2.1: P@k of one side's vectors among the
 * other's, both ways, and the mean of both P@1. A query's rank is counted, not sorted: how many
 * candidates come before its right answer. Similarities are float32 products of unit vectors, made
 * a few rows at a time against the packed candidates; a row is used up before the next ones are
 * made, so memory stays small.
 */
#include "measure/nearest/retrieval.h"

#include "base/assert.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

const int ig_retrieval_k[IG_RETRIEVAL_N_K] = {1, 5, 10};

enum { block_floats = 1 << 19, max_rows = 64 };

/* Right answers of one way as compressed rows: those of query i are answer[start[i]] .. start[i +
 * 1] − 1. */
typedef struct {
    int64_t *start;
    int32_t *answer;
} gold_rows;

static void gold_free(gold_rows *g)
{
    IG_FREE(g->start, g->answer);
}

/* column 0: queries are the first members of the pairs; 1: the second. A counting sort, so that
 * answers stay in their order. */
static ig_code gold_make(gold_rows *g, const ig_vector_pair *v, int column, ig_err *err)
{
    const int32_t *pairs = v->gold;
    const int64_t n_pair = v->n_gold, n_query = v->n[column];
    IG_TRY(ig_alloc(&g->start, n_query + 2, sizeof *g->start, "gold answers", err));
    IG_TRY(ig_alloc(&g->answer, n_pair, sizeof *g->answer, "gold answers", err));
    int64_t *at = g->start + 1; /* at[i] ends as the start of i + 1 */
    for (int64_t p = 0; p < n_pair; p++)
        at[(pairs ? pairs[2 * p + column] : p) + 1]++;
    for (int64_t i = 0; i < n_query; i++)
        at[i + 1] += at[i];
    for (int64_t p = 0; p < n_pair; p++) {
        int64_t q = pairs ? pairs[2 * p + column] : p;
        g->answer[at[q]++] = pairs ? pairs[2 * p + 1 - column] : (int32_t)p;
    }
    return IG_ERR_OK;
}

typedef struct {
    int64_t n_query, n_tie, n_found[IG_RETRIEVAL_N_K];
} tally;

typedef struct {
    const float *query, *packed;
    int64_t n_query, n_candidate;
    int d, rows;
    const gold_rows *gold;
    const ig_ops *ops;
    ig_scratch *scratch; /* per thread */
    float *block;        /* per thread: [rows, n_candidate] */
    tally *tally;        /* per task */
    const ig_stop *stop;
} way_job;

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

static void way_task(void *arg, int64_t i_task, int i_thread)
{
    const way_job *w = arg;
    int64_t from = i_task * w->rows, to = from + w->rows < w->n_query ? from + w->rows : w->n_query;
    float *block = w->block + (int64_t)i_thread * w->rows * w->n_candidate;
    tally *t = &w->tally[i_task];
    if (ig_stop_asked(w->stop))
        return; /* the caller asks too */
    w->ops->gemm(&(ig_gemm){.m = (int)(to - from),
                            .n = (int)w->n_candidate,
                            .k = w->d,
                            .a = w->query + from * w->d,
                            .lda = w->d,
                            .b = w->packed,
                            .b_form = IG_B_PACKED,
                            .c = block,
                            .ldc = (int)w->n_candidate},
                 &w->scratch[i_thread]);
    for (int64_t i = from; i < to; i++) {
        const float *s = block + (i - from) * w->n_candidate;
        const int32_t *g = w->gold->answer + w->gold->start[i];
        int64_t n_gold = w->gold->start[i + 1] - w->gold->start[i];
        if (n_gold == 0)
            continue;
        int64_t best = g[0], before, equal, right_equal = 0;
        for (int64_t k = 1; k < n_gold; k++)
            if (s[g[k]] > s[best] || (s[g[k]] == s[best] && g[k] < best))
                best = g[k];
        for (int64_t k = 0; k < n_gold; k++)
            right_equal += s[g[k]] == s[best];
        rank_of(s, w->n_candidate, best, &before, &equal);
        t->n_query++;
        t->n_tie += equal > right_equal;
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            t->n_found[k] += before < ig_retrieval_k[k];
    }
}

/* Side `column` asks, the other one answers. */
static ig_code run_way(ig_retrieval_way *out, const ig_vector_pair *v, int column,
                       const ig_retrieval_with *with, ig_err *err)
{
    const float *query = v->x[column], *candidate = v->x[1 - column];
    const int64_t n_query = v->n[column], n_candidate = v->n[1 - column];
    const ig_ops *ops = with->ops;
    ig_team *team = with->team;
    const int d = v->d;
    gold_rows gold = {0};
    float *packed = NULL, *block = NULL;
    ig_scratch *scratch = NULL;
    tally *tallies = NULL;
    int n_thread = ig_team_size(team);
    /* By the shape alone, so that a task is the same for any team. */
    int64_t rows = n_candidate ? block_floats / n_candidate : max_rows;
    rows = rows < 4 ? 4 : rows > max_rows ? max_rows : rows;
    int64_t n_task = (n_query + rows - 1) / rows;
    *out = (ig_retrieval_way){.n_candidate = n_candidate};

    ig_code code = gold_make(&gold, v, column, err);
    IG_THEN(code, ig_alloc(&packed, ops->pack_size(d, (int)n_candidate), sizeof *packed,
                           "packed candidates", err));
    IG_THEN(code,
            ig_alloc(&block, rows * n_candidate * n_thread, sizeof *block, "similarities", err));
    IG_THEN(code, ig_alloc(&scratch, n_thread, sizeof *scratch, "scratch", err));
    IG_THEN(code, ig_alloc(&tallies, n_task, sizeof *tallies, "tallies", err));
    if (code != IG_ERR_OK)
        goto done;
    if (n_candidate > 0) {
        ops->pack_b(packed, candidate, d, IG_B_COLS, d, (int)n_candidate);
        way_job job = {query, packed, n_query, n_candidate, d,       (int)rows,
                       &gold, ops,    scratch, block,       tallies, with->stop};
        ig_team_for(team, n_task, way_task, &job);
        code = ig_stop_check(with->stop, "retrieval", err);
        if (code != IG_ERR_OK)
            goto done;
    }
    for (int64_t i = 0; i < n_task; i++) {
        out->n_query += tallies[i].n_query;
        out->n_tie += tallies[i].n_tie;
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            out->n_found[k] += tallies[i].n_found[k];
    }
    for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
        out->p[k] = out->n_query ? (double)out->n_found[k] / (double)out->n_query : (double)NAN;
done:
    if (scratch != NULL)
        for (int i = 0; i < n_thread; i++)
            ig_scratch_free(&scratch[i]);
    IG_FREE(scratch, tallies, block, packed);
    gold_free(&gold);
    return code;
}

ig_code ig_retrieval_run(ig_retrieval_score *out, const ig_vector_pair *v,
                         const ig_retrieval_with *with, ig_err *err)
{
    IG_ASSERT(v->gold != NULL || (v->n[0] == v->n[1] && v->n_gold == v->n[0]));
    if (v->n[0] > INT32_MAX || v->n[1] > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "retrieval", 0,
                       "%lld × %lld vectors, at most %d of a side", (long long)v->n[0],
                       (long long)v->n[1], INT32_MAX);
    for (int way = 0; way < 2; way++)
        IG_TRY(run_way(&out->way[way], v, way, with, err));
    out->mean = (out->way[0].p[0] + out->way[1].p[0]) / 2;
    return IG_ERR_OK;
}

ig_retrieval_score ig_retrieval_none(void)
{
    ig_retrieval_score s = {.mean = (double)NAN};
    for (int w = 0; w < 2; w++)
        for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
            s.way[w].p[k] = (double)NAN;
    return s;
}
