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

static ig_attention attention_of(const ig_net *net, const ig_bert_layer_offsets *o, int layer,
                                 const ig_shard_view *s, const ig_block_state *b)
{
    return (ig_attention){.n_seq = s->n_seq,
                          .n_head = net->config->num_attention_heads,
                          .d = net->config->hidden_size,
                          .seq_start = s->seq_start,
                          .qkv = b->qkv,
                          .bf16 = net->bf16_attention,
                          .probs = b->probs,
                          .drop = ig_net_dropout(net, site_of(layer, 1), s->row0, true),
                          .distance = o->distance < 0 ? NULL : net->weight + o->distance,
                          .n_distance = net->config->max_position_embeddings,
                          .distance_keys = net->config->position == IG_POSITION_RELATIVE_KEY_QUERY};
}

/* Queries and keys, which stand one behind the other in a row, as twice the number of heads. */
static void rotate(const ig_exec *x, const ig_net *net, const ig_shard_view *s, float *qkv,
                   bool back)
{
    const int d = net->config->hidden_size, h = net->config->num_attention_heads;
    if (net->rotary != NULL)
        x->run->rotary(x, qkv, s->n_tok, 3 * d, 2 * h, d / h, net->rotary, s->pos, back);
}

/* What products read of a LayerNorm's output. */
static const float *operand(const ig_rows *r)
{
    return r->bf16 != NULL ? r->bf16 : r->x;
}

void ig_block_qkv(const ig_exec *x, const ig_net *net, const ig_bert_layer_offsets *o,
                  const ig_block_weights *p, const ig_shard_view *s, const ig_rows *in, float *qkv)
{
    const int d = net->config->hidden_size;
    x->run->linear(
        x,
        &(ig_gemm){.m = s->n_tok,
                   .a = operand(in),
                   .lda = net->bf16_rows ? d / 2 : d,
                   .c = qkv,
                   .ldc = 3 * ig_attention_columns(net),
                   .bf16 = (net->bf16_rows ? IG_BF16_A : 0) | (net->bf16_attention ? IG_BF16_C : 0),
                   .epilogue = IG_EPI_BIAS,
                   .bias = net->weight + o->qkv_b},
        &p->qkv);
    rotate(x, net, s, qkv, false);
}

/* Queries and keys of a patched block; back: their gradient, which ends here. */
static void patch(const ig_exec *x, const ig_net *net, int layer, const ig_shard_view *s,
                  float *qkv, bool back)
{
    const int64_t ld = ig_attention_columns(net);
    const ig_patch *p = net->patch != NULL ? &net->patch[layer] : NULL;
    for (int64_t i = 0; p != NULL && p->on && i < s->n_tok; i++)
        if (back || p->other == NULL)
            x->run->zero(x, qkv + 3 * ld * i, 2 * ld);
        else
            x->run->copy(x, qkv + 3 * ld * i, p->qk + 2 * ld * ((int64_t)s->row0 + i), 2 * ld);
}

