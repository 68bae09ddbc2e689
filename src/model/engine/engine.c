/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine: cuts a batch into shards and takes them through the network. A small model runs in
 * lanes: one thread carries a shard through the whole network, forward and backward, with no
 * barrier between ops; each lane owns a gradient, and the lanes are added in a fixed tree. A large
 * model runs its ops over the team, into one gradient. Either way the sums are the same for any
 * number of threads.
 */
#include "model/engine/engine.h"

#include "base/assert.h"
#include "model/block/block.h"
#include "model/engine/engine_internal.h"
#include "model/engine/lanes.h"
#include "model/ranks/spread.h"

#include <string.h>

typedef struct {
    ig_engine *e;
    const ig_batch *b;
    ig_net net;
    ig_lanes *lanes;   /* train */
    ig_rank_part own;  /* the lanes, or shards, of this process */
    int top;           /* train, predict: the last hidden state that is read */
    bool train_states; /* train: heads pass their gradient on */
    const int *layers; /* encode */
    int n_layer;
    float *const *out;
    float *qk; /* encode: in place of out the queries and keys that the next block computes from
                * it */
    ig_inner inner; /* encode: what blocks layers[i] compute on their way, in place of states */
} job;

/* A model as one language's shards see it. */
typedef struct {
    int i_shard, language;
    const ig_bert_offsets *offsets;
    const ig_bert_layer_offsets *layers;
    const int *layer_of;
    const ig_products *block, *head;
} parts;

static parts parts_for(const ig_engine *e, const ig_batch *b, int i_shard)
{
    const int32_t first = e->shards.first[i_shard];
    const int k = e->n_language > 1 && b->language != NULL ? b->language[first] : 0;
    const int n_layer = e->config->num_hidden_layers;
    return (parts){.i_shard = i_shard,
                   .language = k,
                   .offsets = &e->offsets[k],
                   .layers = ig_bert_get_layer_offsets(e->model, k),
                   .layer_of = e->weights.layer_of + k * n_layer,
                   .block = e->weights.layer,
                   .head = &e->weights.head[(int64_t)e->weights.head_of[k] * IG_N_HEAD]};
}

/* The LayerNorm of hidden state l. */
static ig_norm_place norm_of(const ig_engine *e, const parts *q, int l)
{
    return ig_blocks[e->config->block]->norm(q->offsets, q->layers, l,
                                             e->config->num_hidden_layers);
}

/* Hidden state l itself: the sum where blocks keep one, else the LayerNorm. */
static float *hidden_of(const ig_engine *e, const ig_state *s, int l)
{
    return s->stream != NULL && l < e->config->num_hidden_layers
               ? s->stream
               : ig_state_layer(s, l)->hidden.out.x;
}

/* Block l; `grad`: the block that its gradient is added to, in training. */
static ig_block_call block_of(const job *j, const parts *q, const ig_shard_view *v,
                              const ig_worker *w, int l, float *grad)
{
    const ig_state *s = &w->state;
    return (ig_block_call){
        .of = {&w->exec, &j->net, q->layers[l].at, &q->block[q->layer_of[l]], grad},
        .layer = l,
        .outside = q->offsets,
        .layers = q->layers,
        .s = v,
        .w = &s->work,
        .in = &ig_state_layer(s, l)->hidden,
        .out = &ig_state_layer(s, l + 1)->hidden,
        .stream = s->stream,
        .size = &s->size,
        .room = ig_state_layer(s, l + 1)->room};
}

/* The place of hidden state l in a shard. */
static ig_edit_place edit_place(const job *j, const parts *q, const ig_shard_view *v,
                                const ig_state *s, int l)
{
    const ig_engine *e = j->e;
    const bool last = l == e->config->num_hidden_layers;
    return (ig_edit_place){.layer = l,
                           .to = ig_state_layer(s, l)->hidden,
                           .stream = last ? NULL : s->stream,
                           .norm = norm_of(e, q, l),
                           .plain = l == 0 && ig_blocks[e->config->block]->plain_first,
                           .room = s->work.sum,
                           .n_row = last ? v->n_kept : v->n_tok,
                           .kept = last ? v->kept_host : NULL,
                           .batch = j->b,
                           .first_seq = e->shards.first[q->i_shard],
                           .n_seq = v->n_seq};
}

