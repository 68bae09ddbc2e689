/* SPDX-License-Identifier: Apache-2.0
 *
 * The k best, both ways, from one walk over the products. A row of a tile belongs to one asker of a
 * and is used by one thread; a column belongs to an asker of b, which several threads meet at once,
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
    ig_team *team;
    int n_thread;
    const ig_retrieve_dropout *drop;
    int64_t chunk;
    /* Of each thread, for the columns of the chunk: */
    int32_t *answer;  /* [threads, chunk, k] */
    float *score;     /* [threads, chunk, k] */
    float *threshold; /* [threads, chunk] the k-th score */
    bool *used;       /* [threads] met any tile of the chunk */
    int64_t first;
    int n;
} finder;

/* Puts an answer into a full list (−1, −INFINITY where nothing is yet) in the order (score falling,
 * number rising), if it belongs there. */
static void insert(int32_t *answer, float *score, int k, int32_t a, float s)
{
    int at = k - 1;
    if (s < score[at] || (s == score[at] && answer[at] >= 0 && a > answer[at]))
        return;
    for (; at > 0 && (score[at - 1] < s ||
                      (score[at - 1] == s && (answer[at - 1] < 0 || answer[at - 1] > a)));
         at--) {
        score[at] = score[at - 1];
        answer[at] = answer[at - 1];
    }
    score[at] = s;
    answer[at] = a;
}

bool ig_retrieve_kept(const ig_retrieve_dropout *drop, int direction, int64_t asker, int64_t answer)
{
    uint32_t u[4];
    if (drop == NULL || drop->keep >= 1)
        return true;
    ig_philox(drop->key, (uint32_t)asker, (uint32_t)answer, drop->round,
              (uint32_t)DRAW_DROPOUT + (uint32_t)direction, u);
    return u[0] < (uint64_t)(drop->keep * 0x1p32);
}

/* Most rows have nothing new for most lists: whole pieces are compared with the threshold, and only
 * pieces that have something are gone through. A score equal to the threshold does not belong: each
 * thread meets numbers rising (tasks are claimed in order), so it would be a later one. */
static void use_row(const finder *f, const ig_tile *t, int i)
{
    const ig_retrieve_want *want = &f->want[0];
    const int k = want->k, n = t->n_column;
    const int64_t asker = t->row0 + i, column0 = t->column0;
    const float *s = t->s + (int64_t)i * t->ld,
                *penalty = want->penalty != NULL ? want->penalty + column0 : NULL;
    int32_t *answer = want->answer + asker * k;
    float *score = want->score + asker * k;
    for (int from = 0; from < n; from += PIECE) {
        const int to = n - from < PIECE ? n : from + PIECE;
        const float least = score[k - 1];
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
            if (v[j] > score[k - 1] && ig_retrieve_kept(f->drop, 0, asker, column0 + from + j))
                insert(answer, score, k, (int32_t)(column0 + from + j), v[j]);
    }
}

static void use_columns(const finder *f, const ig_tile *t, int i)
{
    const ig_retrieve_want *want = &f->want[1];
    const int k = want->k, n = t->n_column;
    const int64_t asked = t->row0 + i, column0 = t->column0,
                  at = t->i_thread * f->chunk + column0 - f->first;
    const float *s = t->s + (int64_t)i * t->ld,
                penalty = want->penalty != NULL ? want->penalty[asked] : 0;
    float *threshold = f->threshold + at;
    for (int from = 0; from < n; from += PIECE) {
        const int to = n - from < PIECE ? n : from + PIECE;
        int32_t more = 0;
        for (int j = from; j < to; j++)
            more += s[j] - penalty > threshold[j];
        if (more == 0)
            continue;
        for (int j = from; j < to; j++)
            if (s[j] - penalty > threshold[j] && ig_retrieve_kept(f->drop, 1, column0 + j, asked)) {
                int32_t *answer = f->answer + (at + j) * k;
                float *score = f->score + (at + j) * k;
                insert(answer, score, k, (int32_t)asked, s[j] - penalty);
                threshold[j] = score[k - 1];
            }
    }
}

static void use_tile(void *arg, const ig_tile *t)
{
    finder *f = arg;
    const bool rows = f->want[0].k > 0, columns = f->want[1].k > 0;
    for (int i = 0; i < t->n_row; i++) {
        if (rows)
            use_row(f, t, i);
        if (columns)
            use_columns(f, t, i);
    }
    if (columns)
        f->used[t->i_thread] = true;
}

static void empty(int32_t *answer, float *score, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        answer[i] = -1;
        score[i] = -INFINITY;
    }
}

static void begin_chunk(void *arg, int64_t first, int n)
{
    finder *f = arg;
    f->first = first;
    f->n = n;
    empty(f->answer, f->score, f->n_thread * f->chunk * f->want[1].k);
    for (int64_t i = 0; i < f->n_thread * f->chunk; i++)
        f->threshold[i] = -INFINITY;
    memset(f->used, 0, (size_t)f->n_thread * sizeof *f->used);
}

static void merge_task(void *arg, int64_t task, int i_thread)
{
    const finder *f = arg;
    const int k = f->want[1].k;
    (void)i_thread;
    for (int64_t j = task * PIECE; j < f->n && j < (task + 1) * PIECE; j++) {
        int32_t *answer = f->want[1].answer + (f->first + j) * k;
        float *score = f->want[1].score + (f->first + j) * k;
        for (int t = 0; t < f->n_thread; t++) {
            const int64_t at = ((int64_t)t * f->chunk + j) * k;
            for (int i = 0; i < k && f->used[t] && f->answer[at + i] >= 0; i++)
                insert(answer, score, k, f->answer[at + i], f->score[at + i]);
        }
    }
}

static void end_chunk(void *arg, int64_t first, int n)
{
    finder *f = arg;
    (void)first;
    ig_team_for(f->team, (n + PIECE - 1) / PIECE, merge_task, f);
}

static ig_code column_lists(finder *f, ig_err *err)
{
    const int64_t n = f->n_thread * f->chunk;
    IG_TRY(ig_alloc(&f->answer, n * f->want[1].k, sizeof *f->answer, "answers", err));
    IG_TRY(ig_alloc(&f->score, n * f->want[1].k, sizeof *f->score, "answers", err));
    IG_TRY(ig_alloc(&f->threshold, n, sizeof *f->threshold, "answers", err));
    return ig_alloc(&f->used, f->n_thread, sizeof *f->used, "answers", err);
}

ig_code ig_retrieve_top(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_want want[2], const ig_retrieve_dropout *drop,
                        ig_vector_work with, ig_err *err)
{
    const bool back = want[1].k > 0;
    finder f = {.want = want,
                .drop = drop,
                .team = with.team,
                .n_thread = ig_team_size(with.team),
                .chunk = b->n < IG_TILE_CHUNK ? b->n : IG_TILE_CHUNK};
    IG_ASSERT(a->n <= INT32_MAX && b->n <= INT32_MAX && want[0].k >= 0 && want[1].k >= 0);
    if (want[0].k > 0)
        empty(want[0].answer, want[0].score, a->n * want[0].k);
    if (back)
        empty(want[1].answer, want[1].score, b->n * want[1].k);
    ig_code code = back ? column_lists(&f, err) : IG_ERR_OK;
    const ig_tile_user user = {use_tile, back ? begin_chunk : NULL, back ? end_chunk : NULL, &f};
    IG_THEN(code, ig_tiles_run(a, b, &user, with, err));
    IG_FREE(f.answer, f.score, f.threshold, f.used);
    return code;
}
