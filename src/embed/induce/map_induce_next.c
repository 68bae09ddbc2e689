/* SPDX-License-Identifier: Apache-2.0
 *
 * Induction in one walk, for a round that is much like the one before it.
 *
 * The best score of an asker i is that of the largest s_ij − p_j, but the penalties p (half the
 * means of the k largest products) are only known when all products have been made. So
 * ig_induce_run makes them twice. Here the penalties q of the last round stand in: the walk keeps
 * the k largest products of every asker, and the LIST largest s_ij − q_j among the pairs that
 * chance leaves in. Then p is known, and with it the true score of those in the list; of all others
 * the score is at most the last of the list's estimates plus the largest q_j − p_j. Where the best
 * in the list is above that, it is the best of all. The other askers are asked again, alone. So the
 * answer is the same as ig_induce_run's, bit for bit; only the time depends on how far the
 * penalties have moved.
 */
#include "embed/induce/map_induce.h"

#include "base/memory.h"
#include "embed/search/retrieve_tiles.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LIST = IG_INDUCE_LIST, STRETCH = 32 };

typedef ig_induce_list list;

typedef struct {
    ig_induce *s;
    const ig_retrieve_dropout *drop;
    int k;
    int64_t chunk, first;
    int n, n_thread;
    /* Of each thread, for the columns of the chunk: */
    float *near;  /* [threads, chunk, k] */
    float *bound; /* [threads, 2, chunk]: the k-th product; the last estimate of the list */
    list *lists;  /* [threads, chunk] */
} walker;

static void near_insert(float *near, int k, float v)
{
    int at = k - 1;
    for (; at > 0 && near[at - 1] < v; at--)
        near[at] = near[at - 1];
    near[at] = v;
}

static void list_insert(list *l, float estimate, float product, int32_t answer)
{
    int at = LIST - 1;
    for (; at > 0 && l->estimate[at - 1] < estimate; at--) {
        l->estimate[at] = l->estimate[at - 1];
        l->product[at] = l->product[at - 1];
        l->answer[at] = l->answer[at - 1];
    }
    l->estimate[at] = estimate;
    l->product[at] = product;
    l->answer[at] = answer;
}

/* The lower of a product's bound and an estimate's with the penalty back on it, less a rounding. */
static float lower(float product, float estimate)
{
    return (product < estimate ? product : estimate) - 1e-6f;
}

static void empty(float *near, int64_t n_near, list *lists, int64_t n_list)
{
    for (int64_t i = 0; i < n_near; i++)
        near[i] = -INFINITY;
    for (int64_t i = 0; i < n_list; i++)
        for (int q = 0; q < LIST; q++) {
            lists[i].estimate[q] = -INFINITY;
            lists[i].answer[q] = -1;
        }
}

/* Row i of a tile against the bounds of its asker and of its columns' askers. Products up to low
 * and low_column[c] are below all of them. */
static void use_row(const walker *w, const ig_tile *t, int i, float q_least,
                    const float *low_column)
{
    const ig_induce *s = w->s;
    const int k = w->k, n = t->n_column, i_thread = t->i_thread;
    const int64_t row = t->row0 + i, column = t->column0,
                  at = i_thread * w->chunk + column - w->first;
    const float *v = t->s + (int64_t)i * t->ld;
    const float *q_column = s->before[1] + column, q_row = s->before[0][row];
    float *near = s->near[0] + row * k, *column_near = w->near + at * k,
          *bound = w->bound + (int64_t)i_thread * 2 * w->chunk + column - w->first,
          *last = bound + w->chunk;
    list *own = &s->list[0][row], *others = w->lists + at;
    for (int from = 0; from < n; from += STRETCH) {
        const int end = n - from < STRETCH ? n : from + STRETCH;
        const float low = lower(near[k - 1], own->estimate[LIST - 1] + q_least);
        int any = 0;
        for (int c = from; c < end; c++)
            any |= (v[c] > low) | (v[c] > low_column[c]);
        for (int c = from; any && c < end; c++) {
            if (v[c] > near[k - 1])
                near_insert(near, k, v[c]);
            if (v[c] > bound[c]) {
                near_insert(column_near + (int64_t)c * k, k, v[c]);
                bound[c] = column_near[(int64_t)c * k + k - 1];
            }
            float estimate = v[c] - q_column[c];
            if (estimate > own->estimate[LIST - 1] && ig_retrieve_kept(w->drop, 0, row, column + c))
                list_insert(own, estimate, v[c], (int32_t)(column + c));
            estimate = v[c] - q_row;
            if (estimate > last[c] && ig_retrieve_kept(w->drop, 1, column + c, row)) {
                list_insert(&others[c], estimate, v[c], (int32_t)row);
                last[c] = others[c].estimate[LIST - 1];
            }
        }
    }
}

