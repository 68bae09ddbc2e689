/* SPDX-License-Identifier: Apache-2.0
 *
 * Each rank sends every other one that one's slice of its sums of lanes, in chunks, and adds up its
 * own slice (Rabenseifner 2004, the first half of an all-reduce, in a tree of our own).
 */
#include "model/ranks/spread.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/ranks/batch_wire.h"
#include "model/ranks/slices.h"

#include <string.h>

enum { CHUNK = 1 << 20 /* floats */, ADD = 8192 /* floats added by a task */ };

ig_code ig_spread_open(ig_engine *e, ig_err *err)
{
    struct ig_spread *s;
    if (e->device != &ig_device_host)
        return ig_fail(err, IG_ERR_USAGE, "device", 0,
                       "found %s, expected the host for a run of several ranks", e->device->name);
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "ranks", err));
    e->spread = s;
    s->started = s->whole = true;
    IG_TRY(ig_alloc(&s->slice, ig_ranks_n() + 1, sizeof *s->slice, "ranks", err));
    ig_slices_make(s->slice, ig_ranks_n(), e->model);
    return IG_ERR_OK;
}

void ig_spread_free(struct ig_spread *s)
{
    if (s == NULL)
        return;
    ig_wire_free(&s->wire);
    IG_FREE(s->slice, s->room, s->out, s);
}

/* --- who computes what ------------------------------------------------------------------------ */

/* Edits, and models that they take attention from, are rank 0's alone. */
static bool is_alone(const ig_engine *e)
{
    return e->spread == NULL ||
           (ig_ranks_self() == 0 ? e->edits.n > 0 || e->patch != NULL : e->spread->alone);
}

/* A rank's part of n lanes or shards of the present batch. */
static ig_rank_part part_of(const ig_engine *e, int n, int rank)
{
    if (is_alone(e))
        return (ig_rank_part){0, rank == 0 ? n : 0};
    return ig_ranks_part(n, rank);
}

static int self_of(const ig_engine *e)
{
    return e->spread != NULL ? ig_ranks_self() : 0;
}

ig_rank_part ig_spread_lanes(const ig_engine *e)
{
    return part_of(e, e->shards.n_lane, self_of(e));
}

ig_rank_part ig_spread_shards(const ig_engine *e)
{
    return part_of(e, e->shards.n_shard, self_of(e));
}

/* --- calls ------------------------------------------------------------------------------------ */

static bool calls(const ig_engine *e)
{
    return e->spread != NULL && ig_ranks_self() == 0;
}

ig_code ig_spread_call_train(ig_engine *e, const ig_batch *b, const ig_pass *pass, ig_err *err)
{
    struct ig_spread *s = e->spread;
    if (!calls(e))
        return IG_ERR_OK;
    if (!s->started) /* its lanes begin with the sum so far */
        (void)ig_engine_gradient(e);
    s->alone = is_alone(e);
    ig_wire_clear(&s->wire);
    IG_TRY(ig_wire_put(&s->wire, &s->alone, sizeof s->alone, err));
    IG_TRY(ig_wire_put(&s->wire, pass, sizeof *pass, err));
    IG_TRY(ig_batch_put(&s->wire, b, err));
    ig_ranks_call(IG_CALL_TRAIN, &s->wire);
    s->started = s->whole = false;
    return IG_ERR_OK;
}

ig_code ig_spread_call_predict(ig_engine *e, const ig_batch *b, ig_err *err)
{
    struct ig_spread *s = e->spread;
    if (!calls(e) || is_alone(e))
        return IG_ERR_OK;
    ig_wire_clear(&s->wire);
    IG_TRY(ig_wire_put(&s->wire, &e->keep_logits, sizeof e->keep_logits, err));
    IG_TRY(ig_batch_put(&s->wire, b, err));
    ig_ranks_call(IG_CALL_PREDICT, &s->wire);
    return IG_ERR_OK;
}

ig_code ig_spread_call_encode(ig_engine *e, const ig_batch *b, ig_inner which, const int *layers,
                              int n_layer, ig_err *err)
{
    struct ig_spread *s = e->spread;
    if (!calls(e) || is_alone(e))
        return IG_ERR_OK;
    ig_wire_clear(&s->wire);
    IG_TRY(ig_wire_put(&s->wire, &which, sizeof which, err));
    IG_TRY(ig_wire_put(&s->wire, &n_layer, sizeof n_layer, err));
    IG_TRY(ig_wire_put(&s->wire, layers, n_layer * (int64_t)sizeof *layers, err));
    IG_TRY(ig_batch_put(&s->wire, b, err));
    ig_ranks_call(IG_CALL_ENCODE, &s->wire);
    return IG_ERR_OK;
}

