/* SPDX-License-Identifier: Apache-2.0
 *
 * The k best, both ways, from one walk over the products. A row of a tile belongs to one query of a
 * and is used by one thread; a column belongs to a query of b, which several threads meet at once,
 * so each thread keeps lists of its own for the columns of a chunk, and they are put together at
 * its end. The order of answers is total, so the best k of the best k of parts are the best k of
 * all, however the parts were cut.
 */
#include "embed/search/retrieve.h"

#include "base/assert.h"
#include "base/memory.h"
#include "embed/search/retrieve_tiles.h"

#include <math.h>
#include <string.h>

enum { PIECE = 64, DRAW_DROPOUT = 0x80000000 };

typedef struct {
    const ig_retrieve_want *want;
    const ig_retrieve_dropout *drop;
    const int32_t *row; /* of the queries of a; NULL: all */
    ig_team *team;
    int n_thread;
    int64_t chunk;
    /* for each thread, for the columns of the chunk: */
    ig_retrieve_want own; /* [threads · chunk] queries */
    float *threshold;     /* [threads, chunk] the k-th score */
    bool *used;           /* [threads] met any tile of the chunk */
    int64_t first;
    int n;
} finder;

/* All searches, which use each tile in turn. */
typedef struct {
    finder *of;
    int n;
} search;

/* Inserts an answer into the full list of a query (−1, −INFINITY where nothing is yet) in the
 * order (score falling, number rising), if it is good enough. */
static void insert(const ig_retrieve_want *w, int64_t query, int32_t a, float s, float product)
{
    int64_t first = query * w->k, at = first + w->k - 1;
    int32_t *answer = w->answer;
    float *score = w->score;
    if (s < score[at] || (s == score[at] && answer[at] >= 0 && a > answer[at]))
        return;
    for (; at > first && (score[at - 1] < s ||
                          (score[at - 1] == s && (answer[at - 1] < 0 || answer[at - 1] > a)));
         at--) {
        score[at] = score[at - 1];
        answer[at] = answer[at - 1];
        if (w->product != NULL)
            w->product[at] = w->product[at - 1];
    }
    score[at] = s;
    answer[at] = a;
    if (w->product != NULL)
        w->product[at] = product;
}

/* Returns whether a pair is kept by dropout; direction 0: a asks, 1: b asks. */
static bool kept(const ig_retrieve_dropout *drop, int direction, int64_t query, int64_t answer)
{
    uint32_t u[4];
    if (drop == NULL || drop->keep >= 1)
        return true;
    ig_philox(drop->key, (uint32_t)query, (uint32_t)answer, drop->round,
              (uint32_t)DRAW_DROPOUT + (uint32_t)(direction ^ (int)drop->back), u);
    return u[0] < (uint64_t)(drop->keep * 0x1p32);
}

/* Most rows have nothing new for most lists: whole pieces are compared with the threshold, and only
 * pieces that have something are searched. A score equal to the threshold does not enter: each
 * thread meets numbers rising (tasks are claimed in order), so it would be a later one. */
static void use_row(const finder *f, const ig_tile *t, int i)
{
    const ig_retrieve_want *want = &f->want[0];
    const int k = want->k, n = t->n_column;
    const int64_t query = t->row0 + i, column0 = t->column0;
    const float *s = t->s + (int64_t)i * t->ld,
                *penalty = want->penalty != NULL ? want->penalty + column0 : NULL;
    const float *last = want->score + query * k + k - 1;
    for (int from = 0; from < n; from += PIECE) {
        const int to = n - from < PIECE ? n : from + PIECE;
        const float least = *last;
        float v[PIECE];
        int32_t more = 0;
        if (penalty != NULL)
            for (int j = from; j < to; j++)
                v[j - from] = s[j] - penalty[j];
        else
            memcpy(v, s + from, (size_t)(to - from) * sizeof *v);
        for (int j = 0; j < to - from; j++)
            more += v[j] > least;
        if (more == 0)
            continue;
        for (int j = 0; j < to - from; j++)
            if (v[j] > *last &&
                kept(f->drop, 0, f->row != NULL ? f->row[query] : query, column0 + from + j))
                insert(want, query, (int32_t)(column0 + from + j), v[j], s[from + j]);
    }
}

static void use_columns(const finder *f, const ig_tile *t, int i)
{
    const ig_retrieve_want *want = &f->want[1];
    const int k = want->k, n = t->n_column;
    const int64_t query = t->row0 + i, column0 = t->column0,
                  at = t->i_thread * f->chunk + column0 - f->first;
    const float *s = t->s + (int64_t)i * t->ld,
                penalty = want->penalty != NULL ? want->penalty[query] : 0;
    float *threshold = f->threshold + at;
    for (int from = 0; from < n; from += PIECE) {
        const int to = n - from < PIECE ? n : from + PIECE;
        int32_t more = 0;
        for (int j = from; j < to; j++)
            more += s[j] - penalty > threshold[j];
        if (more == 0)
            continue;
        for (int j = from; j < to; j++)
            if (s[j] - penalty > threshold[j] && kept(f->drop, 1, column0 + j, query)) {
                insert(&f->own, at + j, (int32_t)query, s[j] - penalty, s[j]);
                threshold[j] = f->own.score[(at + j + 1) * k - 1];
            }
    }
}

