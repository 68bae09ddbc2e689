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
#include "base/memory.h"
#include "model/engine/batch_check.h"
#include "model/engine/frozen.h"
#include "model/edit/edit.h"
#include "model/head/head.h"
#include "model/engine/lane_gradient.h"
#include "model/engine/lanes.h"
#include "model/engine/shard_view.h"
#include "model/engine/shards.h"
#include "model/engine/state.h"
#include "model/engine/weights.h"

#include <math.h>

typedef struct {
    ig_state train, infer;
    ig_exec exec;
} worker;

struct ig_engine {
    ig_bert *model;
    const ig_bert_config *config;
    const ig_device *device; /* the model's */
    ig_team *team;
    const ig_ops *ops;
    ig_plan plan;
    int n_language;
    ig_bert_offsets *offsets;             /* [languages] */
    ig_bert_layer_offsets *layer_offsets; /* [languages][L] */
    ig_exec all;                          /* ops over blocks of parameters */
    ig_weights weights;
    bool stale; /* the packed copies are older than the weights */
    int n_worker;
    worker *worker;                /* lanes: one per thread; team: one */
    ig_scratch *scratch;           /* [threads] */
    float *part, *pack, *distance; /* of the team's ops, see exec.h */
    float *rotary;                 /* [P, 2 D/H] or NULL */
    int64_t have_pack;
    float *gradient[IG_LANES_MAX]; /* [0] is the public one */
    ig_lane_spans spans;
    ig_shards shards;
    ig_edits edits;
    ig_frozen frozen;
    ig_head_places places; /* of the last batch, as are results */
    int64_t room_nll[IG_N_HEAD], room_best[IG_N_HEAD], room_best_head[IG_N_HEAD];
    double *nll[IG_N_HEAD]; /* the same on the host */
    int32_t *best[IG_N_HEAD], *best_head[IG_N_HEAD];
    int64_t have_nll[IG_N_HEAD], have_best[IG_N_HEAD], have_best_head[IG_N_HEAD];
    ig_head_result result[IG_N_HEAD];
};

const char *const ig_precision_names[] = {"float32", "bfloat16", "f32", "bf16", NULL};

ig_code ig_engine_ops(const ig_ops **out, ig_precision precision, ig_err *err)
{
    *out = ig_ops_best();
    if (*out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "ISOGLOT_CPU", 0,
                       "names no kernels that this CPU can run, expected ref, portable, avx2 or "
                       "avx512");
    if (precision == IG_PRECISION_F32)
        return IG_ERR_OK;
    *out = ig_ops_bfloat16();
    if (*out == NULL)
        return ig_fail(err, IG_ERR_USAGE, "precision", 0,
                       "found bfloat16, expected float32: this CPU has no AVX512-BF16, or "
                       "ISOGLOT_CPU leaves it out");
    return IG_ERR_OK;
}

/* Su et al. 2021, eq. 15: position p turns pair i of a head by p · 10000^(−2i / (D/H)). */
static void fill_rotary(float *table, int n_pos, int dh)
{
    for (int64_t p = 0; p < n_pos; p++)
        for (int i = 0; i < dh; i += 2) {
            const double angle = (double)p * pow(10000.0, -(double)i / dh);
            float *c = table + 2 * p * dh + i, *s = c + dh;
            c[0] = c[1] = (float)cos(angle);
            s[1] = (float)sin(angle);
            s[0] = -s[1];
        }
}

