/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact search: cosines of all words in double, then the k best.
 */
#include "embed/search/neighbours.h"

#include "base/memory.h"

#include <math.h>

enum { ROWS = 1024 };

typedef struct {
    const ig_vectors *v;
    const float *query;
    double norm, *cosine;
} search;

static void rows_task(void *arg, int64_t task, int i_thread)
{
    search *s = arg;
    int64_t end = (task + 1) * ROWS < s->v->n ? (task + 1) * ROWS : s->v->n;
    (void)i_thread;
    for (int64_t i = task * ROWS; i < end; i++) {
        const float *x = s->v->x + i * s->v->d;
        double dot = 0, square = 0;
        for (int k = 0; k < s->v->d; k++) {
            dot += (double)x[k] * (double)s->query[k];
            square += (double)x[k] * (double)x[k];
        }
        s->cosine[i] = square > 0 ? dot / (sqrt(square) * s->norm) : -2;
    }
}

void ig_neighbour_offer(ig_neighbour *best, int *n, int k, ig_neighbour x)
{
    int at = *n;
    if (at == k && x.cosine <= best[k - 1].cosine)
        return;
    at -= at == k;
    for (; at > 0 && best[at - 1].cosine < x.cosine; at--)
        best[at] = best[at - 1];
    best[at] = x;
    *n += *n < k;
}

ig_code ig_neighbours(ig_neighbour *out, int *n, const ig_vectors *v, const ig_neighbour_query *q,
                      ig_team *team, ig_err *err)
{
    const float *query = q->vector;
    const int k = q->k;
    search s = {.v = v, .query = query};
    double square = 0;
    *n = 0;
    for (int i = 0; i < v->d; i++)
        square += (double)query[i] * (double)query[i];
    if (!(square > 0))
        return ig_fail(err, IG_ERR_INPUT, "", 0, "the vector is zero, so nothing is near it");
    s.norm = sqrt(square);
    IG_TRY(ig_alloc(&s.cosine, v->n, sizeof *s.cosine, "cosines", err));
    ig_team_for(team, ((int64_t)v->n + ROWS - 1) / ROWS, rows_task, &s);
    for (int32_t i = 0; i < v->n; i++)
        if (i != q->but && s.cosine[i] >= -1.5)
            ig_neighbour_offer(out, n, k, (ig_neighbour){i, s.cosine[i]});
    ig_free(s.cosine);
    return IG_ERR_OK;
}
