/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes, frees and configures an engine, and prepares it for a batch before its shards run.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "model/block/block.h"
#include "model/engine/batch_check.h"
#include "model/engine/engine.h"
#include "model/engine/engine_internal.h"
#include "model/ranks/spread.h"

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
                       "found bfloat16, expected float32: ISOGLOT_CPU=ref has no other");
    return IG_ERR_OK;
}

/* Makes the room for gradients of relative positions. */
static ig_code make_distances(ig_engine *e, ig_err *err)
{
    const ig_bert_config *c = e->config;
    const int64_t n = 2 * (int64_t)c->max_position_embeddings - 1;
    if (!ig_bert_is_relative(c) || !e->train.plan.split)
        return IG_ERR_OK;
    return e->device->alloc(&e->distance, n * ig_bert_head_dim(c) * IG_DISTANCE_PARTS,
                            sizeof *e->distance, "gradient of distances", err);
}

static ig_bf16 bf16_for(const ig_engine *e)
{
    const ig_bert_config *c = e->config;
    if (!e->ops->bf16 || e->train.plan.split || c->intermediate_size % 2 != 0 ||
        ig_blocks[c->block]->gated || ig_bert_is_projected(c) || c->position_buckets > 0)
        return (ig_bf16){0};
    return (ig_bf16){.wide = true,
                     .attention = !ig_bert_is_relative(c) && c->position != IG_POSITION_ROTARY &&
                                  c->hidden_size / c->num_attention_heads % 2 == 0 &&
                                  c->max_position_embeddings <= IG_BF16_LENGTH,
                     .rows = c->hidden_size % 2 == 0 && c->hidden_size <= IG_BF16_COLUMNS};
}

/* A large model infers in lanes, too, where copies of its matrices are kept for that: rows stay
 * near a core from product to product. */
static ig_plan plan_to_infer(const ig_engine *e)
{
    enum { TOKENS = 192 };
    ig_plan plan = e->train.plan;
    if (!plan.split || plan.gpu || ig_weights_to_infer(e->config, e->ops) == 0)
        return plan;
    plan.split = false;
    plan.target = TOKENS;
    return plan;
}

static ig_code make_workers(const ig_engine *e, ig_workers *w, ig_err *err)
{
    w->n = w->plan.split ? 1 : ig_team_size(e->team);
    IG_TRY(ig_alloc(&w->worker, w->n, sizeof *w->worker, "engine", err));
    for (int i = 0; i < w->n; i++)
        w->worker[i].exec = w->plan.split ? e->all
                                          : (ig_exec){.run = e->device->run,
                                                      .ops = e->ops,
                                                      .scratch = &e->scratch[i],
                                                      .lane = true};
    return IG_ERR_OK;
}

static void free_workers(ig_workers *w)
{
    for (int i = 0; i < w->n && w->worker != NULL; i++)
        ig_state_free(&w->worker[i].state);
    ig_free(w->worker);
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
    e->train.plan = e->device->plan(e->config);
    e->infer.plan = plan_to_infer(e);
    e->n_language = ig_bert_n_language(e->config);
    e->bf16 = bf16_for(e);
    e->stale = true;
    const int n_thread = ig_team_size(team);
    ig_code code = ig_alloc(&e->offsets, e->n_language, sizeof *e->offsets, "engine", err);
    IG_THEN(code, ig_alloc(&e->scratch, n_thread, sizeof *e->scratch, "engine", err));
    IG_THEN(code, e->device->alloc(&e->part, (int64_t)IG_NORM_PARTS * 2 * e->config->hidden_size,
                                   sizeof *e->part, "engine", err));
    IG_THEN(code, make_distances(e, err));
    IG_THEN(code, ig_weights_make(&e->weights, model, e->ops,
                                  !e->train.plan.split   ? IG_PACK_ALL
                                  : !e->infer.plan.split ? IG_PACK_BLOCKS
                                                         : IG_PACK_NOTHING,
                                  err));
    IG_THEN(code, ig_lane_spans_make(&e->spans, model, err));
    e->all = (ig_exec){.run = e->device->run,
                       .ops = e->ops,
                       .team = team,
                       .scratch = e->scratch,
                       .part = e->part,
                       .distance = e->distance};
    IG_THEN(code, make_workers(e, &e->train, err));
    IG_THEN(code, make_workers(e, &e->infer, err));
    if (code != IG_ERR_OK) {
        ig_engine_free(e);
        return code;
    }
    for (int k = 0; k < e->n_language; k++)
        e->offsets[k] = ig_bert_get_offsets(model, k);
    *out = e;
    return IG_ERR_OK;
}