/* What rotary and relative positions need beside the weights. */
static ig_code make_positions(ig_engine *e, ig_err *err)
{
    const ig_bert_config *c = e->config;
    const int n = c->max_position_embeddings, dh = c->hidden_size / c->num_attention_heads;
    if (c->position == IG_POSITION_ROTARY) {
        const int64_t n_float = 2 * (int64_t)n * dh;
        float *table;
        IG_TRY(e->device->alloc(&e->rotary, n_float, sizeof *e->rotary, "rotations", err));
        IG_TRY(ig_alloc(&table, n_float, sizeof *table, "rotations", err));
        fill_rotary(table, n, dh);
        e->device->upload(e->rotary, table, n_float * (int64_t)sizeof *table);
        ig_free(table);
    }
    if (ig_bert_is_relative(c) && e->plan.split)
        IG_TRY(e->device->alloc(&e->distance, (2 * (int64_t)n - 1) * dh * IG_DISTANCE_PARTS,
                                sizeof *e->distance, "gradient of distances", err));
    return IG_ERR_OK;
}

ig_code ig_engine_new(ig_engine **out, ig_bert *model, ig_team *team, const ig_ops *ops,
                      ig_precision precision, ig_err *err)
{
    *out = NULL;
    if (ops == NULL)
        IG_TRY(ig_engine_ops(&ops, precision, err));
    ig_engine *e;
    IG_TRY(ig_alloc(&e, 1, sizeof *e, "engine", err));
    e->model = model;
    e->device = ig_bert_get_device(model);
    e->config = ig_bert_get_config(model);
    e->team = team;
    e->ops = ops;
    e->plan = e->device->plan(e->config);
    e->n_language = ig_bert_n_language(e->config);
    e->stale = true;
    const int n_layer = e->config->num_hidden_layers, n_thread = ig_team_size(team);
    e->n_worker = e->plan.split ? 1 : n_thread;
    ig_code code = ig_alloc(&e->layer_offsets, (int64_t)n_layer * e->n_language,
                            sizeof *e->layer_offsets, "engine", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&e->offsets, e->n_language, sizeof *e->offsets, "engine", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&e->scratch, n_thread, sizeof *e->scratch, "engine", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&e->worker, e->n_worker, sizeof *e->worker, "engine", err);
    if (code == IG_ERR_OK)
        code = e->device->alloc(&e->part, (int64_t)IG_NORM_PARTS * 2 * e->config->hidden_size,
                                sizeof *e->part, "engine", err);
    if (code == IG_ERR_OK)
        code = make_positions(e, err);
    if (code == IG_ERR_OK)
        code = ig_weights_make(&e->weights, model, e->ops, !e->plan.split, err);
    if (code == IG_ERR_OK && !e->plan.split)
        code = ig_lane_spans_make(&e->spans, model, err);
    if (code != IG_ERR_OK) {
        ig_engine_free(e);
        return code;
    }
    for (int k = 0; k < e->n_language; k++) {
        e->offsets[k] = ig_bert_get_offsets(model, k);
        for (int l = 0; l < n_layer; l++)
            e->layer_offsets[k * n_layer + l] = ig_bert_get_layer_offsets(model, k, l);
    }
    e->all = (ig_exec){.run = e->device->team,
                       .ops = e->ops,
                       .team = team,
                       .scratch = e->scratch,
                       .part = e->part,
                       .distance = e->distance};
    for (int i = 0; i < e->n_worker; i++)
        e->worker[i].exec =
            e->plan.split
                ? e->all
                : (ig_exec){.run = e->device->lanes, .ops = e->ops, .scratch = &e->scratch[i]};
    *out = e;
    return IG_ERR_OK;
}

