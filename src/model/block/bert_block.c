/* SPDX-License-Identifier: Apache-2.0
 *
 * A block of BERT (Devlin et al. 2019; Vaswani et al. 2017, §3, post-LN):
 *   mid = LN(x + drop(attention(x) W_oᵀ + b_o)),
 *   out = LN(mid + drop(gelu(mid W_1ᵀ + b_1) W_2ᵀ + b_2)),
 * and of MegatronBERT (Shoeybi et al. 2019, fig. 7; pre-LN), where the sums are kept apart from
 * their LayerNorms, each of which is computed with the sublayer before it. gelu' is kept by the
 * forward pass, so that going back through it is a multiply in the epilogue of a product. What
 * dropout decided is kept, too: a bit for each number.
 */
#include "model/block/block.h"

#include <stddef.h>

enum {
    QUERY_W, /* queries, keys and values are one product, in its rows */
    KEY_W,
    VALUE_W,
    QUERY_B,
    KEY_B,
    VALUE_B,
    DISTANCE, /* [2P − 1, D/H]: row i − j + P − 1 for query i and key j */
    OUT_W,
    OUT_B,
    NORM1_W,
    NORM1_B,
    UP_W,
    UP_B,
    DOWN_W,
    DOWN_B,
    NORM2_W,
    NORM2_B,
    N_PARAM
};