static void free_patches(const ig_engine *e, ig_patch *p)
{
    for (int l = 0; p != NULL && l < e->config->num_hidden_layers; l++) {
        e->device->free(p[l].qk);
        for (int k = l + 1; k < e->config->num_hidden_layers; k++)
            if (p[k].other == p[l].other)
                p[k].other = NULL;
        ig_engine_free(p[l].other);
    }
    ig_free(p);
}

void ig_engine_free(ig_engine *e)
{
    if (e == NULL)
        return;
    free_workers(&e->train);
    free_workers(&e->infer);
    for (int i = 0; i < ig_team_size(e->team) && e->scratch != NULL; i++)
        ig_scratch_free(&e->scratch[i]);
    for (int i = 0; i < IG_LANES_MAX; i++)
        e->device->free(e->gradient[i]);
    ig_spread_free(e->spread);
    ig_edits_free(&e->edits);
    free_patches(e, e->patch);
    ig_frozen_free(&e->frozen);
    ig_weights_free(&e->weights);
    ig_lane_spans_free(&e->spans);
    ig_shards_free(&e->shards);
    IG_FREE(e->offsets, e->scratch);
    e->device->free(e->part);
    e->device->free(e->pack);
    e->device->free(e->distance);
    ig_positions_free(&e->positions, e->device);
    for (int h = 0; h < IG_N_HEAD; h++) {
        e->device->free(e->places.nll[h]);
        e->device->free(e->places.best[h]);
        e->device->free(e->places.best_head[h]);
        e->device->free(e->places.logits[h]);
        IG_FREE(e->nll[h], e->best[h], e->best_head[h], e->logits[h]);
    }
    ig_free(e);
}

/* Opens an engine for the other model, one for all blocks. */
static ig_code open_other(const ig_engine *e, ig_patch *patch, const ig_edit *edit, ig_err *err)
{
    ig_patch *p = &patch[edit->layer - 1];
    for (int l = 0; l < e->config->num_hidden_layers && p->other == NULL; l++)
        if (patch[l].other != NULL && patch[l].other->model == edit->model)
            p->other = patch[l].other;
    if (p->other != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_engine_new(&p->other, edit->model, e->team, e->ops, IG_PRECISION_F32, err));
    const ig_bert_config *a = e->config, *b = p->other->config;
    IG_ASSERT(
        a->hidden_size == b->hidden_size && a->num_attention_heads == b->num_attention_heads &&
        e->bf16.attention == p->other->bf16.attention && e->device == p->other->device &&
        edit->layer <= b->num_hidden_layers && !ig_bert_is_relative(a) && !ig_bert_is_relative(b));
    return IG_ERR_OK;
}

/* The last edit of a block's attention counts. */
static ig_code make_patches(const ig_engine *e, ig_patch **out, const ig_edit *edits, int n,
                            ig_err *err)
{
    const int n_layer = e->config->num_hidden_layers;
    for (int i = n - 1; i >= 0; i--) {
        const ig_edit *edit = &edits[i];
        const bool attention = edit->kind == IG_EDIT_ATTENTION;
        if ((!attention && edit->kind != IG_EDIT_BIAS) || edit->layer < 1 || edit->layer > n_layer)
            continue; /* ig_edits_set reports a bad layer */
        if (attention && ig_bert_qkv_dim(e->config) != 3 * e->config->hidden_size)
            return ig_fail(err, IG_ERR_USAGE, "edits", 0,
                           "attention of queries that share keys cannot be replaced");
        if (*out == NULL)
            IG_TRY(ig_alloc(out, n_layer, sizeof **out, "edits", err));
        if (!attention)
            continue;
        if (edit->model != NULL && !(*out)[edit->layer - 1].on)
            IG_TRY(open_other(e, *out, edit, err));
        (*out)[edit->layer - 1].on = true;
    }
    return IG_ERR_OK;
}

