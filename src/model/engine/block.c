/* SPDX-License-Identifier: Apache-2.0
 *
 * A block of BERT (Devlin et al. 2019; Vaswani et al. 2017, §3, post-LN):
 *   mid = LN(x + drop(attention(x) W_oᵀ + b_o)),  out = LN(mid + drop(gelu(mid W_1ᵀ + b_1) W_2ᵀ +
 * b_2)) and its gradient. gelu' is kept by the forward pass, so that going back through it is a
 * multiply in the epilogue of a product. What dropout decided is kept, too: a bit for each number.
 */
#include "model/engine/parts.h"

#include <stddef.h>

ig_dropout ig_net_dropout(const ig_net *net, uint32_t site, uint32_t row0, bool attention)
{
    float p =
        attention ? net->config->attention_probs_dropout_prob : net->config->hidden_dropout_prob;
    return (ig_dropout){.key = net->pass.dropout_key,
                        .site = site,
                        .step = net->pass.step,
                        .row0 = row0,
                        .p = net->pass.dropout ? p : 0};
}

static uint32_t site_of(int layer, int which)
{
    return 3 * (uint32_t)layer + (uint32_t)which;
}

/* Number of floats of a row of n numbers. */
static int floats(int n, bool bf16)
{
    return bf16 ? n / 2 : n;
}

/* The rows that the last block continues with after attention, and how many rows any block
 * computes. */
static const int32_t *kept_of(const ig_block *k)
{
    return k->layer + 1 == k->net->config->num_hidden_layers ? k->s->kept : NULL;
}
static int rows_of(const ig_block *k)
{
    return kept_of(k) != NULL ? k->s->n_kept : k->s->n_tok;
}

static ig_attention attention_of(const ig_block *k)
{
    const ig_net *net = k->net;
    const int64_t distance = k->o->distance;
    return (ig_attention){.n_seq = k->s->n_seq,
                          .n_head = net->config->num_attention_heads,
                          .d = net->config->hidden_size,
                          .seq_start = k->s->seq_start,
                          .qkv = k->b->qkv,
                          .bf16 = net->bf16_attention,
                          .probs = k->b->probs,
                          .drop = ig_net_dropout(net, site_of(k->layer, 1), k->s->row0, true),
                          .distance = distance < 0 ? NULL : net->weight + distance,
                          .n_distance = net->config->max_position_embeddings,
                          .distance_keys = net->config->position == IG_POSITION_RELATIVE_KEY_QUERY};
}

/* Rotates queries and keys, which are adjacent in a row, as twice the number of heads. */
static void rotate(const ig_block *k, float *qkv, bool back)
{
    const int d = k->net->config->hidden_size, h = k->net->config->num_attention_heads;
    if (k->net->rotary != NULL)
        k->x->run->rotary(k->x, &(ig_rotary){qkv, k->s->n_tok, 3 * d, 2 * h, d / h, k->net->rotary,
                                             k->s->pos, back});
}

/* The output of a LayerNorm that products read. */
static const float *operand(const ig_rows *r)
{
    return r->bf16 != NULL ? r->bf16 : r->x;
}

void ig_block_qkv(const ig_block *k)
{
    const ig_net *net = k->net;
    k->x->run->linear(
        k->x,
        &(ig_gemm){.m = k->s->n_tok,
                   .a = operand(k->in),
                   .lda = floats(net->config->hidden_size, net->bf16_rows),
                   .c = k->b->qkv,
                   .ldc = 3 * ig_attention_columns(net),
                   .bf16 = (net->bf16_rows ? IG_BF16_A : 0) | (net->bf16_attention ? IG_BF16_C : 0),
                   .epilogue = IG_EPI_BIAS,
                   .bias = net->weight + k->o->qkv_b},
        &k->p->qkv);
    rotate(k, k->b->qkv, false);
}