#define MATRIX(n, rows, cols)                                                                      \
    IG_ROW_MATRIX(IG_PART_LAYER, n ".weight", IG_DIM_##rows, IG_DIM_##cols), .product = true
#define BIAS(n, rows, inputs) IG_ROW_BIAS(IG_PART_LAYER, n ".bias", IG_DIM_##rows, IG_DIM_##inputs)
#define NORM_W(n) IG_ROW_NORM_W(IG_PART_LAYER, n)
#define NORM_B(n) IG_ROW_NORM_B(IG_PART_LAYER, n)

#define ROWS(norm1, norm2)                                                                         \
    {                                                                                              \
        [QUERY_W] = {MATRIX("attention.self.query", D, D)},                                        \
        [KEY_W] = {MATRIX("attention.self.key", D, D), .joined = true},                            \
        [VALUE_W] = {MATRIX("attention.self.value", D, D), .joined = true},                        \
        [QUERY_B] = {BIAS("attention.self.query", D, D)},                                          \
        [KEY_B] = {BIAS("attention.self.key", D, D), .joined = true},                              \
        [VALUE_B] = {BIAS("attention.self.value", D, D), .joined = true},                          \
        [DISTANCE] = {"attention.self.distance_embedding.weight",                                  \
                      IG_DIM_DISTANCES,                                                            \
                      IG_DIM_HEAD,                                                                 \
                      IG_INIT_EMBEDDING,                                                           \
                      .decay = true,                                                               \
                      .part = IG_PART_DISTANCES,                                                   \
                      .when = ig_bert_is_relative},                                                \
        [OUT_W] = {MATRIX("attention.output.dense", D, D)},                                        \
        [OUT_B] = {BIAS("attention.output.dense", D, D)}, [NORM1_W] = {NORM_W(norm1)},             \
        [NORM1_B] = {NORM_B(norm1)}, [UP_W] = {MATRIX("intermediate.dense", F, D)},                \
        [UP_B] = {BIAS("intermediate.dense", F, D)}, [DOWN_W] = {MATRIX("output.dense", D, F)},    \
        [DOWN_B] = {BIAS("output.dense", D, F)}, [NORM2_W] = {NORM_W(norm2)},                      \
        [NORM2_B] = {NORM_B(norm2)},                                                               \
    }

static const ig_param_row post_rows[N_PARAM] =
    ROWS("attention.output.LayerNorm", "output.LayerNorm"),
                          pre_rows[N_PARAM] = ROWS("attention.ln", "ln");
static const ig_param_row post_outside[2] = {
    {IG_ROW_NORM_W(IG_PART_NORM, "bert.embeddings.LayerNorm")},
    {IG_ROW_NORM_B(IG_PART_NORM, "bert.embeddings.LayerNorm")}};
static const ig_param_row pre_outside[2] = {{IG_ROW_NORM_W(IG_PART_HEAD, "bert.encoder.ln")},
                                            {IG_ROW_NORM_B(IG_PART_HEAD, "bert.encoder.ln")}};

/* The activations that the backward pass reads. */
typedef struct {
    ig_matrix qkv; /* [N, 3D] */
    ig_matrix ctx; /* [N, D] */
    ig_norm_state mid;
    ig_matrix up, slope; /* [N, F]: gelu(z), gelu'(z) */
    float *probs;        /* ig_attention_size */
} kept;

/* Lays them out from `base` on (NULL: only counts); returns how many floats they are. */
static int64_t place(kept *b, const ig_bert_config *c, const ig_state_size *z, float *shared,
                     float *base)
{
    const int n = z->n_tok, d = c->hidden_size, f = c->intermediate_size;
    int64_t used = 0;
    b->qkv = ig_take_matrix(base, &used, n, 3 * d, z->bf16.attention);
    b->ctx = ig_take_matrix(base, &used, n, d, z->bf16.attention);
    b->mid = ig_take_norm(z, d, shared, base, &used);
    b->up = ig_take_matrix(base, &used, n, f, z->bf16.wide);
    b->slope = (ig_matrix){NULL, b->up.ld, b->up.bf16};
    b->probs = NULL;
    if (z->train) {
        b->slope.x = ig_take(base, &used, (int64_t)n * b->slope.ld);
        b->probs = ig_take(base, &used, z->probs);
    }
    return used;
}

static int64_t room(const ig_bert_config *c, const ig_state_size *z)
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

static ig_norm_place post_norm_of(const ig_bert_offsets *outside,
                                  const ig_bert_layer_offsets *layers, int l, int n_layer)
{
    (void)n_layer;
    return l == 0 ? (ig_norm_place){outside->norm_w, outside->norm_b}
                  : (ig_norm_place){layers[l - 1].at[NORM2_W], layers[l - 1].at[NORM2_B]};
}

static ig_norm_place pre_norm_of(const ig_bert_offsets *outside,
                                 const ig_bert_layer_offsets *layers, int l, int n_layer)
{
    return l == n_layer ? (ig_norm_place){outside->norm_w, outside->norm_b}
                        : (ig_norm_place){layers[l].at[NORM1_W], layers[l].at[NORM1_B]};
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
    return (ig_attention){.n_seq = k->s->n_seq,
                          .n_head = c->num_attention_heads,
                          .d = c->hidden_size,
                          .seq_start = k->s->seq_start,
                          .qkv = b->qkv.x,
                          .bf16 = b->qkv.bf16,
                          .probs = b->probs,
                          .drop = ig_net_dropout(k->of.net, 3 * (uint32_t)k->layer + 1, k->s->row0,
                                                 c->attention_probs_dropout_prob),
                          .mask = {.causal = c->causal || k->s->causal},
                          .distance = ig_net_weight(k->of.net, k->of.offset[DISTANCE]),
                          .n_distance = c->max_position_embeddings,
                          .distance_keys = c->position == IG_POSITION_RELATIVE_KEY_QUERY};
}

/* Rotates queries and keys, which are adjacent in a row, as twice the number of heads. */
static void rotate(const ig_block_call *k, float *qkv, bool back)
{
    const ig_bert_config *c = k->of.net->config;
    const int d = c->hidden_size, h = c->num_attention_heads;
    if (k->of.net->rotary != NULL)
        k->of.x->run->rotary(k->of.x, &(ig_rotary){qkv, k->s->n_tok, 3 * d, 2 * h, d / h,
                                                   k->of.net->rotary, k->s->pos, back});
}

static ig_dense qkv_of(const ig_block_call *k, ig_matrix y)
{
    return (ig_dense){.w = QUERY_W,
                      .bias = QUERY_B,
                      .joined = 3,
                      .m = k->s->n_tok,
                      .x = ig_operand(&k->in->out, k->of.net->config->hidden_size),
                      .y = y};
}

static void qkv_forward(const ig_block_call *k, const kept *b)
{
    const ig_dense qkv = qkv_of(k, b->qkv);
    ig_dense_forward(&k->of, &qkv);
    rotate(k, b->qkv.x, false);
}

static void queries(const ig_block_call *k, float *qk)
{
    const kept b = kept_of(k);
    const int64_t ld = b.qkv.ld / 3;
    qkv_forward(k, &b);
    for (int64_t i = 0; i < k->s->n_tok; i++)
        k->of.x->run->copy(k->of.x, qk + 2 * ld * ((int64_t)k->s->row0 + i), b.qkv.x + 3 * ld * i,
                           2 * ld);
}

/* Replaces queries and keys of a patched block; back: their gradient, which ends here. */
static void patch(const ig_block_call *k, ig_matrix qkv, bool back)
{
    const int64_t ld = qkv.ld / 3;
    const ig_patch *p = k->of.net->patch != NULL ? &k->of.net->patch[k->layer] : NULL;
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
    ig_dense_forward(&k->of, last);
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
    return (ig_dense){.w = DOWN_W, .bias = DOWN_B, .m = rows_of(k), .x = b->up, .y = y};
}
static ig_dense up_of(const ig_block_call *k, const kept *b, ig_matrix y)
{
    const ig_matrix mid = ig_operand(&b->mid.out, k->of.net->config->hidden_size);
    return (ig_dense){.w = UP_W, .bias = UP_B, .m = rows_of(k), .x = mid, .y = y};
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

static void ffn_forward(const ig_block_call *k, const kept *b)
{
    const int d = k->of.net->config->hidden_size;
    ig_dense up = up_of(k, b, b->up);
    up.epilogue = ig_net_gelu(k->of.net);
    up.aux = b->slope;
    ig_dense_forward(&k->of, &up);
    const ig_dense down = down_of(k, b, (ig_matrix){k->w->sum, d, false});
    finish(k, &down, true, k->stream != NULL ? k->stream : b->mid.out.x, k->out);
}

static void forward(const ig_block_call *k)
{
    const kept b = kept_of(k);
    attention_forward(k, &b);
    ffn_forward(k, &b);
}

static ig_matrix inner(const ig_block_call *k, ig_inner which)
{
    const kept b = kept_of(k);
    return which == IG_INNER_HEADS ? b.ctx : b.up;
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
    const ig_matrix dup = {k->w->dwide, b->up.ld, b->up.bf16},
                    dmid = {k->w->dmid, k->of.net->config->hidden_size, false};
    const ig_dense down = down_of(k, b, dsum_of(k)), up = up_of(k, b, dup);
    norm_back(k, true, k->out);
    ig_dense_grad(&k->of, &down, true);
    ig_dense_back(&k->of, &down, dup, b->slope, false);
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
    rotate(k, dqkv.x, true);
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

static void backward(const ig_block_call *k)
{
    const kept b = kept_of(k);
    ffn_backward(k, &b);
    attention_backward(k, &b);
}

const ig_block ig_block_post_norm = {.prefix = "bert.encoder.layer.",
                                     .param = post_rows,
                                     .n_param = N_PARAM,
                                     .outside = post_outside,
                                     .rotary_base = 10000,
                                     .norm = post_norm_of,
                                     .room = room,
                                     .queries = queries,
                                     .forward = forward,
                                     .inner = inner,
                                     .backward = backward};
const ig_block ig_block_pre_norm = {.prefix = "bert.encoder.layer.",
                                    .param = pre_rows,
                                    .n_param = N_PARAM,
                                    .outside = pre_outside,
                                    .stream = true,
                                    .rotary_base = 10000,
                                    .norm = pre_norm_of,
                                    .room = room,
                                    .queries = queries,
                                    .forward = forward,
                                    .inner = inner,
                                    .backward = backward};
