/* SPDX-License-Identifier: Apache-2.0
 *
 * A block of BERT (Devlin et al. 2019; Vaswani et al. 2017, §3, post-LN):
 *   mid = LN(x + drop(attention(x) W_oᵀ + b_o)),
 *   out = LN(mid + drop(gelu(mid W_1ᵀ + b_1) W_2ᵀ + b_2)),
 * and of MegatronBERT (Shoeybi et al. 2019, fig. 7; pre-LN), where the sums are kept apart from
 * their LayerNorms, each of which is computed with the sublayer before it. gelu' is kept by the
 * forward pass, so that going back through it is a multiply in the epilogue of a product. What
 * dropout decided is kept, too: a bit for each number. Kinds (block_rows.c) with a gated FFN
 * (Shazeer 2020) compute W_2 (act(x W_1ᵀ) · x V_1ᵀ); W_1 and V_1 are one product.
 */
#include "model/block/bert_block.h"

#include <stddef.h>

/* The activations that the backward pass reads. */
typedef struct {
    ig_matrix qkv; /* [N, QKV] */
    ig_matrix ctx; /* [N, Q] */
    ig_norm_state mid;
    ig_matrix up, slope; /* [N, F]: gelu(z), gelu'(z); of a gated FFN [N, 2F] and none */
    ig_matrix inner;     /* [N, F]: what W_2 reads */
    float *probs;        /* ig_attention_size */
} kept;

/* Lays them out from `base` on (NULL: only counts); returns how many floats they are. */
static int64_t place(kept *b, const ig_bert_config *c, const ig_state_size *z, float *shared,
                     float *base)
{
    const int n = z->n_tok, d = c->hidden_size, f = c->intermediate_size;
    const bool gated = ig_blocks[c->block]->gated;
    int64_t used = 0;
    b->qkv = ig_take_matrix(base, &used, n, ig_bert_qkv_dim(c), z->bf16.attention);
    b->ctx = ig_take_matrix(base, &used, n, ig_bert_query_dim(c), z->bf16.attention);
    b->mid = ig_take_norm(z, d, shared, base, &used);
    b->up = ig_take_matrix(base, &used, n, gated ? 2 * f : f, z->bf16.wide);
    b->inner = gated ? ig_take_matrix(base, &used, n, f, false) : b->up;
    b->slope = (ig_matrix){NULL, b->up.ld, b->up.bf16};
    b->probs = NULL;
    if (z->train) {
        if (!gated)
            b->slope.x = ig_take(base, &used, (int64_t)n * b->slope.ld);
        b->probs = ig_take(base, &used, z->probs);
    }
    return used;
}

int64_t ig_bert_block_room(const ig_bert_config *c, const ig_state_size *z)
{
    kept none;
    return place(&none, c, z, NULL, NULL);
}

static kept kept_of(const ig_block_call *k)
{
    kept b;
    place(&b, k->of.net->config, k->size, k->w->shared, k->room);
    return b;
}

/* The LayerNorm after the first sublayer, attention, or the second, the FFN. */
static ig_norm_place norm_of(const ig_block_call *k, bool second)
{
    const ig_bert_config *c = k->of.net->config;
    const int64_t *at = k->of.offset;
    if (second)
        return ig_blocks[c->block]->norm(k->outside, k->layers, k->layer + 1, c->num_hidden_layers);
    return k->stream != NULL ? (ig_norm_place){at[NORM2_W], at[NORM2_B]}
                             : (ig_norm_place){at[NORM1_W], at[NORM1_B]};
}

static bool is_last(const ig_block_call *k)
{
    return k->layer + 1 == k->of.net->config->num_hidden_layers;
}

/* The rows that the last block continues with after attention, and how many rows any block
 * computes. */
static const int32_t *kept_rows(const ig_block_call *k)
{
    return is_last(k) ? k->s->kept : NULL;
}
static int rows_of(const ig_block_call *k)
{
    return kept_rows(k) != NULL ? k->s->n_kept : k->s->n_tok;
}

static ig_dropout drop_of(const ig_block_call *k, bool second)
{
    ig_dropout drop = ig_net_dropout(k->of.net, 3 * (uint32_t)k->layer + (second ? 3 : 2),
                                     k->s->row0, k->of.net->config->hidden_dropout_prob);
    drop.row = kept_rows(k);
    return drop;
}