void ig_block_forward(const ig_exec *x, const ig_net *net, const ig_bert_layer_offsets *o,
                      const ig_block_norms *norms, const ig_block_weights *p, int layer,
                      const ig_shard_view *s, const ig_work *w, const ig_rows *in,
                      const ig_block_state *b)
{
    const bool pre = norms->stream != NULL;
    const int n = s->n_tok, d = net->config->hidden_size, f = net->config->intermediate_size;
    const int wide = net->bf16_ffn ? IG_BF16_C | IG_BF16_AUX : 0;
    const int ld_up = net->bf16_ffn ? f / 2 : f, ld_ctx = net->bf16_attention ? d / 2 : d;
    const int ld_row = net->bf16_rows ? d / 2 : d, a_row = net->bf16_rows ? IG_BF16_A : 0;
    const bool fewer = layer + 1 == net->config->num_hidden_layers && s->kept != NULL;
    const int m = fewer ? s->n_kept : n;
    const float *weight = net->weight, *residual = pre ? norms->stream : in->x;
    ig_block_qkv(x, net, o, p, s, in, b->qkv);
    patch(x, net, layer, s, b->qkv, false);
    ig_attention attention = attention_of(net, o, layer, s, b);
    attention.ctx = b->ctx;
    x->run->attention(x, &attention);
    ig_dropout drop1 = ig_net_dropout(net, site_of(layer, 2), s->row0, false);
    ig_dropout drop2 = ig_net_dropout(net, site_of(layer, 3), s->row0, false);
    if (fewer) {
        drop1.row = drop2.row = s->kept;
        x->run->keep_rows(x, b->ctx, s->kept, m, ld_ctx);
        if (pre)
            x->run->keep_rows(x, norms->stream, s->kept, m, d);
        else {
            x->run->gather_rows(x, b->mid.x, in->x, s->kept, m, d);
            residual = b->mid.x;
        }
    }
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = b->ctx,
                              .lda = ld_ctx,
                              .bf16 = net->bf16_attention ? IG_BF16_A : 0,
                              .c = w->sum,
                              .ldc = d,
                              .epilogue = IG_EPI_BIAS,
                              .bias = weight + o->o_b},
                   &p->o);
    x->run->norm(x, &(ig_norm){.n_row = m,
                               .d = d,
                               .x = w->sum,
                               .residual = residual,
                               .sum = norms->stream,
                               .drop = drop1,
                               .gamma = weight + norms->first.w,
                               .beta = weight + norms->first.b,
                               .eps = net->config->layer_norm_eps,
                               .out = b->mid.x,
                               .bf16 = b->mid.bf16,
                               .xhat = b->xhat1,
                               .bf16_xhat = net->bf16_rows,
                               .rstd = b->rstd1,
                               .kept = b->kept1});
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = operand(&b->mid),
                              .lda = ld_row,
                              .c = b->up,
                              .ldc = ld_up,
                              .epilogue = ig_net_gelu(net),
                              .bias = weight + o->up_b,
                              .aux = b->slope,
                              .ld_aux = ld_up,
                              .bf16 = a_row | wide},
                   &p->up);
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = b->up,
                              .lda = ld_up,
                              .bf16 = net->bf16_ffn ? IG_BF16_A : 0,
                              .c = w->sum,
                              .ldc = d,
                              .epilogue = IG_EPI_BIAS,
                              .bias = weight + o->down_b},
                   &p->down);
    x->run->norm(x, &(ig_norm){.n_row = m,
                               .d = d,
                               .x = w->sum,
                               .residual = pre ? norms->stream : b->mid.x,
                               .sum = norms->stream,
                               .drop = drop2,
                               .gamma = weight + norms->second.w,
                               .beta = weight + norms->second.b,
                               .eps = net->config->layer_norm_eps,
                               .out = b->out.x,
                               .bf16 = b->out.bf16,
                               .xhat = b->xhat2,
                               .bf16_xhat = net->bf16_rows,
                               .rstd = b->rstd2,
                               .kept = b->kept2});
}

/* Of query, key and value, whose products are one and whose tensors begin `step` apart: NULL where
 * all three are frozen. */
static float *qkv_grad(const ig_net *net, float *grad, int64_t offset, int64_t step)
{
    for (int i = 0; i < 3; i++)
        if (ig_net_grad(net, grad, offset + i * step) != NULL)
            return grad + offset;
    return NULL;
}