static ig_heads_job heads_of(const job *j, const parts *q, const ig_shard_view *v,
                             const ig_worker *w, const ig_work *work, float *grad)
{
    return (ig_heads_job){.x = &w->exec,
                          .net = &j->net,
                          .o = q->offsets,
                          .p = q->head,
                          .v = v,
                          .w = work,
                          .grad = grad};
}

static ig_embedding_call embedding_of(const job *j, const parts *q, const ig_shard_view *v,
                                      const ig_worker *w, const ig_state *s, float *grad)
{
    return (ig_embedding_call){.x = &w->exec,
                               .net = &j->net,
                               .o = q->offsets,
                               .norm = norm_of(j->e, q, 0),
                               .s = v,
                               .w = &s->work,
                               .to = &s->layer[0].hidden,
                               .stream = s->stream,
                               .grad = grad};
}

static ig_shard_view view_of(const job *j, int i_shard, bool all_rows, const ig_shard_index *index)
{
    const ig_engine *e = j->e;
    const ig_shard_source of = {e->config, j->b, &e->shards, &e->places, e->device};
    return ig_shard_view_make(&of, i_shard, all_rows, index);
}

static bool nothing_asked(const ig_shard_view *v)
{
    for (int h = 0; h < IG_N_HEAD; h++)
        if (v->target[h].n > 0)
            return false;
    return true;
}

/* Runs a shard forward and backward, adding its gradient to `grad`. */
static void train_shard(const job *j, int i_shard, ig_worker *w, float *grad)
{
    const ig_engine *e = j->e;
    const ig_state *s = &w->state;
    ig_shard_view v = view_of(j, i_shard, false, &s->index);
    const ig_block *kind = ig_blocks[e->config->block];
    const int n_layer = e->config->num_hidden_layers;
    const bool all = j->top == n_layer && j->train_states && v.n_tok > 0 && e->frozen.n == 0;
    if (w->exec.fresh && !all)
        ig_lane_write_zero(&e->spans, &w->exec, grad);
    if (v.n_tok == 0)
        return;
    const parts q = parts_for(e, j->b, i_shard);
    v.floor = e->frozen.floor != NULL ? e->frozen.floor[q.language] : -1;
    const ig_heads_job heads = heads_of(j, &q, &v, w, &s->work, grad);
    const ig_embedding_call embedding = embedding_of(j, &q, &v, w, s, grad);
    ig_embedding_forward(&embedding);
    for (int l = 0;; l++) {
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, &v, s, l);
            ig_edits_run(&e->edits, &w->exec, &j->net, &p);
        }
        ig_heads_take(&heads, l, hidden_of(e, s, l));
        if (l == j->top)
            break;
        const ig_block_call block = block_of(j, &q, &v, w, l, NULL);
        kind->forward(&block);
    }
    ig_heads_run(&heads, hidden_of(e, s, n_layer));
    if (!j->train_states || v.floor >= j->top)
        return;
    if (j->top < n_layer) { /* nothing comes from above */
        const int64_t n = (int64_t)v.n_tok * e->config->hidden_size;
        w->exec.run->zero(&w->exec, s->work.dx, n);
        if (s->stream != NULL)
            w->exec.run->zero(&w->exec, s->work.dstream, n);
    }
    for (int l = j->top;; l--) {
        ig_heads_give(&heads, l, s->stream != NULL && l < n_layer ? s->work.dstream : s->work.dx);
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, &v, s, l);
            ig_edits_back(&e->edits, &w->exec, &j->net, &p, &s->work, grad);
        }
        if (l == 0)
            break;
        const ig_block_call block = block_of(j, &q, &v, w, l - 1, grad);
        kind->backward(&block);
        if (l - 1 == v.floor)
            return;
    }
    ig_embedding_backward(&embedding);
}

/* Runs a thread's part of a batch. Lanes are counted from the process's first. */
static void train_lanes(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    int lane = -1, shard;
    (void)i_task;
    while (ig_lanes_next(j->lanes, lane, &lane, &shard)) {
        ig_worker *w = &j->e->train.worker[i_thread];
        w->exec.fresh = j->e->spans.n_written > 0 && lane > 0 && shard == 0;
        train_shard(j, ig_lane_first(&j->e->shards, j->own.from + lane) + shard, w,
                    j->e->gradient[lane]);
    }
}