/* Replaces queries and keys of a patched block; back: their gradient, which ends here. */
static void patch(const ig_block *k, float *qkv, bool back)
{
    const int64_t ld = ig_attention_columns(k->net);
    const ig_patch *p = k->net->patch != NULL ? &k->net->patch[k->layer] : NULL;
    for (int64_t i = 0; p != NULL && p->on && i < k->s->n_tok; i++)
        if (back || p->other == NULL)
            k->x->run->zero(k->x, qkv + 3 * ld * i, 2 * ld);
        else
            k->x->run->copy(k->x, qkv + 3 * ld * i, p->qk + 2 * ld * ((int64_t)k->s->row0 + i),
                            2 * ld);
}

/* Dropout after the first sublayer, attention, or the second, the FFN. */
static ig_dropout drop_of(const ig_block *k, bool second)
{
    ig_dropout drop = ig_net_dropout(k->net, site_of(k->layer, second ? 3 : 2), k->s->row0, false);
    drop.row = kept_of(k);
    return drop;
}

/* After either: its last product, then LayerNorm of that and the residual. */
static void finish(const ig_block *k, bool second, const float *residual)
{
    const ig_net *net = k->net;
    const ig_block_state *b = k->b;
    const int d = net->config->hidden_size;
    const bool bf16 = second ? net->bf16_ffn : net->bf16_attention;
    const ig_norm_place at = second ? k->norms.second : k->norms.first;
    const ig_rows *out = second ? &b->out : &b->mid;
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = rows_of(k),
                                 .a = second ? b->up : b->ctx,
                                 .lda = floats(second ? net->config->intermediate_size : d, bf16),
                                 .bf16 = bf16 ? IG_BF16_A : 0,
                                 .c = k->w->sum,
                                 .ldc = d,
                                 .epilogue = IG_EPI_BIAS,
                                 .bias = net->weight + (second ? k->o->down_b : k->o->o_b)},
                      second ? &k->p->down : &k->p->o);
    k->x->run->norm(k->x, &(ig_norm){.n_row = rows_of(k),
                                     .d = d,
                                     .x = k->w->sum,
                                     .residual = residual,
                                     .sum = k->norms.stream,
                                     .drop = drop_of(k, second),
                                     .gamma = net->weight + at.w,
                                     .beta = net->weight + at.b,
                                     .eps = net->config->layer_norm_eps,
                                     .out = out->x,
                                     .bf16 = out->bf16,
                                     .xhat = second ? b->xhat2 : b->xhat1,
                                     .bf16_xhat = net->bf16_rows,
                                     .rstd = second ? b->rstd2 : b->rstd1,
                                     .kept = second ? b->kept2 : b->kept1});
}

static void attention_forward(const ig_block *k)
{
    const ig_net *net = k->net;
    const int d = net->config->hidden_size, m = rows_of(k);
    const int32_t *kept = kept_of(k);
    const float *residual = k->norms.stream != NULL ? k->norms.stream : k->in->x;
    ig_block_qkv(k);
    patch(k, k->b->qkv, false);
    ig_attention attention = attention_of(k);
    attention.ctx = k->b->ctx;
    k->x->run->attention(k->x, &attention);
    if (kept != NULL) {
        k->x->run->keep_rows(k->x, k->b->ctx, kept, m, floats(d, net->bf16_attention));
        if (k->norms.stream != NULL)
            k->x->run->keep_rows(k->x, k->norms.stream, kept, m, d);
        else {
            k->x->run->gather_rows(k->x, k->b->mid.x, k->in->x, kept, m, d);
            residual = k->b->mid.x;
        }
    }
    finish(k, false, residual);
}

static void ffn_forward(const ig_block *k)
{
    const ig_net *net = k->net;
    const int ld_up = floats(net->config->intermediate_size, net->bf16_ffn);
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = rows_of(k),
                                 .a = operand(&k->b->mid),
                                 .lda = floats(net->config->hidden_size, net->bf16_rows),
                                 .c = k->b->up,
                                 .ldc = ld_up,
                                 .epilogue = ig_net_gelu(net),
                                 .bias = net->weight + k->o->up_b,
                                 .aux = k->b->slope,
                                 .ld_aux = ld_up,
                                 .bf16 = (net->bf16_rows ? IG_BF16_A : 0) |
                                         (net->bf16_ffn ? IG_BF16_C | IG_BF16_AUX : 0)},
                      &k->p->up);
    finish(k, true, k->norms.stream != NULL ? k->norms.stream : k->b->mid.x);
}