void ig_engine_free(ig_engine *e)
{
    if (e == NULL)
        return;
    for (int i = 0; i < e->n_worker && e->worker != NULL; i++) {
        ig_state_free(&e->worker[i].train);
        ig_state_free(&e->worker[i].infer);
    }
    for (int i = 0; i < ig_team_size(e->team) && e->scratch != NULL; i++)
        ig_scratch_free(&e->scratch[i]);
    for (int i = 0; i < IG_LANES_MAX; i++)
        e->device->free(e->gradient[i]);
    ig_edits_free(&e->edits);
    ig_frozen_free(&e->frozen);
    ig_weights_free(&e->weights);
    ig_lane_spans_free(&e->spans);
    ig_shards_free(&e->shards);
    ig_free(e->offsets);
    ig_free(e->layer_offsets);
    ig_free(e->scratch);
    ig_free(e->worker);
    e->device->free(e->part);
    e->device->free(e->pack);
    e->device->free(e->distance);
    e->device->free(e->rotary);
    for (int h = 0; h < IG_N_HEAD; h++) {
        e->device->free(e->places.nll[h]);
        e->device->free(e->places.best[h]);
        e->device->free(e->places.best_head[h]);
        ig_free(e->nll[h]);
        ig_free(e->best[h]);
        ig_free(e->best_head[h]);
    }
    ig_free(e);
}

ig_code ig_engine_set_edits(ig_engine *e, const ig_edit *edits, int n, ig_err *err)
{
    return ig_edits_set(&e->edits, edits, n, e->config, e->device, &e->all, !e->plan.split, err);
}

ig_code ig_engine_set_frozen(ig_engine *e, const bool *frozen, ig_err *err)
{
    return ig_frozen_set(&e->frozen, e->model, frozen, err);
}

void ig_engine_weights_changed(ig_engine *e)
{
    e->stale = true;
}

/* The widest activations are kept as bfloat16: a shard's go out of the second cache and come back.
 */
static bool takes_halves(const ig_engine *e)
{
    return e->ops->halves && !e->plan.split && e->config->intermediate_size % 2 == 0;
}

static bool takes_half_attention(const ig_engine *e)
{
    const ig_bert_config *c = e->config;
    return takes_halves(e) && c->position < IG_POSITION_RELATIVE_KEY &&
           c->hidden_size / c->num_attention_heads % 2 == 0 &&
           c->max_position_embeddings <= IG_HALF_LENGTH;
}