static float least_of(const float *x, int64_t n)
{
    float least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

static void use_tile(void *arg, const ig_tile *t)
{
    const walker *w = arg;
    const float *bound = w->bound + (int64_t)t->i_thread * 2 * w->chunk + t->column0 - w->first;
    const float q_row = least_of(w->s->before[0] + t->row0, t->n_row),
                q_column = least_of(w->s->before[1] + t->column0, t->n_column);
    float low_column[IG_TILE_COLUMNS];
    for (int c = 0; c < t->n_column; c++)
        low_column[c] = lower(bound[c], bound[w->chunk + c] + q_row);
    for (int i = 0; i < t->n_row; i++)
        use_row(w, t, i, q_column, low_column);
}

static void begin_chunk(void *arg, int64_t first, int n)
{
    walker *w = arg;
    w->first = first;
    w->n = n;
    empty(w->near, w->n_thread * w->chunk * w->k, w->lists, w->n_thread * w->chunk);
    for (int64_t i = 0; i < 2 * w->n_thread * w->chunk; i++)
        w->bound[i] = -INFINITY;
}

/* What the threads have found for the columns of the chunk, together. */
static void end_chunk(void *arg, int64_t first, int n)
{
    walker *w = arg;
    const int k = w->k;
    for (int c = 0; c < n; c++) {
        float *near = w->s->near[1] + (first + c) * k;
        list *l = &w->s->list[1][first + c];
        for (int t = 0; t < w->n_thread; t++) {
            const int64_t at = t * w->chunk + c;
            const list *o = &w->lists[at];
            for (int q = 0; q < k && w->near[at * k + q] > near[k - 1]; q++)
                near_insert(near, k, w->near[at * k + q]);
            for (int q = 0; q < LIST && o->estimate[q] > l->estimate[LIST - 1]; q++)
                list_insert(l, o->estimate[q], o->product[q], o->answer[q]);
        }
    }
}

/* The largest q_j − p_j. */
static float largest_fall(const float *before, const float *now, int64_t n)
{
    float most = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        most = fmaxf(most, before[i] - now[i]);
    return most;
}

/* Takes the best of each list where it is certain; the others' numbers go to again[]. */
static int64_t settle(const list *l, int32_t *choice, int64_t n, const float *penalty, float fall,
                      int32_t *again)
{
    int64_t n_again = 0;
    /* Differences of float32 cosines and means: a few roundings of numbers below 2. */
    const float slack = 1e-6f;
    for (int64_t i = 0; i < n; i++) {
        float best = -INFINITY;
        choice[i] = -1;
        for (int q = 0; q < LIST && l[i].answer[q] >= 0; q++) {
            const int32_t a = l[i].answer[q];
            const float score = l[i].product[q] - penalty[a];
            if (score > best || (score == best && a < choice[i])) {
                best = score;
                choice[i] = a;
            }
        }
        if (!(best > l[i].estimate[LIST - 1] + fall + slack))
            again[n_again++] = (int32_t)i;
    }
    return n_again;
}

/* The askers that are asked again: one direction, exact penalties. */
typedef struct {
    const ig_retrieve_dropout *drop;
    const int32_t *asker;
    const float *penalty;
    int direction;
    int32_t *choice; /* of all askers */
    float *score;    /* [asked again] */
} asking;

static void ask_tile(void *arg, const ig_tile *t)
{
    const asking *a = arg;
    const float *penalty = a->penalty + t->column0;
    for (int r = 0; r < t->n_row; r++) {
        const float *v = t->s + (int64_t)r * t->ld;
        const int32_t i = a->asker[t->row0 + r];
        float *best = &a->score[t->row0 + r];
        for (int from = 0; from < t->n_column; from += STRETCH) {
            const int end = t->n_column - from < STRETCH ? t->n_column : from + STRETCH;
            int any = 0;
            for (int c = from; c < end; c++)
                any |= v[c] - penalty[c] > *best;
            for (int c = from; any && c < end; c++)
                if (v[c] - penalty[c] > *best &&
                    ig_retrieve_kept(a->drop, a->direction, i, t->column0 + c)) {
                    *best = v[c] - penalty[c];
                    a->choice[i] = (int32_t)(t->column0 + c);
                }
        }
    }
}

static ig_code ask_again(ig_induce *s, int direction, const float *x, const float *z,
                         const ig_retrieve_dropout *drop, ig_err *err)
{
    const int32_t *asker = s->again[direction];
    const int64_t n = s->n_again[direction];
    asking a = {.drop = drop,
                .asker = asker,
                .penalty = s->penalty[1 - direction],
                .direction = direction,
                .choice = direction == 0 ? s->forward : s->backward,
                .score = s->score[direction]};
    const ig_retrieve_side asks = {direction == 0 ? x : z, asker, n},
                           answers = {direction == 0 ? z : x, NULL, direction == 0 ? s->m : s->n};
    if (n == 0)
        return IG_ERR_OK;
    for (int64_t i = 0; i < n; i++) {
        a.score[i] = -INFINITY;
        a.choice[asker[i]] = -1;
    }
    const ig_tile_user user = {.use = ask_tile, .arg = &a};
    return ig_tiles_run(&asks, &answers, &user, s->with, err);
}

static ig_code walk_once(ig_induce *s, const float *x, const float *z,
                         const ig_retrieve_dropout *drop, ig_err *err)
{
    const ig_retrieve_side a = {x, NULL, s->n}, b = {z, NULL, s->m};
    walker w = {.s = s,
                .drop = drop,
                .k = s->k,
                .chunk = s->m < IG_TILE_CHUNK ? s->m : IG_TILE_CHUNK,
                .n_thread = ig_team_size(s->with.team)};
    const int64_t n = w.n_thread * w.chunk;
    ig_code code = ig_alloc(&w.near, n * w.k, sizeof *w.near, "similarities", err);
    IG_THEN(code, ig_alloc(&w.bound, 2 * n, sizeof *w.bound, "similarities", err));
    IG_THEN(code, ig_alloc(&w.lists, n, sizeof *w.lists, "similarities", err));
    if (code == IG_ERR_OK) {
        empty(s->near[0], s->n * s->k, s->list[0], s->n);
        empty(s->near[1], s->m * s->k, s->list[1], s->m);
        const ig_tile_user user = {use_tile, begin_chunk, end_chunk, &w};
        code = ig_tiles_run(&a, &b, &user, s->with, err);
    }
    IG_FREE(w.near, w.bound, w.lists);
    return code;
}

ig_code ig_induce_next(ig_induce *s, const float *x, const float *z,
                       const ig_retrieve_dropout *drop, ig_err *err)
{
    const int64_t size[2] = {s->n, s->m};
    int32_t *choice[2] = {s->forward, s->backward};
    if (!s->has_before || s->k == 0) {
        IG_TRY(ig_induce_run(s, x, z, drop, err));
        s->n_again[0] = s->n;
        s->n_again[1] = s->m;
    } else {
        IG_TRY(walk_once(s, x, z, drop, err));
        for (int side = 0; side < 2; side++)
            ig_induce_penalties(s, side);
        for (int side = 0; side < 2; side++) {
            float fall = largest_fall(s->before[1 - side], s->penalty[1 - side], size[1 - side]);
            s->n_again[side] = settle(s->list[side], choice[side], size[side], s->penalty[1 - side],
                                      fall, s->again[side]);
            IG_TRY(ask_again(s, side, x, z, drop, err));
        }
    }
    for (int side = 0; side < 2; side++)
        memcpy(s->before[side], s->penalty[side], (size_t)size[side] * sizeof(float));
    s->has_before = true;
    return IG_ERR_OK;
}