void ig_block_backward(const ig_exec *x, const ig_net *net, const ig_bert_layer_offsets *o,
                       const ig_block_norms *norms, const ig_block_weights *p, int layer,
                       const ig_shard_view *s, const ig_work *w, const ig_rows *in,
                       const ig_block_state *b, float *grad)
{
    const bool pre = norms->stream != NULL, last = layer + 1 == net->config->num_hidden_layers;
    const int n = s->n_tok, d = net->config->hidden_size, f = net->config->intermediate_size;
    const int wide = net->bf16_ffn ? IG_BF16_C | IG_BF16_AUX : 0;
    const int ld_up = net->bf16_ffn ? f / 2 : f, ld_ctx = net->bf16_attention ? d / 2 : d;
    const int ld_row = net->bf16_rows ? d / 2 : d;
    const int a_row = net->bf16_rows ? IG_BF16_A : 0, b_row = net->bf16_rows ? IG_BF16_B : 0;
    const float *weight = net->weight;
    const bool fewer = last && s->kept != NULL;
    const int m = fewer ? s->n_kept : n;
    ig_dropout drop1 = ig_net_dropout(net, site_of(layer, 2), s->row0, false);
    ig_dropout drop2 = ig_net_dropout(net, site_of(layer, 3), s->row0, false);
    if (fewer)
        drop1.row = drop2.row = s->kept;

    /* dx → dsum (of W_2's output), dmid (the residual's share). */
    x->run->norm_grad(x, &(ig_norm_grad){.n_row = m,
                                         .d = d,
                                         .dout = w->dx,
                                         .xhat = b->xhat2,
                                         .bf16_xhat = net->bf16_rows,
                                         .rstd = b->rstd2,
                                         .drop = drop2,
                                         .kept = b->kept2,
                                         .gamma = weight + norms->second.w,
                                         .dsum = pre && !last ? w->dstream : NULL,
                                         .dx = w->dsum,
                                         .bf16 = net->bf16_rows,
                                         .dresidual = pre ? w->dstream : w->dmid,
                                         .dgamma = ig_net_grad(net, grad, norms->second.w),
                                         .dbeta = ig_net_grad(net, grad, norms->second.b)});
    x->run->layer_grad(x, &(ig_layer_grad){.once = true,
                                           .dw = ig_net_grad(net, grad, o->down_w),
                                           .db = ig_net_grad(net, grad, o->down_b),
                                           .m = d,
                                           .n = f,
                                           .k = m,
                                           .dy = w->dsum,
                                           .ld_dy = ld_row,
                                           .x = b->up,
                                           .bf16 = a_row | (net->bf16_ffn ? IG_BF16_B : 0)});
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = w->dsum,
                              .lda = ld_row,
                              .c = w->dwide,
                              .ldc = ld_up,
                              .epilogue = IG_EPI_MUL,
                              .aux = b->slope,
                              .ld_aux = ld_up,
                              .bf16 = a_row | wide},
                   &p->down_t);
    x->run->layer_grad(x, &(ig_layer_grad){.once = true,
                                           .dw = ig_net_grad(net, grad, o->up_w),
                                           .db = ig_net_grad(net, grad, o->up_b),
                                           .m = f,
                                           .n = d,
                                           .k = m,
                                           .dy = w->dwide,
                                           .ld_dy = ld_up,
                                           .x = operand(&b->mid),
                                           .bf16 = b_row | (net->bf16_ffn ? IG_BF16_A : 0)});
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = w->dwide,
                              .lda = ld_up,
                              .c = w->dmid,
                              .ldc = d,
                              .accumulate = !pre,
                              .bf16 = net->bf16_ffn ? IG_BF16_A : 0},
                   &p->up_t);

    /* dmid → dsum (of W_o's output), dx (the residual's share). */
    x->run->norm_grad(x, &(ig_norm_grad){.n_row = m,
                                         .d = d,
                                         .dout = w->dmid,
                                         .xhat = b->xhat1,
                                         .bf16_xhat = net->bf16_rows,
                                         .rstd = b->rstd1,
                                         .drop = drop1,
                                         .kept = b->kept1,
                                         .gamma = weight + norms->first.w,
                                         .dsum = pre ? w->dstream : NULL,
                                         .dx = w->dsum,
                                         .bf16 = net->bf16_rows,
                                         .dresidual = pre ? w->dstream : w->dx,
                                         .dgamma = ig_net_grad(net, grad, norms->first.w),
                                         .dbeta = ig_net_grad(net, grad, norms->first.b)});
    x->run->layer_grad(x, &(ig_layer_grad){.once = true,
                                           .dw = ig_net_grad(net, grad, o->o_w),
                                           .db = ig_net_grad(net, grad, o->o_b),
                                           .m = d,
                                           .n = d,
                                           .k = m,
                                           .dy = w->dsum,
                                           .ld_dy = ld_row,
                                           .x = b->ctx,
                                           .bf16 = a_row | (net->bf16_attention ? IG_BF16_B : 0)});
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = w->dsum,
                              .lda = ld_row,
                              .c = w->dmid,
                              .ldc = ld_ctx,
                              .bf16 = a_row | (net->bf16_attention ? IG_BF16_C : 0)},
                   &p->o_t);
    if (fewer) {
        x->run->spread_rows(x, w->dmid, s->kept, m, ld_ctx, n);
        x->run->spread_rows(x, pre ? w->dstream : w->dx, s->kept, m, d, n);
    }
    ig_attention attention = attention_of(net, o, layer, s, b);
    attention.dctx = w->dmid;
    attention.dqkv = w->dwide;
    attention.ddistance = o->distance < 0 ? NULL : ig_net_grad(net, grad, o->distance);
    x->run->attention_grad(x, &attention);
    patch(x, net, layer, s, w->dwide, true);
    rotate(x, net, s, w->dwide, true);
    x->run->layer_grad(x, &(ig_layer_grad){.once = true,
                                           .dw = qkv_grad(net, grad, o->qkv_w, (int64_t)d * d),
                                           .db = qkv_grad(net, grad, o->qkv_b, d),
                                           .m = 3 * d,
                                           .n = d,
                                           .k = n,
                                           .dy = w->dwide,
                                           .ld_dy = 3 * ld_ctx,
                                           .x = operand(in),
                                           .bf16 = b_row | (net->bf16_attention ? IG_BF16_A : 0)});
    if (layer == s->floor)
        return;
    x->run->linear(x,
                   &(ig_gemm){.m = n,
                              .a = w->dwide,
                              .lda = 3 * ld_ctx,
                              .c = w->dx,
                              .ldc = d,
                              .accumulate = !pre,
                              .bf16 = net->bf16_attention ? IG_BF16_A : 0},
                   &p->qkv_t);
}