static bool takes_half_rows(const ig_engine *e)
{
    return takes_halves(e) && e->config->hidden_size % 2 == 0 &&
           e->config->hidden_size <= IG_HALF_COLUMNS;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Room for this batch, with slack so that batches of one training settle at the first step: a shard
 * overshoots its target by less than the longest sequence. */
static ig_state_size size_for(const ig_engine *e, const ig_batch *b, bool train)
{
    ig_state_size z = {.train = train,
                       .halves = takes_halves(e),
                       .half_attention = takes_half_attention(e),
                       .half_rows = takes_half_rows(e)};
    int longest = 0;
    for (int i = 0; i < e->shards.n_shard; i++) {
        const int32_t *first = e->shards.first + i;
        z.n_tok = larger(z.n_tok, b->seq_start[first[1]] - b->seq_start[first[0]]);
    }
    for (int i = 0; i < b->n_seq; i++)
        longest = larger(longest, b->seq_start[i + 1] - b->seq_start[i]);
    if (!e->plan.split && e->shards.n_shard > 1)
        z.n_tok = larger(z.n_tok, e->plan.target * 3 / 2 + longest);
    z.n_seq = z.n_tok;
    z.longest = longest;
    z.head_rows = z.n_tok < e->plan.head_rows ? z.n_tok : e->plan.head_rows;
    z.probs = (int64_t)z.n_tok * longest * e->config->num_attention_heads;
    return z;
}

/* For losses and predictions of n targets, on the device and on the host. */
static ig_code make_room(ig_engine *e, int head, int64_t n, ig_err *err)
{
    double **nll = &e->places.nll[head];
    int32_t **best = &e->places.best[head];
    IG_TRY(ig_device_reserve(e->device, nll, &e->room_nll[head], n, sizeof **nll, "losses", err));
    IG_TRY(ig_device_reserve(e->device, best, &e->room_best[head], n, sizeof **best, "predictions",
                             err));
    IG_TRY(ig_grow(&e->nll[head], &e->have_nll[head], n, sizeof **nll, "losses", err));
    if (ig_heads[head]->trees) {
        int32_t **tree = &e->places.best_head[head];
        IG_TRY(ig_device_reserve(e->device, tree, &e->room_best_head[head], n, sizeof **tree,
                                 "trees", err));
        IG_TRY(
            ig_grow(&e->best_head[head], &e->have_best_head[head], n, sizeof **tree, "trees", err));
    }
    return ig_grow(&e->best[head], &e->have_best[head], n, sizeof **best, "predictions", err);
}

/* Everything a batch needs before it runs. */
static ig_code prepare(ig_engine *e, const ig_batch *b, bool train, ig_err *err)
{
    IG_TRY(ig_batch_check(e->config, b, err));
    IG_TRY(ig_shards_cut(&e->shards, &e->plan, b, e->n_language > 1, err));
    for (int h = 0; h < IG_N_HEAD; h++) {
        const int64_t n = ig_head_asked(e->config, b, (ig_head_kind)h) ? b->target[h].n : 0;
        IG_TRY(make_room(e, h, n, err));
    }
    const ig_state_size z = size_for(e, b, train);
    for (int i = 0; i < e->n_worker; i++)
        IG_TRY(ig_state_reserve(train ? &e->worker[i].train : &e->worker[i].infer, e->device,
                                e->config, &z, err));
    for (int i = 0; train && i < e->shards.n_lane; i++)
        if (e->gradient[i] == NULL)
            IG_TRY(e->device->alloc(&e->gradient[i], ig_bert_n_weight(e->model), sizeof(float),
                                    "gradient", err));
    if (e->plan.split) {
        IG_TRY(ig_device_reserve(e->device, &e->pack, &e->have_pack,
                                 ig_weights_room(e->config, e->ops, z.n_tok), sizeof *e->pack,
                                 "packed operand", err));
        e->worker[0].exec.pack = e->pack;
        e->worker[0].exec.n_pack = e->have_pack;
    }
    if (e->stale)
        ig_weights_fill(&e->weights, ig_bert_weights(e->model), &e->all);
    e->stale = false;
    return IG_ERR_OK;
}

typedef struct {
    ig_engine *e;
    const ig_batch *b;
    ig_net net;
    ig_lanes *lanes;   /* train */
    int top;           /* train, predict: the last hidden state that is read */
    bool train_states; /* train: heads pass their gradient on */
    const int *layers; /* encode */
    int n_layer;
    float *const *out;
} job;

/* A model as one language's shards see it. */
typedef struct {
    int language;
    const ig_bert_offsets *offsets;
    const ig_bert_layer_offsets *layer;
    const int *layer_of;
    const ig_block_weights *block;
    const ig_head_weights *head;
} parts;

static parts parts_for(const ig_engine *e, const ig_batch *b, int i_shard)
{
    const int32_t first = e->shards.first[i_shard];
    const int k = e->n_language > 1 && b->language != NULL ? b->language[first] : 0;
    const int n_layer = e->config->num_hidden_layers;
    return (parts){.language = k,
                   .offsets = &e->offsets[k],
                   .layer = e->layer_offsets + k * n_layer,
                   .layer_of = e->weights.layer_of + k * n_layer,
                   .block = e->weights.layer,
                   .head = &e->weights.head[(int64_t)e->weights.head_of[k] * IG_N_HEAD]};
}

static ig_norm_place embedding_norm(const ig_engine *e, const parts *q)
{
    return e->config->pre_norm ? (ig_norm_place){q->layer[0].norm1_w, q->layer[0].norm1_b}
                               : (ig_norm_place){q->offsets->norm_w, q->offsets->norm_b};
}

static ig_block_norms block_norms(const ig_engine *e, const parts *q, int l, const ig_state *s)
{
    const ig_bert_layer_offsets *o = &q->layer[l];
    const ig_norm_place one = {o->norm1_w, o->norm1_b}, two = {o->norm2_w, o->norm2_b};
    if (!e->config->pre_norm)
        return (ig_block_norms){one, two, NULL};
    ig_norm_place next = {q->offsets->norm_w, q->offsets->norm_b};
    if (l + 1 < e->config->num_hidden_layers)
        next = (ig_norm_place){o[1].norm1_w, o[1].norm1_b};
    return (ig_block_norms){two, next, s->embedding.stream};
}

/* Where hidden state l of a shard is, made by the embeddings or the block before; x: that output.
 */
static ig_edit_place edit_place(const job *j, const parts *q, int i_shard, const ig_shard_view *v,
                                const ig_state *s, int l, const ig_rows *x)
{
    const ig_engine *e = j->e;
    const bool last = l == e->config->num_hidden_layers;
    const ig_block_state *b = l > 0 && j->net.train ? &s->layer[l - 1] : NULL;
    ig_edit_place p = {.layer = l,
                       .out = *x,
                       .room = s->work.sum,
                       .n_row = last ? v->n_kept : v->n_tok,
                       .kept = last ? v->kept_host : NULL,
                       .batch = j->b,
                       .first_seq = e->shards.first[i_shard],
                       .n_seq = v->n_seq};
    if (!e->config->pre_norm || last)
        return p;
    p.stream = s->embedding.stream;
    p.norm = l == 0 ? embedding_norm(e, q) : block_norms(e, q, l - 1, s).second;
    p.xhat = b != NULL ? b->xhat2 : s->embedding.xhat;
    p.rstd = b != NULL ? b->rstd2 : s->embedding.rstd;
    return p;
}

static ig_heads_job heads_of(const job *j, const parts *q, const ig_shard_view *v, const worker *w,
                             const ig_work *work, float *grad)
{
    return (ig_heads_job){.x = &w->exec,
                          .net = &j->net,
                          .o = q->offsets,
                          .p = q->head,
                          .v = v,
                          .w = work,
                          .grad = grad};
}

static bool nothing_asked(const ig_shard_view *v)
{
    for (int h = 0; h < IG_N_HEAD; h++)
        if (v->target[h].n > 0)
            return false;
    return true;
}

/* A shard forward and backward, its gradient added to `grad`. */
static void train_shard(const job *j, int i_shard, worker *w, float *grad)
{
    const ig_engine *e = j->e;
    const ig_state *s = &w->train;
    ig_shard_view v = ig_shard_view_make(e->config, j->b, &e->shards, i_shard, false, &e->places,
                                         e->device, &s->index);
    const int n_layer = e->config->num_hidden_layers;
    const bool all = j->top == n_layer && j->train_states && v.n_tok > 0 && e->frozen.n == 0;
    if (w->exec.fresh && !all)
        ig_lane_write_zero(&e->spans, &w->exec, grad);
    if (v.n_tok == 0)
        return;
    const parts q = parts_for(e, j->b, i_shard);
    v.floor = ig_frozen_floor(&e->frozen, q.language);
    const ig_heads_job heads = heads_of(j, &q, &v, w, &s->work, grad);
    ig_embedding_forward(&w->exec, &j->net, q.offsets, embedding_norm(e, &q), &v, &s->work,
                         &s->embedding);
    for (int l = 0;; l++) {
        const ig_rows *in = l == 0 ? &s->embedding.out : &s->layer[l - 1].out;
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, i_shard, &v, s, l, in);
            ig_edits_run(&e->edits, &w->exec, &j->net, &p);
        }
        ig_heads_take(&heads, l, e->config->pre_norm && l < n_layer ? s->embedding.stream : in->x);
        if (l == j->top)
            break;
        const ig_block_norms norms = block_norms(e, &q, l, s);
        ig_block_forward(&w->exec, &j->net, &q.layer[l], &norms, &q.block[q.layer_of[l]], l, &v,
                         &s->work, in, &s->layer[l]);
    }
    ig_heads_run(&heads, s->layer[n_layer - 1].out.x);
    if (!j->train_states || v.floor >= j->top)
        return;
    if (j->top < n_layer) { /* nothing comes from above */
        const int64_t n = (int64_t)v.n_tok * e->config->hidden_size;
        w->exec.run->zero(&w->exec, s->work.dx, n);
        if (e->config->pre_norm)
            w->exec.run->zero(&w->exec, s->work.dstream, n);
    }
    for (int l = j->top;; l--) {
        ig_heads_give(&heads, l, e->config->pre_norm && l < n_layer ? s->work.dstream : s->work.dx);
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, i_shard, &v, s, l, &s->embedding.out);
            ig_edits_back(&e->edits, &w->exec, &j->net, &p, &s->work, grad);
        }
        if (l == 0)
            break;
        const ig_block_norms norms = block_norms(e, &q, l - 1, s);
        ig_block_backward(&w->exec, &j->net, &q.layer[l - 1], &norms, &q.block[q.layer_of[l - 1]],
                          l - 1, &v, &s->work, l == 1 ? &s->embedding.out : &s->layer[l - 2].out,
                          &s->layer[l - 1], grad);
        if (l - 1 == v.floor)
            return;
    }
    ig_embedding_backward(&w->exec, &j->net, q.offsets, embedding_norm(e, &q), &v, &s->work,
                          &s->embedding, grad);
}