void ig_block_forward(const ig_block *k)
{
    attention_forward(k);
    ffn_forward(k);
}

/* The gradient of query, key and value, whose products are one and whose tensors start `step`
 * apart: NULL where all three are frozen. */
static float *qkv_grad(const ig_block *k, int64_t offset, int64_t step)
{
    for (int i = 0; i < 3; i++)
        if (ig_net_grad(k->net, k->grad, offset + i * step) != NULL)
            return k->grad + offset;
    return NULL;
}

/* Computes the gradient of a sublayer's LayerNorm → w->dsum (of its last product), and the
 * residual's share: dx → dmid of the second, dmid → dx of the first. */
static void norm_back(const ig_block *k, bool second)
{
    const ig_net *net = k->net;
    const ig_block_state *b = k->b;
    const ig_work *w = k->w;
    const bool pre = k->norms.stream != NULL;
    const bool end = second && k->layer + 1 == net->config->num_hidden_layers;
    const ig_norm_place at = second ? k->norms.second : k->norms.first;
    k->x->run->norm_grad(k->x, &(ig_norm_grad){.n_row = rows_of(k),
                                               .d = net->config->hidden_size,
                                               .dout = second ? w->dx : w->dmid,
                                               .xhat = second ? b->xhat2 : b->xhat1,
                                               .bf16_xhat = net->bf16_rows,
                                               .rstd = second ? b->rstd2 : b->rstd1,
                                               .drop = drop_of(k, second),
                                               .kept = second ? b->kept2 : b->kept1,
                                               .gamma = net->weight + at.w,
                                               .dsum = pre && !end ? w->dstream : NULL,
                                               .dx = w->dsum,
                                               .bf16 = net->bf16_rows,
                                               .dresidual = pre      ? w->dstream
                                                            : second ? w->dmid
                                                                     : w->dx,
                                               .dgamma = ig_net_grad(net, k->grad, at.w),
                                               .dbeta = ig_net_grad(net, k->grad, at.b)});
}

static void ffn_backward(const ig_block *k)
{
    const ig_net *net = k->net;
    const int d = net->config->hidden_size, f = net->config->intermediate_size, m = rows_of(k);
    const int ld_up = floats(f, net->bf16_ffn), ld_row = floats(d, net->bf16_rows);
    const int a_row = net->bf16_rows ? IG_BF16_A : 0, b_row = net->bf16_rows ? IG_BF16_B : 0;
    norm_back(k, true);
    k->x->run->layer_grad(k->x, &(ig_layer_grad){.once = true,
                                                 .dw = ig_net_grad(net, k->grad, k->o->down_w),
                                                 .db = ig_net_grad(net, k->grad, k->o->down_b),
                                                 .m = d,
                                                 .n = f,
                                                 .k = m,
                                                 .dy = k->w->dsum,
                                                 .ld_dy = ld_row,
                                                 .x = k->b->up,
                                                 .bf16 = a_row | (net->bf16_ffn ? IG_BF16_B : 0)});
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = m,
                                 .a = k->w->dsum,
                                 .lda = ld_row,
                                 .c = k->w->dwide,
                                 .ldc = ld_up,
                                 .epilogue = IG_EPI_MUL,
                                 .aux = k->b->slope,
                                 .ld_aux = ld_up,
                                 .bf16 = a_row | (net->bf16_ffn ? IG_BF16_C | IG_BF16_AUX : 0)},
                      &k->p->down_t);
    k->x->run->layer_grad(k->x, &(ig_layer_grad){.once = true,
                                                 .dw = ig_net_grad(net, k->grad, k->o->up_w),
                                                 .db = ig_net_grad(net, k->grad, k->o->up_b),
                                                 .m = f,
                                                 .n = d,
                                                 .k = m,
                                                 .dy = k->w->dwide,
                                                 .ld_dy = ld_up,
                                                 .x = operand(&k->b->mid),
                                                 .bf16 = b_row | (net->bf16_ffn ? IG_BF16_A : 0)});
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = m,
                                 .a = k->w->dwide,
                                 .lda = ld_up,
                                 .c = k->w->dmid,
                                 .ldc = d,
                                 .accumulate = k->norms.stream == NULL,
                                 .bf16 = net->bf16_ffn ? IG_BF16_A : 0},
                      &k->p->up_t);
}

