/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks the best right answers under each criterion, and computes precision and mean reciprocal
 * rank from the ranks.
 */
#include "embed/search/bli.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

static const int at_ranks[IG_BLI_N_K] = {1, 5, 10};

/* The candidates, and the numbers of right answers among them. */
typedef struct {
    ig_retrieve_side side;
    int32_t *row;   /* NULL: all words */
    int32_t *right; /* [n_pair] */
} candidates;

/* Inputs that the criteria share. */
typedef struct {
    const ig_bli_options *o;
    ig_retrieve_side source, query;
    candidates c;
    ig_retrieve_gold gold;
    float *penalty; /* of the present criterion */
    ig_vector_work with;
} task;

static ig_code candidates_make(candidates *c, const ig_vectors *target,
                               const ig_dictionary_rows *rows, bool dictionary, ig_err *err)
{
    *c = (candidates){.side = {target->x, NULL, target->n}};
    IG_TRY(ig_alloc(&c->right, rows->n_pair, sizeof *c->right, "answers", err));
    for (int64_t i = 0; i < rows->n_pair; i++)
        c->right[i] = rows->answer[i];
    if (!dictionary)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&c->row, rows->n_pair, sizeof *c->row, "candidates", err));
    int64_t n = 0;
    for (int64_t i = 0; i < rows->n_pair; i++)
        c->row[i] = rows->answer[i];
    qsort(c->row, (size_t)rows->n_pair, sizeof *c->row, ig_by_int32);
    for (int64_t i = 0; i < rows->n_pair; i++)
        if (n == 0 || c->row[n - 1] != c->row[i])
            c->row[n++] = c->row[i];
    c->side = (ig_retrieve_side){target->x, c->row, n};
    for (int64_t i = 0; i < rows->n_pair; i++) {
        const int32_t *at = bsearch(&c->right[i], c->row, (size_t)n, sizeof *c->row, ig_by_int32);
        c->right[i] = (int32_t)(at - c->row);
    }
    return IG_ERR_OK;
}

static void summarise(ig_bli_score *s, int64_t n)
{
    double sum = 0;
    for (int k = 0; k < IG_BLI_N_K; k++) {
        int64_t found = 0;
        for (int64_t i = 0; i < n; i++)
            found += s->rank[i] < at_ranks[k];
        s->p[k] = (double)found / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        sum += 1.0 / (double)(s->rank[i] + 1);
    s->mrr = sum / (double)n;
}

/* The first answers, as words of the target. */
static ig_code answers(ig_bli_score *s, const task *t, ig_err *err)
{
    const int64_t k = t->o->n_answer, n = t->query.n * k;
    ig_retrieve_want want[2] = {{.k = (int)k, .penalty = t->penalty}, {.k = 0}};
    IG_TRY(ig_alloc(&s->answer, n, sizeof *s->answer, "answers", err));
    IG_TRY(ig_alloc(&want[0].score, n, sizeof *want[0].score, "answers", err));
    want[0].answer = s->answer;
    ig_code code = ig_retrieve_top(&t->query, &t->c.side, want, NULL, t->with, err);
    for (int64_t i = 0; t->c.row != NULL && i < n; i++)
        if (s->answer[i] >= 0)
            s->answer[i] = t->c.row[s->answer[i]];
    ig_free(want[0].score);
    return code;
}

static ig_code one_method(ig_bli_score *s, ig_retrieve_method method, const task *t, ig_err *err)
{
    const ig_retrieve_criterion by = {method, t->o->csls_k, t->o->beta};
    IG_TRY(ig_retrieve_penalty(t->penalty, by, &t->source, &t->c.side, t->with, err));
    IG_TRY(ig_alloc(&s->rank, t->query.n, sizeof *s->rank, "ranks", err));
    IG_TRY(ig_retrieve_rank(s->rank, &t->query, &t->c.side, &t->gold, t->with, err));
    summarise(s, t->query.n);
    return t->o->n_answer > 0 ? answers(s, t, err) : IG_ERR_OK;
}

ig_code ig_bli(ig_bli_result *out, const ig_vectors v[2], const ig_dictionary_rows *rows,
               const ig_bli_options *o, ig_vector_work with, ig_err *err)
{
    const ig_vectors *source = &v[0], *target = &v[1];
    task t = {.o = o,
              .source = {source->x, NULL, source->n},
              .query = {source->x, rows->query, rows->n_query},
              .with = with};
    *out = (ig_bli_result){.n_query = rows->n_query};
    for (int m = 0; m < IG_RETRIEVE_N; m++)
        for (int k = 0; k <= IG_BLI_N_K; k++)
            *(k < IG_BLI_N_K ? &out->of[m].p[k] : &out->of[m].mrr) = (double)NAN;
    if (source->d != target->d)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of %d and of %d dimensions", source->d,
                       target->d);
    if (rows->n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, "", 0,
                       "of %lld pairs of the dictionary none has a vector for both words",
                       (long long)rows->all_pair);
    ig_code code = candidates_make(&t.c, target, rows, o->dictionary_candidates, err);
    out->n_candidate = t.c.side.n;
    IG_THEN(code, ig_alloc(&t.penalty, t.c.side.n, sizeof *t.penalty, "penalties", err));
    t.gold = (ig_retrieve_gold){rows->start, t.c.right, t.penalty};
    for (int m = 0; m < IG_RETRIEVE_N && code == IG_ERR_OK; m++)
        if (o->method[m])
            code = one_method(&out->of[m], (ig_retrieve_method)m, &t, err);
    IG_FREE(t.penalty, t.c.row, t.c.right);
    if (code != IG_ERR_OK)
        ig_bli_free(out);
    return code;
}

void ig_bli_free(ig_bli_result *r)
{
    for (int m = 0; m < IG_RETRIEVE_N; m++)
        IG_FREE(r->of[m].rank, r->of[m].answer);
    *r = (ig_bli_result){0};
}