/* What a thread does of a batch. */
static void train_lanes(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    int lane = -1, shard;
    (void)i_task;
    while (ig_lanes_next(j->lanes, lane, &lane, &shard)) {
        worker *w = &j->e->worker[i_thread];
        w->exec.fresh = j->e->spans.n_written > 0 && lane > 0 && shard == 0;
        train_shard(j, ig_lane_first(&j->e->shards, lane) + shard, w, j->e->gradient[lane]);
    }
}

/* The sums over a batch's targets. */
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

ig_head_result ig_engine_result(const ig_engine *e, ig_head_kind head)
{
    return e->result[head];
}

/* Without a pass: for inference. */
static ig_net net_of(const ig_engine *e)
{
    return (ig_net){.config = e->config,
                    .weight = ig_bert_weights(e->model),
                    .rotary = e->rotary,
                    .frozen = e->frozen.n > 0 ? &e->frozen : NULL,
                    .halves = takes_halves(e),
                    .half_attention = takes_half_attention(e),
                    .half_rows = takes_half_rows(e)};
}

ig_code ig_engine_train(ig_engine *e, const ig_batch *b, const ig_pass *pass, ig_err *err)
{
    IG_TRY(prepare(e, b, true, err));
    job j = {.e = e,
             .b = b,
             .net = net_of(e),
             .top = ig_heads_top(e->config, b),
             .train_states = ig_heads_train_states(e->config, b)};
    j.net.pass = *pass;
    j.net.train = true;
    if (e->plan.split) {
        for (int i = 0; i < e->shards.n_shard; i++)
            train_shard(&j, i, &e->worker[0], e->gradient[0]);
    } else {
        ig_lanes lanes;
        ig_lanes_begin(&lanes, e->shards.n_lane, e->shards.n_shard / e->shards.n_lane,
                       ig_team_size(e->team));
        j.lanes = &lanes;
        ig_team_for(e->team, ig_team_size(e->team), train_lanes, &j);
        ig_lanes_end(&lanes);
        if (e->shards.n_lane > 1)
            e->all.run->add_lanes(&e->all, e->gradient, e->shards.n_lane,
                                  ig_bert_n_weight(e->model), e->spans.written, e->spans.n_written);
    }
    add_results(e, b);
    return IG_ERR_OK;
}