/* Through W_o and attention: w->dsum → w->dwide, of queries, keys and values. */
static void attention_back(const ig_block *k)
{
    const ig_net *net = k->net;
    const int d = net->config->hidden_size, n = k->s->n_tok, m = rows_of(k);
    const int ld_ctx = floats(d, net->bf16_attention), ld_row = floats(d, net->bf16_rows);
    const int a_row = net->bf16_rows ? IG_BF16_A : 0;
    const int32_t *kept = kept_of(k);
    k->x->run->layer_grad(k->x,
                          &(ig_layer_grad){.once = true,
                                           .dw = ig_net_grad(net, k->grad, k->o->o_w),
                                           .db = ig_net_grad(net, k->grad, k->o->o_b),
                                           .m = d,
                                           .n = d,
                                           .k = m,
                                           .dy = k->w->dsum,
                                           .ld_dy = ld_row,
                                           .x = k->b->ctx,
                                           .bf16 = a_row | (net->bf16_attention ? IG_BF16_B : 0)});
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = m,
                                 .a = k->w->dsum,
                                 .lda = ld_row,
                                 .c = k->w->dmid,
                                 .ldc = ld_ctx,
                                 .bf16 = a_row | (net->bf16_attention ? IG_BF16_C : 0)},
                      &k->p->o_t);
    if (kept != NULL) {
        k->x->run->spread_rows(k->x, k->w->dmid, kept, m, ld_ctx, n);
        k->x->run->spread_rows(k->x, k->norms.stream != NULL ? k->w->dstream : k->w->dx, kept, m, d,
                               n);
    }
    ig_attention attention = attention_of(k);
    attention.dctx = k->w->dmid;
    attention.dqkv = k->w->dwide;
    attention.ddistance = k->o->distance < 0 ? NULL : ig_net_grad(net, k->grad, k->o->distance);
    k->x->run->attention_grad(k->x, &attention);
    patch(k, k->w->dwide, true);
    rotate(k, k->w->dwide, true);
}

static void attention_backward(const ig_block *k)
{
    const ig_net *net = k->net;
    const int d = net->config->hidden_size, n = k->s->n_tok;
    const int ld_qkv = 3 * floats(d, net->bf16_attention);
    const int b_row = net->bf16_rows ? IG_BF16_B : 0, a = net->bf16_attention ? IG_BF16_A : 0;
    norm_back(k, false);
    attention_back(k);
    k->x->run->layer_grad(k->x, &(ig_layer_grad){.once = true,
                                                 .dw = qkv_grad(k, k->o->qkv_w, (int64_t)d * d),
                                                 .db = qkv_grad(k, k->o->qkv_b, d),
                                                 .m = 3 * d,
                                                 .n = d,
                                                 .k = n,
                                                 .dy = k->w->dwide,
                                                 .ld_dy = ld_qkv,
                                                 .x = operand(k->in),
                                                 .bf16 = b_row | a});
    if (k->layer == k->s->floor)
        return;
    k->x->run->linear(k->x,
                      &(ig_gemm){.m = n,
                                 .a = k->w->dwide,
                                 .lda = ld_qkv,
                                 .c = k->w->dx,
                                 .ldc = d,
                                 .accumulate = k->norms.stream == NULL,
                                 .bf16 = a},
                      &k->p->qkv_t);
}

void ig_block_backward(const ig_block *k)
{
    ffn_backward(k);
    attention_backward(k);
}