static ig_attention attention_of(const ig_block_call *k, const kept *b)
{
    const ig_bert_config *c = k->of.net->config;
    const bool local = ig_bert_is_local(c, k->layer);
    return (ig_attention){
        .n_seq = k->s->n_seq,
        .n_head = c->num_attention_heads,
        .n_kv = c->num_key_value_heads,
        .d = ig_bert_query_dim(c),
        .scale = c->attention_scale,
        .seq_start = k->s->seq_start,
        .qkv = b->qkv.x,
        .bf16 = b->qkv.bf16,
        .probs = b->probs,
        .room = k->w->attention,
        .drop = ig_net_dropout(k->of.net, 3 * (uint32_t)k->layer + 1, k->s->row0,
                               c->attention_probs_dropout_prob),
        .mask = {.causal = c->causal || k->s->causal, .window = local ? c->local_window : 0},
        .distance = ig_net_weight(k->of.net, k->of.offset[DISTANCE]),
        .n_distance = k->of.net->addend != NULL ? k->of.net->n_addend : c->max_position_embeddings,
        .addend = k->of.net->addend,
        .distance_keys = c->position == IG_POSITION_RELATIVE_KEY_QUERY};
}

/* Norms of queries and keys, which are adjacent in a row, where the kind has them. */
static void norm_heads(const ig_block_call *k, ig_matrix qkv)
{
    const ig_bert_config *c = k->of.net->config;
    ig_head_norm a = {.x = qkv.x,
                      .n = k->s->n_tok,
                      .ld = qkv.ld,
                      .n_head = c->num_attention_heads,
                      .dh = ig_bert_head_dim(c),
                      .gamma = ig_net_weight(k->of.net, k->of.offset[QUERY_NORM]),
                      .eps = c->layer_norm_eps};
    if (a.gamma == NULL)
        return;
    k->of.x->run->head_norm(k->of.x, &a);
    a.x += ig_bert_query_dim(c);
    a.n_head = (qkv.ld / a.dh - a.n_head) / 2;
    a.gamma = ig_net_weight(k->of.net, k->of.offset[KEY_NORM]);
    k->of.x->run->head_norm(k->of.x, &a);
}

/* Rotates queries and keys, all heads of either at once. */
static void rotate(const ig_block_call *k, ig_matrix qkv, bool back)
{
    const ig_bert_config *c = k->of.net->config;
    const int dh = ig_bert_head_dim(c), n_head = (qkv.ld / dh + c->num_attention_heads) / 2;
    const float *table = k->of.net->rotary[ig_bert_is_local(c, k->layer)];
    if (table != NULL)
        k->of.x->run->rotary(k->of.x, &(ig_rotary){.x = qkv.x,
                                                   .n = k->s->n_tok,
                                                   .ld = qkv.ld,
                                                   .n_head = n_head,
                                                   .dh = dh,
                                                   .table = table,
                                                   .pos = k->s->pos,
                                                   .back = back,
                                                   .half = ig_blocks[c->block]->half_rotary});
}

/* Tensors that follow each other from the first on, as one. */
static int joined(const ig_block_call *k, int first)
{
    const ig_param_row *row = ig_blocks[k->of.net->config->block]->param;
    int n = 1;
    while (first + n < IG_N_BLOCK_PARAM && row[first + n].joined)
        n++;
    return n;
}

static ig_dense qkv_of(const ig_block_call *k, ig_matrix y)
{
    return (ig_dense){.w = QUERY_W,
                      .bias = QUERY_B,
                      .joined = joined(k, QUERY_W),
                      .m = k->s->n_tok,
                      .x = ig_operand(&k->in->out, k->of.net->config->hidden_size),
                      .y = y};
}

static void qkv_forward(const ig_block_call *k, const kept *b)
{
    const ig_dense qkv = qkv_of(k, b->qkv);
    ig_dense_forward(&k->of, &qkv);
    norm_heads(k, b->qkv);
    rotate(k, b->qkv, false);
}

void ig_bert_block_queries(const ig_block_call *k, float *qk)
{
    const kept b = kept_of(k);
    const int64_t ld = b.qkv.ld / 3;
    qkv_forward(k, &b);
    for (int64_t i = 0; i < k->s->n_tok; i++)
        k->of.x->run->copy(k->of.x, qk + 2 * ld * ((int64_t)k->s->row0 + i), b.qkv.x + 3 * ld * i,
                           2 * ld);
}

static const ig_patch *patch_of(const ig_block_call *k)
{
    return k->of.net->patch != NULL ? &k->of.net->patch[k->layer] : NULL;
}

/* Replaces queries and keys of a patched block; back: their gradient, which ends here. */
static void patch(const ig_block_call *k, ig_matrix qkv, bool back)
{
    const int64_t ld = qkv.ld / 3;
    const ig_patch *p = patch_of(k);
    const ig_exec *x = k->of.x;
    for (int64_t i = 0; p != NULL && p->on && i < k->s->n_tok; i++)
        if (back || p->other == NULL)
            x->run->zero(x, qkv.x + 3 * ld * i, 2 * ld);
        else
            x->run->copy(x, qkv.x + 3 * ld * i, p->qk + 2 * ld * ((int64_t)k->s->row0 + i), 2 * ld);
}