float *ig_engine_gradient(ig_engine *e)
{
    return e->gradient[0];
}

void ig_engine_gradient_clear(ig_engine *e)
{
    if (e->gradient[0] != NULL)
        e->all.run->zero_block(&e->all, e->gradient[0], ig_bert_n_weight(e->model));
}

/* A shard forward; the head, or the layers asked for. */
static void infer_shard(const job *j, int i_shard, worker *w)
{
    const ig_engine *e = j->e;
    const ig_state *s = &w->infer;
    const ig_shard_view v = ig_shard_view_make(e->config, j->b, &e->shards, i_shard,
                                               j->layers != NULL, &e->places, e->device, &s->index);
    const int64_t d = e->config->hidden_size, n = (int64_t)v.n_tok * d, at = (int64_t)v.row0 * d;
    const bool encode = j->layers != NULL;
    const int last = encode ? j->layers[j->n_layer - 1] : j->top;
    if (v.n_tok == 0 || (!encode && nothing_asked(&v)))
        return;
    const parts q = parts_for(e, j->b, i_shard);
    ig_embedding_forward(&w->exec, &j->net, q.offsets, embedding_norm(e, &q), &v, &s->work,
                         &s->embedding);
    const ig_heads_job heads = heads_of(j, &q, &v, w, &s->work, NULL);
    const ig_rows *x = &s->embedding.out;
    const float *stream = s->embedding.stream;
    const int n_layer = e->config->num_hidden_layers;
    for (int l = 0, k = 0;; l++) {
        if (e->edits.n > 0) {
            const ig_edit_place p = edit_place(j, &q, i_shard, &v, s, l, x);
            ig_edits_run(&e->edits, &w->exec, &j->net, &p);
        }
        if (!encode)
            ig_heads_take(&heads, l, stream != NULL && l < n_layer ? stream : x->x);
        if (encode && j->layers[k] == l)
            e->device->download(j->out[k++] + at, stream != NULL && l < n_layer ? stream : x->x,
                                n * (int64_t)sizeof(float));
        if (l == last)
            break;
        const ig_block_norms norms = block_norms(e, &q, l, s);
        ig_block_forward(&w->exec, &j->net, &q.layer[l], &norms, &q.block[q.layer_of[l]], l, &v,
                         &s->work, x, &s->layer[l % 2]);
        x = &s->layer[l % 2].out;
    }
    if (encode)
        return;
    ig_heads_run(&heads, x->x);
}