ig_code ig_spread_frozen(ig_engine *e, const bool *frozen, ig_err *err)
{
    const size_t n = (size_t)ig_bert_n_param(e->model) * sizeof *frozen;
    if (!calls(e) || (e->frozen.said != NULL && memcmp(e->frozen.said, frozen, n) == 0))
        return IG_ERR_OK;
    ig_wire_clear(&e->spread->wire);
    IG_TRY(ig_wire_put(&e->spread->wire, frozen, (int64_t)n, err));
    ig_ranks_call(IG_CALL_FROZEN, &e->spread->wire);
    ig_ranks_called();
    return IG_ERR_OK;
}

void ig_spread_cleared(ig_engine *e)
{
    if (e->spread != NULL)
        e->spread->started = e->spread->whole = true;
}

void ig_spread_done(ig_engine *e)
{
    if (calls(e))
        ig_ranks_called();
}

/* --- the sum of the lanes --------------------------------------------------------------------- */

typedef struct {
    const ig_ops *ops;
    int n, n_lane;
    const ig_lane_sum *sum; /* [n] in order, of one chunk */
    float *to;              /* of this chunk */
    int64_t size;
} adding;

static void add_piece(void *arg, int64_t i, int i_thread)
{
    const adding *a = arg;
    const int64_t at = i * ADD, n = a->size - at < ADD ? a->size - at : ADD;
    ig_lane_sum stack[IG_LANES_MAX];
    int have = 0;
    (void)i_thread;
    for (int k = 0; k < a->n; k++) {
        stack[have++] = a->sum[k];
        while (have > 1 && ig_lane_tree_joins(&stack[have - 2], &stack[have - 1], a->n_lane)) {
            a->ops->add(stack[have - 2].at + at, stack[have - 1].at + at, n);
            stack[have - 2].to = stack[have - 1].to;
            have--;
        }
    }
    IG_ASSERT(have == 1);
    if (stack[0].at != a->to)
        memcpy(a->to + at, stack[0].at + at, (size_t)n * sizeof *a->to);
}

/* A chunk of a rank's slice. */
static ig_span chunk_of(const struct ig_spread *s, int rank, int64_t i)
{
    const int64_t from = s->slice[rank] + i * CHUNK, end = s->slice[rank + 1];
    return from >= end ? (ig_span){end, end}
                       : (ig_span){from, end - from < CHUNK ? end : from + CHUNK};
}

/* Sums of lanes by rank, in order of the lanes. */
typedef struct {
    int n, rank[IG_LANES_MAX];
    ig_lane_sum sum[IG_LANES_MAX];
} all_sums;

static void list_sums(all_sums *a, const ig_engine *e, const ig_lane_sum *own)
{
    a->n = 0;
    for (int r = 0; r < ig_ranks_n(); r++) {
        ig_lane_sum of[IG_LANES_MAX];
        const ig_rank_part part = part_of(e, e->shards.n_lane, r);
        const int n = ig_lane_tree_sums(of, part.from, part.to, e->shards.n_lane, NULL);
        for (int i = 0; i < n; i++) {
            a->rank[a->n] = r;
            a->sum[a->n++] = r == ig_ranks_self() ? own[i] : of[i];
        }
    }
}

/* Chunk i: sends the others theirs, receives mine and adds it. */
static void add_chunk(ig_engine *e, const all_sums *a, const ig_lane_sum *own, int n_own, int64_t i)
{
    const struct ig_spread *s = e->spread;
    const int self = ig_ranks_self();
    const ig_span mine = chunk_of(s, self, i);
    ig_transfer t[IG_LANES_MAX * 2];
    ig_lane_sum sum[IG_LANES_MAX];
    int n = 0, n_other = 0;
    for (int r = 0; r < ig_ranks_n(); r++) {
        const ig_span theirs = chunk_of(s, r, i);
        for (int k = 0; r != self && theirs.from < theirs.to && k < n_own; k++) {
            if (n == IG_LANES_MAX) { /* many ranks: in several turns */
                ig_ranks_exchange(t, n);
                n = 0;
            }
            t[n++] = (ig_transfer){r, true, own[k].at + theirs.from,
                                   (theirs.to - theirs.from) * (int64_t)sizeof(float),
                                   IG_TAG_LANE + own[k].from};
        }
    }
    for (int k = 0; k < a->n; k++) {
        sum[k] = a->sum[k];
        sum[k].at =
            a->rank[k] == self ? a->sum[k].at + mine.from : s->room + (int64_t)n_other++ * CHUNK;
        if (a->rank[k] != self && mine.from < mine.to)
            t[n++] = (ig_transfer){a->rank[k], false, sum[k].at,
                                   (mine.to - mine.from) * (int64_t)sizeof(float),
                                   IG_TAG_LANE + a->sum[k].from};
    }
    ig_ranks_exchange(t, n);
    adding job = {.ops = e->ops,
                  .n = a->n,
                  .n_lane = e->shards.n_lane,
                  .sum = sum,
                  .to = e->gradient[0] + mine.from,
                  .size = mine.to - mine.from};
    ig_team_for(e->team, (job.size + ADD - 1) / ADD, add_piece, &job);
}