/* Adds b to a, and clears b. */
static void add_sum(const ig_engine *e, ig_lane_sum *a, const ig_lane_sum *b)
{
    float *const two[] = {a->at, b->at};
    e->all.run->add_lanes(&e->all, two, 2, ig_bert_n_weight(e->model), e->spans.written,
                          e->spans.n_written);
    a->to = b->to;
}

/* A large model: one lane after another, each added as soon as the tree allows. Returns the sums
 * that remain. */
static int train_in_turn(const job *j, ig_lane_sum *sum)
{
    const ig_engine *e = j->e;
    const int each = e->shards.n_shard / e->shards.n_lane;
    ig_worker *w = &e->train.worker[0];
    int n = 0;
    for (int lane = j->own.from; lane < j->own.to; lane++) {
        sum[n] = (ig_lane_sum){lane, lane + 1, e->gradient[n]};
        for (int i = 0; i < each; i++) {
            w->exec.fresh = e->spans.n_written > 0 && n > 0 && i == 0;
            train_shard(j, ig_lane_first(&e->shards, lane) + i, w, sum[n].at);
        }
        for (n++; n > 1 && ig_lane_tree_joins(&sum[n - 2], &sum[n - 1], e->shards.n_lane); n--)
            add_sum(e, &sum[n - 2], &sum[n - 1]);
    }
    w->exec.fresh = false;
    return n;
}

/* A small model: all lanes at once. All of them are added in one go, where this process has all. */
static int train_at_once(job *j, ig_lane_sum *sum)
{
    const ig_engine *e = j->e;
    const int n_lane = j->own.to - j->own.from;
    ig_lanes lanes;
    ig_lanes_begin(&lanes, n_lane, e->shards.n_shard / e->shards.n_lane, ig_team_size(e->team));
    j->lanes = &lanes;
    ig_team_for(e->team, ig_team_size(e->team), train_lanes, j);
    ig_lanes_end(&lanes);
    if (n_lane == e->shards.n_lane) {
        if (n_lane > 1)
            e->all.run->add_lanes(&e->all, e->gradient, n_lane, ig_bert_n_weight(e->model),
                                  e->spans.written, e->spans.n_written);
        sum[0] = (ig_lane_sum){0, n_lane, e->gradient[0]};
        return 1;
    }
    int n = 0;
    for (int k = 0; k < n_lane; k++) {
        sum[n++] = (ig_lane_sum){j->own.from + k, j->own.from + k + 1, e->gradient[k]};
        for (; n > 1 && ig_lane_tree_joins(&sum[n - 2], &sum[n - 1], e->shards.n_lane); n--)
            add_sum(e, &sum[n - 2], &sum[n - 1]);
    }
    return n;
}

/* Adds the sums of this process's lanes to those of other ranks. */
static ig_code add_ranks(const job *j, const ig_lane_sum *sum, int n, ig_err *err)
{
    ig_engine *e = j->e;
    if (e->spread == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_spread_add(e, sum, n, err));
    for (int i = 0; i < n; i++)
        if (sum[i].at != e->gradient[0])
            ig_lane_clear_rest(&e->spans, &e->all, sum[i].at, ig_bert_n_weight(e->model));
    return IG_ERR_OK;
}

/* Adds up the sums over a batch's targets. */
static void add_results(ig_engine *e, const ig_batch *b)
{
    for (int h = 0; h < IG_N_HEAD; h++) {
        const ig_targets *t = &b->target[h];
        ig_head_result *r = &e->result[h];
        *r = (ig_head_result){.nll = e->nll[h], .best = e->best[h]};
        if (!ig_head_asked(e->config, b, (ig_head_kind)h))
            continue;
        r->n = t->n;
        e->device->download(e->nll[h], e->places.nll[h], r->n * (int64_t)sizeof *r->nll);
        e->device->download(e->best[h], e->places.best[h], r->n * (int64_t)sizeof *r->best);
        if (e->places.logits[h] != NULL) {
            r->logits = e->logits[h];
            e->device->download(e->logits[h], e->places.logits[h],
                                r->n * ig_bert_config_n_label(e->config, (ig_head_kind)h) *
                                    (int64_t)sizeof *r->logits);
        }
        if (ig_heads[h]->trees) {
            r->best_head = e->best_head[h];
            e->device->download(e->best_head[h], e->places.best_head[h],
                                r->n * (int64_t)sizeof *r->best_head);
        }
        for (int64_t i = 0; i < r->n; i++) {
            r->loss += r->nll[i];
            r->n_right += t->label[i] >= 0 && r->best[i] == t->label[i] &&
                          (r->best_head == NULL || r->best_head[i] == t->head[i]);
        }
    }
}

