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
    const float *weight = net->weight;
    const bool placed = net->config->position == IG_POSITION_LEARNED ||
                        net->config->position == IG_POSITION_SINUSOIDAL;
    c->x->run->embed(c->x, &(ig_embed){c->w->sum, s->n_tok, net->config->hidden_size,
                                       weight + c->o->word, placed ? weight + c->o->position : NULL,
                                       weight + c->o->segment, s->id, s->pos, s->seg});
    ig_norm norm = ig_net_norm(net, c->norm, s->n_tok, c->w->sum, c->to);
    norm.drop = ig_net_dropout(net, 0, s->row0, net->config->hidden_dropout_prob);
    norm.drop_after = c->stream == NULL;
    norm.sum = c->stream;
    c->x->run->norm(c->x, &norm);
}

void ig_embedding_backward(const ig_embedding_call *c)
{
    const ig_net *net = c->net;
    const ig_shard_view *s = c->s;
    const ig_work *w = c->w;
    ig_norm_grad g = ig_net_norm_grad(net, c->norm, s->n_tok, w->dx, c->to, c->grad);
    g.drop = ig_net_dropout(net, 0, s->row0, net->config->hidden_dropout_prob);
    g.drop_after = c->stream == NULL;
    g.dsum = c->stream != NULL ? w->dstream : NULL;
    g.dx = w->dsum;
    c->x->run->norm_grad(c->x, &g);
    const bool learned = net->config->position == IG_POSITION_LEARNED;
    c->x->run->embed_grad(
        c->x, &(ig_embed_grad){w->dsum, s->n_tok, net->config->hidden_size,
                               ig_net_grad(net, c->grad, c->o->word),
                               learned ? ig_net_grad(net, c->grad, c->o->position) : NULL,
                               ig_net_grad(net, c->grad, c->o->segment), s->id, s->pos, s->seg,
                               net->config->pad_token_id});
}