static void use_tile(void *arg, const ig_tile *t)
{
    const search *all = arg;
    for (finder *f = all->of; f < all->of + all->n; f++) {
        for (int i = 0; i < t->n_row; i++) {
            if (f->want[0].k > 0)
                use_row(f, t, i);
            if (f->want[1].k > 0)
                use_columns(f, t, i);
        }
        if (f->want[1].k > 0)
            f->used[t->i_thread] = true;
    }
}

static void empty(const ig_retrieve_want *w, int64_t n_asker)
{
    for (int64_t i = 0; i < n_asker * w->k; i++) {
        w->answer[i] = -1;
        w->score[i] = -INFINITY;
    }
}

static void begin_chunk(void *arg, int64_t first, int n)
{
    const search *all = arg;
    for (finder *f = all->of; f < all->of + all->n; f++) {
        if (f->want[1].k == 0)
            continue;
        f->first = first;
        f->n = n;
        empty(&f->own, f->n_thread * f->chunk);
        for (int64_t i = 0; i < f->n_thread * f->chunk; i++)
            f->threshold[i] = -INFINITY;
        memset(f->used, 0, (size_t)f->n_thread * sizeof *f->used);
    }
}

static void merge_task(void *arg, int64_t task, int i_thread)
{
    const finder *f = arg;
    const ig_retrieve_want *own = &f->own;
    const int k = own->k;
    (void)i_thread;
    for (int64_t j = task * PIECE; j < f->n && j < (task + 1) * PIECE; j++)
        for (int t = 0; t < f->n_thread; t++) {
            const int64_t at = ((int64_t)t * f->chunk + j) * k;
            for (int64_t i = at; i < at + k && f->used[t] && own->answer[i] >= 0; i++)
                insert(&f->want[1], f->first + j, own->answer[i], own->score[i],
                       own->product != NULL ? own->product[i] : 0);
        }
}

static void end_chunk(void *arg, int64_t first, int n)
{
    const search *all = arg;
    (void)first;
    for (finder *f = all->of; f < all->of + all->n; f++)
        if (f->want[1].k > 0)
            ig_team_for(f->team, (n + PIECE - 1) / PIECE, merge_task, f);
}

static ig_code column_lists(finder *f, ig_err *err)
{
    const int64_t n = f->n_thread * f->chunk;
    ig_retrieve_want *own = &f->own;
    own->k = f->want[1].k;
    IG_TRY(ig_alloc(&own->answer, n * own->k, sizeof *own->answer, "answers", err));
    IG_TRY(ig_alloc(&own->score, n * own->k, sizeof *own->score, "answers", err));
    if (f->want[1].product != NULL)
        IG_TRY(ig_alloc(&own->product, n * own->k, sizeof *own->product, "answers", err));
    IG_TRY(ig_alloc(&f->threshold, n, sizeof *f->threshold, "answers", err));
    return ig_alloc(&f->used, f->n_thread, sizeof *f->used, "answers", err);
}

ig_code ig_retrieve_ask(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_question *question, int n, ig_vector_work with,
                        ig_err *err)
{
    search all = {.n = n};
    IG_ASSERT(a->n <= INT32_MAX && b->n <= INT32_MAX);
    IG_TRY(ig_alloc(&all.of, n, sizeof *all.of, "answers", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n; i++) {
        const ig_retrieve_want *want = question[i].want;
        all.of[i] = (finder){.want = want,
                             .drop = question[i].drop,
                             .row = a->row,
                             .team = with.team,
                             .n_thread = ig_team_size(with.team),
                             .chunk = b->n < IG_TILE_CHUNK ? b->n : IG_TILE_CHUNK};
        empty(&want[0], a->n);
        empty(&want[1], b->n);
        if (want[1].k > 0)
            IG_THEN(code, column_lists(&all.of[i], err));
    }
    const ig_tile_user user = {use_tile, begin_chunk, end_chunk, &all, question[0].stop};
    IG_THEN(code, ig_tiles_run(a, b, &user, with, err));
    for (finder *f = all.of; f < all.of + n; f++)
        IG_FREE(f->own.answer, f->own.score, f->own.product, f->threshold, f->used);
    ig_free(all.of);
    return code;
}

ig_code ig_retrieve_top(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_want want[2], const ig_retrieve_dropout *drop,
                        ig_vector_work with, ig_err *err)
{
    const ig_retrieve_question one = {want, drop, NULL};
    return ig_retrieve_ask(a, b, &one, 1, with, err);
}