int ig_inner_width(const ig_bert_config *c, ig_inner which)
{
    return which == IG_INNER_HEADS ? ig_bert_query_dim(c) : c->intermediate_size;
}

/* Hands out what block l has computed on its way, a row for each token from `at` of the batch on.
 */
static void put_inner(const job *j, const ig_block_call *block, int l, int64_t at, int n_tok)
{
    const ig_bert_config *c = j->e->config;
    const int width = ig_inner_width(c, j->inner);
    const ig_matrix m = ig_blocks[c->block]->inner(block, j->inner);
    for (int k = 0; k < j->n_layer; k++) {
        float *to = j->out[k] + at * width;
        if (j->layers[k] != l)
            continue;
        for (int64_t i = 0; i < n_tok; i++, to += width)
            if (!m.bf16)
                j->e->device->download(to, m.x + i * m.ld, width * (int64_t)sizeof *to);
            else {
                /* In the upper half of the row, then each to its place from the first on. */
                uint16_t *half = (uint16_t *)(void *)to + width;
                j->e->device->download(half, m.x + i * m.ld, width * (int64_t)sizeof *half);
                for (int k2 = 0; k2 < width; k2++) {
                    const uint32_t bits = (uint32_t)half[k2] << 16;
                    memcpy(&to[k2], &bits, sizeof bits);
                }
            }
    }
}

/* Runs a shard forward; the head, or the requested layers. */
static void infer_shard(const job *j, int i_shard, ig_worker *w)
{
    const ig_engine *e = j->e;
    const ig_state *s = &w->state;
    const ig_shard_view v = view_of(j, i_shard, j->layers != NULL, &s->index);
    const int64_t d = e->config->hidden_size, n = (int64_t)v.n_tok * d, at = (int64_t)v.row0 * d;
    const bool encode = j->layers != NULL;
    const int last = encode ? j->layers[j->n_layer - 1] : j->top;
    if (v.n_tok == 0 || (!encode && nothing_asked(&v)))
        return;
    const parts q = parts_for(e, j->b, i_shard);
    const ig_embedding_call embedding = embedding_of(j, &q, &v, w, s, NULL);
    ig_embedding_forward(&embedding);
    const ig_heads_job heads = heads_of(j, &q, &v, w, &s->work, NULL);
    const ig_block *kind = ig_blocks[e->config->block];
    for (int l = 0, k = 0;; l++) {
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, &v, s, l);
            ig_edits_run(&e->edits, &w->exec, &j->net, &p);
        }
        if (!encode)
            ig_heads_take(&heads, l, hidden_of(e, s, l));
        if (encode && j->inner == IG_INNER_NONE && j->layers[k] == l && j->qk == NULL)
            e->device->download(j->out[k++] + at, hidden_of(e, s, l), n * (int64_t)sizeof(float));
        if (l == last)
            break;
        const ig_block_call block = block_of(j, &q, &v, w, l, NULL);
        kind->forward(&block);
        if (j->inner != IG_INNER_NONE)
            put_inner(j, &block, l + 1, v.row0, v.n_tok);
    }
    if (j->qk != NULL) {
        const ig_block_call block = block_of(j, &q, &v, w, last, NULL);
        kind->queries(&block, j->qk);
    }
    if (!encode)
        ig_heads_run(&heads, hidden_of(e, s, last));
}

static void infer_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    infer_shard(j, j->own.from + (int)i_task, &j->e->infer.worker[i_thread]);
}

/* Checks that no op lacked scratch memory, and the device nothing. */
static ig_code check_scratch(const ig_engine *e, ig_err *err)
{
    if (e->device->check != NULL)
        IG_TRY(e->device->check(err));
    return ig_scratches_check(e->scratch, ig_team_size(e->team), err);
}

static ig_code infer(const job *j, ig_err *err)
{
    if (!j->e->infer.plan.split)
        ig_team_for(j->e->team, j->own.to - j->own.from, infer_task, (void *)(uintptr_t)j);
    else
        for (int i = j->own.from; i < j->own.to; i++)
            infer_shard(j, i, &j->e->infer.worker[0]);
    return check_scratch(j->e, err);
}

