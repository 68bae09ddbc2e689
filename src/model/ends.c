/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ends of BERT: the sum of embeddings with its LayerNorm, and the masked-language-model
 * head h = LN(gelu(x W_tᵀ + b_t)),  logits = h Eᵀ + b,  loss = Σ −log softmax(logits)[label] on the
 * masked rows alone, with E the word embeddings (or a matrix of its own; without the transform h =
 * x). The PAD row of E gets no gradient as an input (padding_idx of the papers' programs) but does
 * as a row of the decoder.
 */
#include "model/parts.h"

#include <stddef.h>

void ig_embedding_forward(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                          ig_norm_place norm, const ig_shard_view *s, const ig_work *w,
                          const ig_embedding_state *e)
{
    const int d = net->config->hidden_size;
    const float *weight = net->weight;
    const bool placed = net->config->position == IG_POSITION_LEARNED ||
                        net->config->position == IG_POSITION_SINUSOIDAL;
    x->run->embed(x, w->sum, s->n_tok, d, weight + o->word, placed ? weight + o->position : NULL,
                  weight + o->segment, s->id, s->pos, s->seg);
    x->run->norm(x, &(ig_norm){.n_row = s->n_tok,
                               .d = d,
                               .x = w->sum,
                               .drop = ig_net_dropout(net, 0, s->row0, false),
                               .drop_after = e->stream == NULL,
                               .gamma = weight + norm.w,
                               .beta = weight + norm.b,
                               .sum = e->stream,
                               .eps = net->config->layer_norm_eps,
                               .out = e->out.x,
                               .half = e->out.half,
                               .xhat = e->xhat,
                               .half_xhat = net->half_rows,
                               .rstd = e->rstd,
                               .kept = e->kept});
}

void ig_embedding_backward(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                           ig_norm_place norm, const ig_shard_view *s, const ig_work *w,
                           const ig_embedding_state *e, float *grad)
{
    const int d = net->config->hidden_size;
    x->run->norm_grad(x, &(ig_norm_grad){.n_row = s->n_tok,
                                         .d = d,
                                         .dout = w->dx,
                                         .xhat = e->xhat,
                                         .half_xhat = net->half_rows,
                                         .rstd = e->rstd,
                                         .drop = ig_net_dropout(net, 0, s->row0, false),
                                         .drop_after = e->stream == NULL,
                                         .kept = e->kept,
                                         .gamma = net->weight + norm.w,
                                         .dsum = e->stream != NULL ? w->dstream : NULL,
                                         .dx = w->dsum,
                                         .dgamma = grad + norm.w,
                                         .dbeta = grad + norm.b});
    const bool learned = net->config->position == IG_POSITION_LEARNED;
    x->run->embed_grad(x, w->dsum, s->n_tok, d, grad + o->word, learned ? grad + o->position : NULL,
                       grad + o->segment, s->id, s->pos, s->seg, net->config->pad_token_id);
}

/* h = LN(gelu(x W_tᵀ + b_t)) of the gathered rows w->row, into w->u. */
static void transform(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                      const ig_head_weights *p, const ig_work *w, int m)
{
    const int d = net->config->hidden_size;
    const float *weight = net->weight;
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = w->row,
                              .lda = d,
                              .c = w->z,
                              .ldc = d,
                              .epilogue = ig_net_gelu(net),
                              .bias = weight + o->head_b,
                              .aux = net->train ? w->slope : NULL,
                              .ld_aux = d},
                   &p->dense);
    x->run->norm(x, &(ig_norm){.n_row = m,
                               .d = d,
                               .x = w->z,
                               .gamma = weight + o->head_norm_w,
                               .beta = weight + o->head_norm_b,
                               .eps = net->config->layer_norm_eps,
                               .out = w->u,
                               .xhat = w->xhat,
                               .rstd = w->rstd});
}

/* w->u: gradient of h on entry, of the rows on return. */
static void transform_back(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                           const ig_head_weights *p, const ig_work *w, float *grad, int m)
{
    const int d = net->config->hidden_size;
    x->run->norm_grad(x, &(ig_norm_grad){.n_row = m,
                                         .d = d,
                                         .dout = w->u,
                                         .xhat = w->xhat,
                                         .rstd = w->rstd,
                                         .gamma = net->weight + o->head_norm_w,
                                         .dx = w->z,
                                         .dgamma = grad + o->head_norm_w,
                                         .dbeta = grad + o->head_norm_b});
    x->run->multiply(x, w->z, w->slope, (int64_t)m * d);
    x->run->layer_grad(x, &(ig_layer_grad){.dw = grad + o->head_w,
                                           .db = grad + o->head_b,
                                           .m = d,
                                           .n = d,
                                           .k = m,
                                           .dy = w->z,
                                           .ld_dy = d,
                                           .x = w->row});
    x->run->linear(x, &(ig_gemm){.m = m, .a = w->z, .lda = d, .c = w->u, .ldc = d}, &p->dense_t);
}

/* `m` predictions from `first` on. */
static void head_rows(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                      const ig_head_weights *p, const ig_shard_view *s, const ig_work *w,
                      const float *hidden, float *grad, int first, int m)
{
    const int d = net->config->hidden_size, v = net->config->vocab_size, ld = w->ld_logits;
    const bool plain = net->config->no_transform;
    float *row = plain ? w->u : w->row;
    if (s->kept != NULL)
        x->run->copy(x, row, hidden + (int64_t)first * d, (int64_t)m * d);
    else
        x->run->gather_rows(x, row, hidden, s->pred_row + first, m, d);
    if (!plain)
        transform(x, net, o, p, w, m);
    x->run->linear(x,
                   &(ig_gemm){.m = m,
                              .a = w->u,
                              .lda = d,
                              .c = w->logits,
                              .ldc = ld,
                              .epilogue = IG_EPI_BIAS,
                              .bias = net->weight + o->decoder_b},
                   &p->decoder);
    x->run->xent(x, w->logits, m, v, ld, s->pred_label + first, net->pass.loss_scale, net->train,
                 s->nll + first, s->best != NULL ? s->best + first : NULL);
    if (!net->train)
        return;

    x->run->layer_grad(x, &(ig_layer_grad){.dw = grad + o->decoder_w,
                                           .db = grad + o->decoder_b,
                                           .m = v,
                                           .n = d,
                                           .k = m,
                                           .dy = w->logits,
                                           .ld_dy = ld,
                                           .x = w->u});
    x->run->linear(x, &(ig_gemm){.m = m, .a = w->logits, .lda = ld, .c = w->u, .ldc = d},
                   &p->decoder_t);
    if (!plain)
        transform_back(x, net, o, p, w, grad, m);
    if (s->kept != NULL)
        x->run->copy(x, w->dx + (int64_t)first * d, w->u, (int64_t)m * d);
    else
        x->run->scatter_add_rows(x, w->dx, w->u, s->pred_row + first, m, d);
}

void ig_head_run(const ig_exec *x, const ig_net *net, const ig_bert_offsets *o,
                 const ig_head_weights *p, const ig_shard_view *s, const ig_work *w,
                 const float *hidden, float *grad)
{
    if (net->train && s->kept == NULL)
        x->run->zero(x, w->dx, (int64_t)s->n_tok * net->config->hidden_size);
    for (int first = 0; first < s->n_pred; first += w->head_rows) {
        int m = s->n_pred - first < w->head_rows ? s->n_pred - first : w->head_rows;
        head_rows(x, net, o, p, s, w, hidden, grad, first, m);
    }
}
