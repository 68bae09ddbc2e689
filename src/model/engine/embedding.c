/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum of embeddings with its LayerNorm (Devlin et al. 2019, §3), and its gradient. The PAD row
 * of the word embeddings gets none as an input (padding_idx of the papers' programs).
 */
#include "model/engine/parts.h"

#include <stddef.h>

void ig_embedding_forward(const ig_embedding_call *c)
{
    const ig_net *net = c->net;
    const ig_shard_view *s = c->s;
    const ig_embedding_state *e = c->e;
    const int d = net->config->hidden_size;
    const float *weight = net->weight;
    const bool placed = net->config->position == IG_POSITION_LEARNED ||
                        net->config->position == IG_POSITION_SINUSOIDAL;
    c->x->run->embed(c->x, &(ig_embed){c->w->sum, s->n_tok, d, weight + c->o->word,
                                       placed ? weight + c->o->position : NULL,
                                       weight + c->o->segment, s->id, s->pos, s->seg});
    c->x->run->norm(c->x, &(ig_norm){.n_row = s->n_tok,
                                     .d = d,
                                     .x = c->w->sum,
                                     .drop = ig_net_dropout(net, 0, s->row0, false),
                                     .drop_after = e->stream == NULL,
                                     .gamma = weight + c->norm.w,
                                     .beta = weight + c->norm.b,
                                     .sum = e->stream,
                                     .eps = net->config->layer_norm_eps,
                                     .out = e->out.x,
                                     .bf16 = e->out.bf16,
                                     .xhat = e->xhat,
                                     .bf16_xhat = net->bf16_rows,
                                     .rstd = e->rstd,
                                     .kept = e->kept});
}

void ig_embedding_backward(const ig_embedding_call *c)
{
    const ig_net *net = c->net;
    const ig_shard_view *s = c->s;
    const ig_work *w = c->w;
    const ig_embedding_state *e = c->e;
    const int d = net->config->hidden_size;
    c->x->run->norm_grad(c->x, &(ig_norm_grad){.n_row = s->n_tok,
                                               .d = d,
                                               .dout = w->dx,
                                               .xhat = e->xhat,
                                               .bf16_xhat = net->bf16_rows,
                                               .rstd = e->rstd,
                                               .drop = ig_net_dropout(net, 0, s->row0, false),
                                               .drop_after = e->stream == NULL,
                                               .kept = e->kept,
                                               .gamma = net->weight + c->norm.w,
                                               .dsum = e->stream != NULL ? w->dstream : NULL,
                                               .dx = w->dsum,
                                               .dgamma = ig_net_grad(net, c->grad, c->norm.w),
                                               .dbeta = ig_net_grad(net, c->grad, c->norm.b)});
    const bool learned = net->config->position == IG_POSITION_LEARNED;
    c->x->run->embed_grad(
        c->x, &(ig_embed_grad){w->dsum, s->n_tok, d, ig_net_grad(net, c->grad, c->o->word),
                               learned ? ig_net_grad(net, c->grad, c->o->position) : NULL,
                               ig_net_grad(net, c->grad, c->o->segment), s->id, s->pos, s->seg,
                               net->config->pad_token_id});
}
