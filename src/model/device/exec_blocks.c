/* SPDX-License-Identifier: Apache-2.0
 *
 * Ops over whole blocks of parameters, gradients and moments, cut into pieces for all threads. The
 * pieces depend on the block alone.
 */
#include "model/device/exec_parts.h"

#include <string.h>

enum { piece = 8192 }; /* floats added at a time: all lanes' pieces stay in a first-level cache */

typedef struct {
    const ig_exec *x;
    int64_t size;
    float *v;            /* zero */
    ig_weight *const *w; /* pack */
    float *const *lane;  /* add_lanes */
    int n_lane;
    const ig_span *written;
    int n_written;
    const ig_span *span; /* sum_squares */
    const float *values;
    double *sum;
    const ig_adamw_span *update; /* adamw */
    const ig_moments *of;
} job;

static void clear(float *v, int64_t from, int64_t to)
{
    if (from < to)
        memset(v + from, 0, (size_t)(to - from) * sizeof *v);
}

static int64_t end_of(const job *j, int64_t i)
{
    return j->size - i * piece < piece ? j->size : (i + 1) * piece;
}

static int64_t n_piece(int64_t size)
{
    return (size + piece - 1) / piece;
}

static void zero_piece(void *arg, int64_t i, int i_thread)
{
    const job *j = arg;
    (void)i_thread;
    clear(j->v, i * piece, end_of(j, i));
}

void ig_blocks_zero(const ig_exec *x, float *v, int64_t n)
{
    job j = {.x = x, .size = n, .v = v};
    ig_team_for(x->team, n_piece(n), zero_piece, &j);
}

static void pack_one(void *arg, int64_t i, int i_thread)
{
    const job *j = arg;
    const ig_weight *w = j->w[i];
    (void)i_thread;
    if (w->data != NULL)
        j->x->ops->pack_b(w->data, w->b, w->ldb, w->form, w->k, w->n);
}

void ig_blocks_pack(const ig_exec *x, ig_weight *const *w, int n)
{
    job j = {.x = x, .w = w};
    ig_team_for(x->team, n, pack_one, &j);
}

/* Clears the part of from .. to − 1 that is outside `written`. */
static void clear_rest(const job *j, float *v, int64_t from, int64_t to)
{
    for (int i = 0; i < j->n_written && j->written[i].from < to; i++) {
        if (j->written[i].to <= from)
            continue;
        clear(v, from, j->written[i].from);
        from = j->written[i].to;
    }
    clear(v, from, to);
}

static void add_piece(void *arg, int64_t i, int i_thread)
{
    const job *j = arg;
    const int64_t from = i * piece, to = end_of(j, i);
    (void)i_thread;
    for (int step = 1; step < j->n_lane; step *= 2)
        for (int k = 0; k + step < j->n_lane; k += 2 * step)
            j->x->ops->add(j->lane[k] + from, j->lane[k + step] + from, to - from);
    for (int k = 1; k < j->n_lane; k++)
        clear_rest(j, j->lane[k], from, to);
}

void ig_blocks_add_lanes(const ig_exec *x, float *const *gradient, int n, int64_t size,
                         const ig_span *written, int n_written)
{
    job j = {.x = x,
             .size = size,
             .lane = gradient,
             .n_lane = n,
             .written = written,
             .n_written = n_written};
    ig_team_for(x->team, n_piece(size), add_piece, &j);
}

static void sum_span(void *arg, int64_t i, int i_thread)
{
    const job *j = arg;
    const ig_span *s = &j->span[i];
    (void)i_thread;
    j->sum[i] = s->from < s->to ? j->x->ops->sum_squares(j->values + s->from, s->to - s->from) : 0;
}

void ig_blocks_sum_squares(const ig_exec *x, const float *v, const ig_span *span, int64_t n,
                           double *sum)
{
    job j = {.x = x, .values = v, .span = span, .sum = sum};
    ig_team_for(x->team, n, sum_span, &j);
}

static void update_span(void *arg, int64_t i, int i_thread)
{
    const job *j = arg;
    const ig_adamw_span *u = &j->update[i];
    const int64_t at = u->span.from;
    (void)i_thread;
    if (at < u->span.to)
        j->x->ops->adamw(u->adamw, j->of->weight + at, j->of->gradient + at, j->of->m + at,
                         j->of->v + at, u->span.to - at);
}

void ig_blocks_adamw(const ig_exec *x, const ig_adamw_span *span, int64_t n, const ig_moments *of)
{
    job j = {.x = x, .update = span, .of = of};
    ig_team_for(x->team, n, update_span, &j);
}