/* Constants lie in the edits on the device. The last one of a sublayer counts. */
static void patch_biases(ig_patch *patch, const ig_edits *edits)
{
    for (int i = 0; i < edits->n; i++) {
        const ig_edit *edit = &edits->ready[i].edit;
        if (edit->kind == IG_EDIT_BIAS)
            patch[edit->layer - 1].bias[edit->n] = edit->data;
    }
}

ig_code ig_engine_set_edits(ig_engine *e, const ig_edit *edits, int n, ig_err *err)
{
    ig_patch *patch = NULL;
    ig_code code = make_patches(e, &patch, edits, n, err);
    const ig_edits_for of = {e->config, e->device, &e->all, !e->train.plan.split};
    IG_THEN(code, ig_edits_set(&e->edits, edits, n, &of, err));
    if (code == IG_ERR_OK) {
        ig_patch *old = e->patch;
        patch_biases(patch, &e->edits);
        e->patch = patch;
        patch = old;
    }
    free_patches(e, patch);
    return code;
}

ig_code ig_engine_set_frozen(ig_engine *e, const bool *frozen, ig_err *err)
{
    IG_TRY(ig_spread_frozen(e, frozen, err));
    return ig_frozen_set(&e->frozen, e->model, frozen, err);
}

void ig_engine_weights_changed(ig_engine *e)
{
    e->stale = true;
}

ig_head_result ig_engine_result(const ig_engine *e, ig_head_kind head)
{
    return e->result[head];
}

float *ig_engine_gradient_part(ig_engine *e)
{
    return e->gradient[0];
}

void ig_engine_gradient_clear(ig_engine *e)
{
    if (e->gradient[0] != NULL)
        e->all.run->zero_block(&e->all, e->gradient[0], ig_bert_n_weight(e->model));
    ig_spread_cleared(e);
}

ig_code ig_engine_spread(ig_engine *e, ig_err *err)
{
    return ig_spread_open(e, err);
}

bool ig_engine_is_spread(const ig_engine *e)
{
    return e->spread != NULL;
}

