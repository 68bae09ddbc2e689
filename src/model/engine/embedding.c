/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum of embeddings with its LayerNorm (Devlin et al. 2019, §3), and its gradient. The PAD row
 * of the word embeddings gets none as an input (padding_idx of the papers' programs).
 */
#include "model/engine/parts.h"

#include "model/block/block.h"

#include <stddef.h>

/* Returns whether hidden state 0 is the LayerNorm of the embeddings; else that only goes into the
 * first block. */
static bool drops_after(const ig_embedding_call *c)
{
    return c->stream == NULL || ig_blocks[c->net->config->block]->plain_first;
}

/* Takes embeddings from E columns to D (Clark et al. 2020, in transformers' arrangement). */
static void project(const ig_embedding_call *c)
{
    const int d = c->net->config->hidden_size;
    c->x->run->linear(c->x,
                      &(ig_gemm){.m = c->s->n_tok,
                                 .a = c->w->narrow,
                                 .lda = ig_bert_embedding(c->net->config),
                                 .c = c->to->out.x,
                                 .ldc = d,
                                 .epilogue = IG_EPI_BIAS,
                                 .bias = ig_net_weight(c->net, c->o->project_b)},
                      c->net->project);
}

void ig_embedding_forward(const ig_embedding_call *c)
{
    const ig_net *net = c->net;
    const ig_shard_view *s = c->s;
    const float *weight = net->weight;
    const bool placed = net->config->position == IG_POSITION_LEARNED ||
                        net->config->position == IG_POSITION_SINUSOIDAL;
    const bool after = drops_after(c), narrow = net->project != NULL;
    float *sum = narrow ? c->w->narrow : c->w->sum;
    c->x->run->embed(c->x, &(ig_embed){sum, s->n_tok, ig_bert_embedding(net->config),
                                       weight + c->o->word, placed ? weight + c->o->position : NULL,
                                       ig_net_weight(net, c->o->segment), s->id, s->pos, s->seg});
    const ig_norm_state in_place = {.out.x = sum};
    ig_norm norm = ig_net_norm(net, c->norm, s->n_tok, sum, narrow ? &in_place : c->to);
    norm.d = ig_bert_embedding(net->config);
    norm.drop = ig_net_dropout(net, 0, s->row0, net->config->hidden_dropout_prob);
    norm.drop_after = after;
    norm.sum = after ? NULL : c->stream;
    c->x->run->norm(c->x, &norm);
    if (narrow)
        project(c);
    if (after && c->stream != NULL)
        c->x->run->copy(c->x, c->stream, c->to->out.x, (int64_t)s->n_tok * norm.d);
}

void ig_embedding_backward(const ig_embedding_call *c)
{
    const ig_net *net = c->net;
    const ig_shard_view *s = c->s;
    const ig_work *w = c->w;
    ig_norm_grad g = ig_net_norm_grad(net, c->norm, s->n_tok, w->dx, c->to, c->grad);
    g.drop = ig_net_dropout(net, 0, s->row0, net->config->hidden_dropout_prob);
    g.drop_after = drops_after(c);
    g.dsum = c->stream != NULL && !g.drop_after ? w->dstream : NULL;
    if (c->stream != NULL && g.drop_after)
        c->x->run->add(c->x, w->dx, w->dstream, (int64_t)s->n_tok * net->config->hidden_size);
    g.dx = w->dsum;
    c->x->run->norm_grad(c->x, &g);
    const bool learned = net->config->position == IG_POSITION_LEARNED;
    c->x->run->embed_grad(
        c->x, &(ig_embed_grad){w->dsum, s->n_tok, net->config->hidden_size,
                               ig_net_grad(net, c->grad, c->o->word),
                               learned ? ig_net_grad(net, c->grad, c->o->position) : NULL,
                               ig_net_grad(net, c->grad, c->o->segment), s->id, s->pos, s->seg,
                               net->config->pad_token_id, net->config->vocab_size,
                               net->config->max_position_embeddings, net->config->type_vocab_size});
}