static void infer_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    infer_shard(j, (int)i_task, &j->e->worker[i_thread]);
}

static void infer(const job *j)
{
    if (!j->e->plan.split)
        ig_team_for(j->e->team, j->e->shards.n_shard, infer_task, (void *)(uintptr_t)j);
    else
        for (int i = 0; i < j->e->shards.n_shard; i++)
            infer_shard(j, i, &j->e->worker[0]);
}

ig_code ig_engine_predict(ig_engine *e, const ig_batch *b, ig_err *err)
{
    IG_TRY(prepare(e, b, false, err));
    const job j = {.e = e, .b = b, .net = net_of(e), .top = ig_heads_top(e->config, b)};
    infer(&j);
    add_results(e, b);
    return IG_ERR_OK;
}

ig_code ig_engine_encode(ig_engine *e, const ig_batch *b, const int *layers, int n_layer,
                         float *const *out, ig_err *err)
{
    for (int i = 0; i < n_layer; i++) {
        IG_ASSERT(i == 0 || layers[i] > layers[i - 1]);
        if (layers[i] < 0 || layers[i] > e->config->num_hidden_layers)
            return ig_fail(err, IG_ERR_USAGE, "layers", 0, "%d, expected 0 to %d", layers[i],
                           e->config->num_hidden_layers);
    }
    IG_TRY(prepare(e, b, false, err));
    if (n_layer == 0)
        return IG_ERR_OK;
    const job j = {
        .e = e, .b = b, .net = net_of(e), .layers = layers, .n_layer = n_layer, .out = out};
    infer(&j);
    return IG_ERR_OK;
}