ig_net ig_engine_net(const ig_engine *e)
{
    return (ig_net){
        .config = e->config,
        .weight = ig_bert_weights(e->model),
        .rotary = {e->positions.rotary[0], e->positions.rotary[e->positions.rotary[1] != NULL]},
        .addend = e->positions.addend,
        .n_addend = e->positions.n,
        .project = ig_bert_is_projected(e->config) ? &e->weights.project : NULL,
        .frozen = e->frozen.n > 0 ? &e->frozen : NULL,
        .patch = e->patch};
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Sizes for this batch, with slack so that batches of one training settle at the first step: a
 * shard exceeds its target by less than the longest sequence. */
static ig_state_size size_for(const ig_engine *e, const ig_batch *b, bool train)
{
    const ig_plan *plan = train ? &e->train.plan : &e->infer.plan;
    ig_state_size z = {.train = train, .room = plan->gpu, .bf16 = e->bf16};
    int longest = 0;
    for (int i = 0; i < e->shards.n_shard; i++) {
        const int32_t *first = e->shards.first + i;
        z.n_tok = larger(z.n_tok, b->seq_start[first[1]] - b->seq_start[first[0]]);
    }
    for (int i = 0; i < b->n_seq; i++)
        longest = larger(longest, b->seq_start[i + 1] - b->seq_start[i]);
    if (!plan->split && e->shards.n_shard > 1)
        z.n_tok = larger(z.n_tok, plan->target * 3 / 2 + longest);
    z.n_seq = z.n_tok;
    z.longest = longest;
    z.head_rows = z.n_tok < plan->head_rows ? z.n_tok : plan->head_rows;
    z.probs = (int64_t)z.n_tok * longest * e->config->num_attention_heads;
    return z;
}

void ig_engine_keep_logits(ig_engine *e)
{
    e->keep_logits = true;
}

/* Allocates losses and predictions of n targets, on the device and on the host. */
static ig_code make_room(ig_engine *e, int head, int64_t n, ig_err *err)
{
    double **nll = &e->places.nll[head];
    int32_t **best = &e->places.best[head];
    IG_TRY(ig_device_reserve(e->device, nll, &e->room_nll[head],
                             (ig_room){n, sizeof **nll, "losses"}, err));
    IG_TRY(ig_device_reserve(e->device, best, &e->room_best[head],
                             (ig_room){n, sizeof **best, "predictions"}, err));
    IG_TRY(ig_grow(&e->nll[head], &e->have_nll[head], n, sizeof **nll, "losses", err));
    if (e->keep_logits && ig_heads[head]->logits && n > 0) {
        float **logits = &e->places.logits[head];
        const int64_t all = n * ig_bert_config_n_label(e->config, (ig_head_kind)head);
        IG_TRY(ig_device_reserve(e->device, logits, &e->room_logits[head],
                                 (ig_room){all, sizeof **logits, "logits"}, err));
        IG_TRY(
            ig_grow(&e->logits[head], &e->have_logits[head], all, sizeof **logits, "logits", err));
    }
    if (ig_heads[head]->trees) {
        int32_t **tree = &e->places.best_head[head];
        IG_TRY(ig_device_reserve(e->device, tree, &e->room_best_head[head],
                                 (ig_room){n, sizeof **tree, "trees"}, err));
        IG_TRY(
            ig_grow(&e->best_head[head], &e->have_best_head[head], n, sizeof **tree, "trees", err));
    }
    return ig_grow(&e->best[head], &e->have_best[head], n, sizeof **best, "predictions", err);
}

/* Positions, and tokens of a sequence, at most. */
static int positions_of(const ig_batch *b)
{
    int most = 0;
    for (int i = 0; i < b->n_tok; i++)
        most = larger(most, b->pos[i] + 1);
    for (int i = 0; i < b->n_seq; i++)
        most = larger(most, b->seq_start[i + 1] - b->seq_start[i]);
    return most;
}

/* Gradients that the lanes of this process need at once. */
static int gradients_for(const ig_engine *e)
{
    ig_lane_sum sum[IG_LANES_MAX];
    const ig_rank_part own = ig_spread_lanes(e);
    int most = own.to - own.from;
    if (e->train.plan.split)
        ig_lane_tree_sums(sum, own.from, own.to, e->shards.n_lane, &most);
    return most < 1 ? 1 : most;
}

ig_code ig_engine_prepare(ig_engine *e, const ig_batch *b, bool train, ig_err *err)
{
    const char *why = train ? ig_bert_config_untrained(e->config) : NULL;
    if (why != NULL)
        return ig_fail(err, IG_ERR_USAGE, "train", 0, "%s", why);
    IG_TRY(ig_batch_check(e->config, b, err));
    IG_TRY(ig_engine_positions(e, positions_of(b), err));
    ig_workers *by = train ? &e->train : &e->infer;
    IG_TRY(ig_shards_cut(&e->shards, &by->plan, b, e->n_language > 1, err));
    for (int h = 0; h < IG_N_HEAD; h++) {
        const int64_t n = ig_head_asked(e->config, b, (ig_head_kind)h) ? b->target[h].n : 0;
        IG_TRY(make_room(e, h, n, err));
    }
    const ig_state_size z = size_for(e, b, train);
    for (int i = 0; i < by->n; i++)
        IG_TRY(ig_state_reserve(&by->worker[i].state, e->device, e->config, &z, err));
    const int n_gradient = gradients_for(e);
    for (int i = 0; train && i < n_gradient; i++)
        if (e->gradient[i] == NULL)
            IG_TRY(e->device->alloc(&e->gradient[i], ig_bert_n_weight(e->model), sizeof(float),
                                    "gradient", err));
    if (by->plan.split && !by->plan.gpu) {
        IG_TRY(ig_device_reserve(e->device, &e->pack, &e->have_pack,
                                 (ig_room){ig_weights_room(e->config, e->ops, z.n_tok),
                                           sizeof *e->pack, "packed operand"},
                                 err));
        by->worker[0].exec.pack = e->pack;
        by->worker[0].exec.n_pack = e->have_pack;
    }
    if (e->stale) /* a team packs what it reads itself; the copies wait for a lane */
        ig_weights_fill(&e->weights, ig_bert_weights(e->model), by->plan.split ? NULL : &e->all);
    e->stale = e->stale && by->plan.split && !e->infer.plan.split;
    return IG_ERR_OK;
}