/* Computes what patched blocks below state `top` read from other models, which run the batch
 * first. */
static ig_code run_patches(ig_engine *e, const ig_batch *b, int top, ig_err *err)
{
    ig_batch text = *b;
    memset(text.target, 0, sizeof text.target);
    for (int l = 0; e->patch != NULL && l < top; l++) {
        ig_patch *p = &e->patch[l];
        if (p->other == NULL)
            continue;
        const int ld = e->config->hidden_size / (e->bf16.attention ? 2 : 1);
        job j = {.e = p->other, .b = &text, .layers = &l, .n_layer = 1};
        IG_TRY(ig_engine_prepare(p->other, &text, false, err));
        j.net = ig_engine_net(p->other);
        IG_TRY(ig_device_reserve(
            e->device, &p->qk, &p->have,
            (ig_room){2 * (int64_t)b->n_tok * ld, sizeof *p->qk, "queries and keys"}, err));
        j.qk = p->qk;
        j.own = ig_spread_shards(p->other);
        IG_TRY(infer(&j, err));
    }
    return IG_ERR_OK;
}

ig_code ig_engine_train(ig_engine *e, const ig_batch *b, const ig_pass *pass, ig_err *err)
{
    ig_lane_sum sum[IG_LANES_MAX];
    IG_TRY(ig_engine_prepare(e, b, true, err));
    job j = {.e = e,
             .b = b,
             .net = ig_engine_net(e),
             .top = ig_heads_top(e->config, b),
             .train_states = ig_heads_train_states(e->config, b)};
    IG_TRY(run_patches(e, b, j.top, err));
    IG_TRY(ig_spread_call_train(e, b, pass, err));
    j.own = ig_spread_lanes(e);
    j.net.pass = *pass;
    j.net.train = true;
    const int n = e->train.plan.split ? train_in_turn(&j, sum) : train_at_once(&j, sum);
    IG_TRY(check_scratch(e, err));
    IG_TRY(add_ranks(&j, sum, n, err));
    ig_spread_results(e, b, true);
    ig_spread_done(e);
    add_results(e, b);
    return check_scratch(e, err);
}

ig_code ig_engine_predict(ig_engine *e, const ig_batch *b, ig_err *err)
{
    IG_TRY(ig_engine_prepare(e, b, false, err));
    job j = {.e = e, .b = b, .net = ig_engine_net(e), .top = ig_heads_top(e->config, b)};
    IG_TRY(run_patches(e, b, j.top, err));
    IG_TRY(ig_spread_call_predict(e, b, err));
    j.own = ig_spread_shards(e);
    IG_TRY(infer(&j, err));
    ig_spread_results(e, b, false);
    ig_spread_done(e);
    add_results(e, b);
    return check_scratch(e, err);
}

ig_code ig_engine_encode(ig_engine *e, const ig_batch *b, const int *layers, int n_layer,
                         float *const *out, ig_err *err)
{
    return ig_engine_inner(e, b, IG_INNER_NONE, layers, n_layer, out, err);
}

ig_code ig_engine_inner(ig_engine *e, const ig_batch *b, ig_inner which, const int *layers,
                        int n_layer, float *const *out, ig_err *err)
{
    const int first = which != IG_INNER_NONE;
    for (int i = 0; i < n_layer; i++) {
        IG_ASSERT(i == 0 || layers[i] > layers[i - 1]);
        if (layers[i] < first || layers[i] > e->config->num_hidden_layers)
            return ig_fail(err, IG_ERR_USAGE, "layers", 0, "%d, expected %d to %d", layers[i],
                           first, e->config->num_hidden_layers);
    }
    IG_TRY(ig_engine_prepare(e, b, false, err));
    if (n_layer == 0)
        return IG_ERR_OK;
    IG_TRY(run_patches(e, b, layers[n_layer - 1], err));
    job j = {.e = e,
             .b = b,
             .net = ig_engine_net(e),
             .layers = layers,
             .n_layer = n_layer,
             .out = out,
             .inner = which};
    IG_TRY(ig_spread_call_encode(e, b, which, layers, n_layer, err));
    j.own = ig_spread_shards(e);
    IG_TRY(infer(&j, err));
    ig_spread_rows(
        e, b, n_layer,
        which == IG_INNER_NEURONS ? e->config->intermediate_size : e->config->hidden_size, out);
    ig_spread_done(e);
    return IG_ERR_OK;
}
