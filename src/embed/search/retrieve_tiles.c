/* SPDX-License-Identifier: Apache-2.0
 *
 * Candidates go through in chunks, packed once for all queries; a task is a row of tiles, some
 * queries against the whole chunk. A tile and what it is made of fit a second-level cache (126 ×
 * 256 products, at 300 dimensions 0.6 MB in all). An inner product does not depend on how rows and
 * columns are cut (tensor/ops.h), so neither does any result.
 */
#include "embed/search/retrieve_tiles.h"

#include "base/memory.h"

#include <string.h>

enum { ROWS_MOST = 126, ROWS_LEAST = 18, TASKS_WANTED = 32 };

typedef struct {
    const ig_retrieve_side *a, *b;
    int d, rows;
    const ig_ops *ops;
    const ig_tile_user *user;
    float *packed;       /* the chunk */
    float *gathered;     /* [threads, rows, d] queries, where they are chosen rows */
    float *column;       /* [threads, columns, d] likewise candidates to be packed */
    float *s;            /* [threads, rows, columns] */
    ig_scratch *scratch; /* [threads] */
    int64_t first;       /* the chunk */
    int n;
} walk;

static void gather(float *to, const ig_retrieve_side *from, int64_t first, int64_t n, int d)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * d, from->x + (int64_t)from->row[first + i] * d, (size_t)d * sizeof *to);
}

static void pack_task(void *arg, int64_t task, int i_thread)
{
    walk *w = arg;
    const int64_t at = task * IG_TILE_COLUMNS;
    const int n = w->n - at < IG_TILE_COLUMNS ? (int)(w->n - at) : IG_TILE_COLUMNS;
    const float *x = w->b->x + (w->first + at) * w->d;
    if (w->b->row != NULL) {
        float *column = w->column + (int64_t)i_thread * IG_TILE_COLUMNS * w->d;
        gather(column, w->b, w->first + at, n, w->d);
        x = column;
    }
    w->ops->pack_b(w->packed + w->ops->pack_size(w->d, (int)at), x, w->d, IG_B_COLS, w->d, n);
}

static void rows_task(void *arg, int64_t task, int i_thread)
{
    walk *w = arg;
    const int64_t row0 = task * w->rows;
    const int m = w->a->n - row0 < w->rows ? (int)(w->a->n - row0) : w->rows;
    const float *x = w->a->x + row0 * w->d;
    float *s = w->s + (int64_t)i_thread * w->rows * IG_TILE_COLUMNS;
    if (ig_stop_requested(w->user->stop))
        return; /* the caller asks, too */
    if (w->a->row != NULL) {
        float *gathered = w->gathered + (int64_t)i_thread * w->rows * w->d;
        gather(gathered, w->a, row0, m, w->d);
        x = gathered;
    }
    for (int at = 0; at < w->n; at += IG_TILE_COLUMNS) {
        const int n = w->n - at < IG_TILE_COLUMNS ? w->n - at : IG_TILE_COLUMNS;
        w->ops->gemm(&(ig_gemm){.m = m,
                                .n = n,
                                .k = w->d,
                                .a = x,
                                .lda = w->d,
                                .b = w->packed + w->ops->pack_size(w->d, at),
                                .b_form = IG_B_PACKED,
                                .c = s,
                                .ldc = IG_TILE_COLUMNS},
                     &w->scratch[i_thread]);
        w->user->use(w->user->arg,
                     &(ig_tile){s, row0, w->first + at, m, n, IG_TILE_COLUMNS, i_thread});
    }
}

ig_code ig_tiles_run(const ig_retrieve_side *a, const ig_retrieve_side *b, const ig_tile_user *user,
                     ig_vector_work with, ig_err *err)
{
    const int n_thread = ig_team_size(with.team), d = with.d;
    const ig_ops *ops = with.ops;
    const int64_t chunk = b->n < IG_TILE_CHUNK ? b->n : IG_TILE_CHUNK;
    walk w = {.a = a, .b = b, .d = d, .ops = ops, .user = user};
    /* Depends on the shape alone. */
    int64_t rows = a->n / TASKS_WANTED;
    w.rows = (int)(rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : rows / 3 * 3);
    ig_code code = ig_alloc(&w.packed, ops->pack_size(d, (int)chunk), sizeof *w.packed,
                            "packed candidates", err);
    if (code == IG_ERR_OK && a->row != NULL)
        code = ig_alloc(&w.gathered, (int64_t)n_thread * w.rows * d, sizeof *w.gathered, "queries",
                        err);
    if (code == IG_ERR_OK && b->row != NULL)
        code = ig_alloc(&w.column, (int64_t)n_thread * IG_TILE_COLUMNS * d, sizeof *w.column,
                        "candidates", err);
    IG_THEN(code, ig_alloc(&w.s, (int64_t)n_thread * w.rows * IG_TILE_COLUMNS, sizeof *w.s,
                           "similarities", err));
    IG_THEN(code, ig_alloc(&w.scratch, n_thread, sizeof *w.scratch, "scratch", err));
    for (w.first = 0; code == IG_ERR_OK && w.first < b->n; w.first += w.n) {
        w.n = b->n - w.first < chunk ? (int)(b->n - w.first) : (int)chunk;
        if (user->begin != NULL)
            user->begin(user->arg, w.first, w.n);
        ig_team_for(with.team, (w.n + IG_TILE_COLUMNS - 1) / IG_TILE_COLUMNS, pack_task, &w);
        ig_team_for(with.team, (a->n + w.rows - 1) / w.rows, rows_task, &w);
        code = ig_scratches_check(w.scratch, n_thread, err);
        IG_THEN(code, ig_stop_check(user->stop, "retrieval", err));
        if (user->end != NULL)
            user->end(user->arg, w.first, w.n);
    }
    ig_scratches_free(w.scratch, n_thread);
    IG_FREE(w.s, w.column, w.gathered, w.packed);
    return code;
}