/* The last product of either sublayer, then LayerNorm of that and the residual. */
static void finish(const ig_block_call *k, const ig_dense *last, bool second, const float *residual,
                   const ig_norm_state *to)
{
    const ig_patch *p = patch_of(k);
    ig_dense_forward(&k->of, last);
    if (p != NULL && p->bias[second] != NULL)
        k->of.x->run->shift_rows(k->of.x, last->y.x, p->bias[second], last->m, last->y.ld);
    const ig_norm_place after = {k->of.offset[second ? AFTER2 : AFTER1], -1};
    if (after.w >= 0) {
        const ig_norm_state in_place = {.out.x = last->y.x};
        const ig_norm own = ig_net_norm(k->of.net, after, last->m, last->y.x, &in_place);
        k->of.x->run->norm(k->of.x, &own);
    }
    ig_norm norm = ig_net_norm(k->of.net, norm_of(k, second), last->m, last->y.x, to);
    norm.residual = residual;
    norm.sum = k->stream;
    norm.drop = drop_of(k, second);
    k->of.x->run->norm(k->of.x, &norm);
}

/* W_o, whose y is the sum before LayerNorm or its gradient; W_2 likewise; W_1. */
static ig_dense out_of(const ig_block_call *k, const kept *b, ig_matrix y)
{
    return (ig_dense){.w = OUT_W, .bias = OUT_B, .m = rows_of(k), .x = b->ctx, .y = y};
}
static ig_dense down_of(const ig_block_call *k, const kept *b, ig_matrix y)
{
    return (ig_dense){.w = DOWN_W, .bias = DOWN_B, .m = rows_of(k), .x = b->inner, .y = y};
}
static ig_dense up_of(const ig_block_call *k, const kept *b, ig_matrix y)
{
    const ig_matrix mid = ig_operand(&b->mid.out, k->of.net->config->hidden_size);
    return (ig_dense){
        .w = UP_W, .bias = UP_B, .joined = joined(k, UP_W), .m = rows_of(k), .x = mid, .y = y};
}

static void attention_forward(const ig_block_call *k, const kept *b)
{
    const ig_exec *x = k->of.x;
    const int d = k->of.net->config->hidden_size, m = rows_of(k);
    const int32_t *rows = kept_rows(k);
    const float *residual = k->stream != NULL ? k->stream : k->in->out.x;
    qkv_forward(k, b);
    patch(k, b->qkv, false);
    ig_attention attention = attention_of(k, b);
    attention.ctx = b->ctx.x;
    x->run->attention(x, &attention);
    if (rows != NULL) {
        x->run->keep_rows(x, b->ctx.x, rows, m, b->ctx.ld);
        if (k->stream != NULL)
            x->run->keep_rows(x, k->stream, rows, m, d);
        else {
            x->run->gather_rows(x, b->mid.out.x, k->in->out.x, rows, m, d);
            residual = b->mid.out.x;
        }
    }
    const ig_dense out = out_of(k, b, (ig_matrix){k->w->sum, d, false});
    finish(k, &out, false, residual, &b->mid);
}

static ig_gate gate_of(const ig_block_call *k, const kept *b)
{
    const ig_bert_config *c = k->of.net->config;
    return (ig_gate){.xy = b->up.x,
                     .n = rows_of(k),
                     .f = c->intermediate_size,
                     .act = c->silu        ? IG_ACT_SILU
                            : c->gelu_tanh ? IG_ACT_GELU_TANH
                                           : IG_ACT_GELU,
                     .out = b->inner.x};
}

static void ffn_forward(const ig_block_call *k, const kept *b)
{
    const int d = k->of.net->config->hidden_size;
    ig_dense up = up_of(k, b, b->up);
    const bool gated = ig_blocks[k->of.net->config->block]->gated;
    up.epilogue = gated ? IG_EPI_NONE : ig_net_gelu(k->of.net);
    up.aux = b->slope;
    ig_dense_forward(&k->of, &up);
    if (gated) {
        const ig_gate gate = gate_of(k, b);
        k->of.x->run->gate(k->of.x, &gate);
    }
    const ig_dense down = down_of(k, b, (ig_matrix){k->w->sum, d, false});
    finish(k, &down, true, k->stream != NULL ? k->stream : b->mid.out.x, k->out);
}