ig_code ig_spread_add(ig_engine *e, const ig_lane_sum *own, int n, ig_err *err)
{
    struct ig_spread *s = e->spread;
    all_sums a;
    int64_t n_chunk = 0;
    list_sums(&a, e, own);
    IG_TRY(ig_grow(&s->room, &s->have_room, (int64_t)(a.n - n) * CHUNK, sizeof *s->room, "ranks",
                   err));
    for (int r = 0; r < ig_ranks_n(); r++) {
        const int64_t have = (s->slice[r + 1] - s->slice[r] + CHUNK - 1) / CHUNK;
        n_chunk = have > n_chunk ? have : n_chunk;
    }
    for (int64_t i = 0; i < n_chunk; i++)
        add_chunk(e, &a, own, n, i);
    return IG_ERR_OK;
}

void ig_spread_gather(const ig_engine *e)
{
    const struct ig_spread *s = e->spread;
    const int self = ig_ranks_self();
    for (int r = 1; r < ig_ranks_n(); r++) {
        const ig_transfer t = {self == 0 ? r : 0, self != 0, e->gradient[0] + s->slice[r],
                               (s->slice[r + 1] - s->slice[r]) * (int64_t)sizeof(float),
                               IG_TAG_PART};
        if (self == 0 || self == r)
            ig_ranks_exchange(&t, 1);
    }
}

float *ig_engine_gradient(ig_engine *e)
{
    if (calls(e) && !e->spread->whole) {
        ig_wire_clear(&e->spread->wire);
        ig_ranks_call(IG_CALL_WHOLE, &e->spread->wire);
        ig_spread_gather(e);
        ig_ranks_called();
        e->spread->whole = true;
    }
    return e->gradient[0];
}

/* --- results ---------------------------------------------------------------------------------- */

/* One array of a head's results. */
typedef struct {
    void *at;
    int64_t size; /* bytes of a target */
} result_array;

void ig_spread_results(ig_engine *e, const ig_batch *b, bool train)
{
    const int self = self_of(e), each = e->shards.n_shard / e->shards.n_lane;
    if (is_alone(e))
        return;
    for (int h = 0; h < IG_N_HEAD; h++) {
        const result_array array[] = {
            {e->places.nll[h], sizeof *e->places.nll[h]},
            {e->places.best[h], sizeof *e->places.best[h]},
            {ig_heads[h]->trees ? e->places.best_head[h] : NULL, sizeof *e->places.best_head[h]},
            {e->places.logits[h], ig_bert_config_n_label(e->config, (ig_head_kind)h) *
                                      (int64_t)sizeof *e->places.logits[h]}};
        if (!ig_head_asked(e->config, b, (ig_head_kind)h))
            continue;
        for (int r = 1; r < ig_ranks_n(); r++) {
            const ig_rank_part p = part_of(e, train ? e->shards.n_lane : e->shards.n_shard, r);
            const int32_t *target = e->shards.target[h];
            const int64_t from = target[train ? p.from * each : p.from],
                          to = target[train ? p.to * each : p.to];
            ig_transfer t[4];
            int n = 0;
            for (int i = 0; i < 4; i++)
                if (array[i].at != NULL && to > from)
                    t[n++] = (ig_transfer){self == 0 ? r : 0, self != 0,
                                           (char *)array[i].at + from * array[i].size,
                                           (to - from) * array[i].size, IG_TAG_RESULT + i};
            if (self == 0 || self == r)
                ig_ranks_exchange(t, n);
        }
    }
}

void ig_spread_rows(ig_engine *e, const ig_batch *b, int n_layer, int width, float *const *out)
{
    const int self = self_of(e);
    if (is_alone(e))
        return;
    for (int r = 1; r < ig_ranks_n(); r++) {
        const ig_rank_part p = part_of(e, e->shards.n_shard, r);
        const int64_t from = b->seq_start[e->shards.first[p.from]],
                      to = b->seq_start[e->shards.first[p.to]];
        for (int k = 0; k < n_layer && to > from && (self == 0 || self == r); k++) {
            const ig_transfer t = {self == 0 ? r : 0, self != 0, out[k] + from * width,
                                   (to - from) * width * (int64_t)sizeof(float), IG_TAG_RESULT};
            ig_ranks_exchange(&t, 1);
        }
    }
}