void ig_bert_block_forward(const ig_block_call *k)
{
    const kept b = kept_of(k);
    attention_forward(k, &b);
    ffn_forward(k, &b);
}

ig_matrix ig_bert_block_inner(const ig_block_call *k, ig_inner which)
{
    const kept b = kept_of(k);
    return which == IG_INNER_HEADS ? b.ctx : which == IG_INNER_ACTIVE ? b.up : b.inner;
}

/* Computes the gradient of a sublayer's LayerNorm → w->dsum (of its last product), and the
 * residual's share: dx → dmid of the second, dmid → dx of the first. */
static void norm_back(const ig_block_call *k, bool second, const ig_norm_state *from)
{
    const ig_work *w = k->w;
    ig_norm_grad g = ig_net_norm_grad(k->of.net, norm_of(k, second), rows_of(k),
                                      second ? w->dx : w->dmid, from, k->of.grad);
    g.drop = drop_of(k, second);
    g.dsum = k->stream != NULL && !(second && is_last(k)) ? w->dstream : NULL;
    g.dx = w->dsum;
    g.bf16 = k->size->bf16.rows;
    g.dresidual = k->stream != NULL ? w->dstream : second ? w->dmid : w->dx;
    k->of.x->run->norm_grad(k->of.x, &g);
}

/* The gradient of a sublayer's last product. */
static ig_matrix dsum_of(const ig_block_call *k)
{
    const int d = k->of.net->config->hidden_size;
    const bool bf16 = k->size->bf16.rows;
    return (ig_matrix){k->w->dsum, bf16 ? d / 2 : d, bf16};
}

static void ffn_backward(const ig_block_call *k, const kept *b)
{
    const bool gated = ig_blocks[k->of.net->config->block]->gated;
    const ig_matrix dinner = {k->w->dwide, b->inner.ld, b->inner.bf16},
                    dup = gated ? b->up : dinner, /* in place of what the gate read */
        dmid = {k->w->dmid, k->of.net->config->hidden_size, false};
    const ig_dense down = down_of(k, b, dsum_of(k)), up = up_of(k, b, dup);
    norm_back(k, true, k->out);
    ig_dense_grad(&k->of, &down, true);
    ig_dense_back(&k->of, &down, dinner, b->slope, false);
    if (gated) {
        ig_gate gate = gate_of(k, b);
        gate.dout = dinner.x;
        gate.dxy = b->up.x;
        k->of.x->run->gate_grad(k->of.x, &gate);
    }
    ig_dense_grad(&k->of, &up, true);
    ig_dense_back(&k->of, &up, dmid, (ig_matrix){0}, k->stream == NULL);
}

/* Through W_o and attention: w->dsum → dqkv. */
static void attention_back(const ig_block_call *k, const kept *b, ig_matrix dqkv)
{
    const ig_exec *x = k->of.x;
    const int d = k->of.net->config->hidden_size, n = k->s->n_tok, m = rows_of(k);
    const int32_t *rows = kept_rows(k);
    const ig_dense out = out_of(k, b, dsum_of(k));
    ig_dense_grad(&k->of, &out, true);
    ig_dense_back(&k->of, &out, (ig_matrix){k->w->dmid, b->ctx.ld, b->ctx.bf16}, (ig_matrix){0},
                  false);
    if (rows != NULL) {
        x->run->spread_rows(x, k->w->dmid, rows, m, b->ctx.ld, n);
        x->run->spread_rows(x, k->stream != NULL ? k->w->dstream : k->w->dx, rows, m, d, n);
    }
    ig_attention attention = attention_of(k, b);
    attention.dctx = k->w->dmid;
    attention.dqkv = dqkv.x;
    attention.ddistance = ig_net_grad(k->of.net, k->of.grad, k->of.offset[DISTANCE]);
    x->run->attention_grad(x, &attention);
    patch(k, dqkv, true);
    rotate(k, dqkv, true);
}

static void attention_backward(const ig_block_call *k, const kept *b)
{
    const ig_matrix dqkv = {k->w->dwide, b->qkv.ld, b->qkv.bf16},
                    dx = {k->w->dx, k->of.net->config->hidden_size, false};
    const ig_dense qkv = qkv_of(k, dqkv);
    norm_back(k, false, &b->mid);
    attention_back(k, b, dqkv);
    ig_dense_grad(&k->of, &qkv, true);
    if (k->layer != k->s->floor)
        ig_dense_back(&k->of, &qkv, dx, (ig_matrix){0}, k->stream == NULL);
}

void ig_bert_block_backward(const ig_block_call *k)
{
    const kept b = kept_of(k);
    ffn_backward(k, &b);
    attention_backward(k, &b);
}
