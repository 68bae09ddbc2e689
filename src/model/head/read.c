/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives heads their input: the last layer's rows in place, or copies of their targets' rows from
 * one layer or from all, made as the network passes them. A mixture is that of Peters et al. 2018,
 * eq. 1 (without the embeddings, as AllenNLP 0.9 has it for BERT).
 */
#include "model/head/head.h"

#include <stddef.h>

bool ig_head_asked(const ig_bert_config *c, const ig_batch *b, ig_head_kind head)
{
    return b->target[head].label != NULL && ig_bert_config_n_label(c, head) > 0;
}

static bool reads_in_place(const ig_bert_config *c, int head)
{
    const ig_head_config *h = &c->head[head];
    return h->reads == IG_READ_LAST ||
           (h->reads == IG_READ_LAYER && h->layer == c->num_hidden_layers);
}

bool ig_head_reads_last(const ig_bert_config *c, ig_head_kind head)
{
    return reads_in_place(c, (int)head) || c->head[head].reads == IG_READ_MIX;
}

int ig_heads_top(const ig_bert_config *c, const ig_batch *b)
{
    int top = -1;
    for (int h = 0; h < IG_N_HEAD; h++) {
        const int layer =
            ig_head_reads_last(c, (ig_head_kind)h) ? c->num_hidden_layers : c->head[h].layer;
        if (ig_head_asked(c, b, (ig_head_kind)h) && layer > top)
            top = layer;
    }
    return top < 0 ? c->num_hidden_layers : top;
}

bool ig_heads_train_states(const ig_bert_config *c, const ig_batch *b)
{
    bool any = false, all = true;
    for (int h = 0; h < IG_N_HEAD; h++)
        if (ig_head_asked(c, b, (ig_head_kind)h)) {
            any = true;
            all &= c->head[h].frozen;
        }
    return !(any && all);
}

int64_t ig_heads_place(ig_work *w, const ig_bert_config *c, int64_t n_tok, bool train, float *base)
{
    const int64_t n = n_tok * c->hidden_size;
    int64_t used = 0;
    for (int h = 0; h < IG_N_HEAD; h++) {
        if (reads_in_place(c, h) || ig_bert_config_n_label(c, (ig_head_kind)h) == 0)
            continue;
        const bool mix = c->head[h].reads == IG_READ_MIX;
        w->taken[h] = ig_take(base, &used, mix ? n * c->num_hidden_layers : n);
        w->read[h] = mix ? ig_take(base, &used, n) : w->taken[h];
        w->dread[h] = train ? ig_take(base, &used, n) : NULL;
    }
    return used;
}

/* Index of the layer among those that a head reads; −1: it does not. */
static int level_of(const ig_bert_config *c, int head, int layer)
{
    if (reads_in_place(c, head))
        return -1;
    if (c->head[head].reads == IG_READ_MIX)
        return layer - 1;
    return layer == c->head[head].layer ? 0 : -1;
}

/* The rows of a head in hidden state `layer`. */
static const int32_t *rows_of(const ig_heads_job *j, int head, int layer)
{
    const ig_shard_targets *t = &j->v->target[head];
    return layer == j->net->config->num_hidden_layers ? t->at : t->row;
}

void ig_heads_take(const ig_heads_job *j, int layer, const float *state)
{
    const ig_bert_config *c = j->net->config;
    const int64_t d = c->hidden_size;
    for (int h = 0; h < IG_N_HEAD; h++) {
        const int level = level_of(c, h, layer), n = j->v->target[h].n;
        if (level < 0 || n == 0)
            continue;
        float *to = j->w->taken[h] + level * n * d;
        if (rows_of(j, h, layer) == NULL)
            j->x->run->copy(j->x, to, state, n * d);
        else
            j->x->run->gather_rows(j->x, to, state, rows_of(j, h, layer), n, (int)d);
    }
}

static ig_mix mix_of(const ig_heads_job *j, int head)
{
    const ig_bert_config *c = j->net->config;
    return (ig_mix){.n_layer = c->num_hidden_layers,
                    .n = (int64_t)j->v->target[head].n * c->hidden_size,
                    .layers = j->w->taken[head],
                    .weight = j->net->weight + j->o->head[head][IG_HEAD_MIX],
                    .gamma = j->net->weight + j->o->head[head][IG_HEAD_GAMMA],
                    .out = j->w->read[head],
                    .dout = j->w->dread[head]};
}

/* Runs a head alone on its own rows. */
static void run_apart(const ig_heads_job *j, int h, ig_head_call *call)
{
    const bool mixes = j->net->config->head[h].reads == IG_READ_MIX;
    ig_shard_targets own = *call->t;
    ig_mix mix;
    own.at = NULL;
    call->t = &own;
    call->hidden = j->w->read[h];
    call->dhidden = j->w->dread[h];
    if (mixes) {
        mix = mix_of(j, h);
        j->x->run->mix(j->x, &mix);
    }
    ig_heads[h]->run(call);
    if (mixes && j->net->train) {
        mix.dweight = ig_net_grad(j->net, j->grad, j->o->head[h][IG_HEAD_MIX]);
        mix.dgamma = ig_net_grad(j->net, j->grad, j->o->head[h][IG_HEAD_GAMMA]);
        if (mix.dweight != NULL || mix.dgamma != NULL)
            j->x->run->mix_grad(j->x, &mix);
    }
}

void ig_heads_run(const ig_heads_job *j, const float *last)
{
    const ig_bert_config *c = j->net->config;
    const ig_shard_view *v = j->v;
    bool written = false; /* whether one head writes all of dx */
    for (int h = 0; h < IG_N_HEAD; h++)
        written |= v->kept != NULL && v->n_kept > 0 && reads_in_place(c, h) && !c->head[h].frozen &&
                   v->target[h].n > 0 && v->target[h].at == NULL;
    if (j->net->train && !written)
        j->x->run->zero(j->x, j->w->dx, (int64_t)v->n_kept * c->hidden_size);
    for (int h = 0; h < IG_N_HEAD; h++) {
        ig_head_call call = {.kind = (ig_head_kind)h,
                             .row0 = v->row0,
                             .x = j->x,
                             .net = j->net,
                             .offset = j->o->head[h],
                             .p = &j->p[h],
                             .t = &v->target[h],
                             .hidden = last,
                             .dhidden = c->head[h].frozen ? NULL : j->w->dx,
                             .grad = j->grad,
                             .room = j->w->head,
                             .scale = j->net->pass.scale[h],
                             .n_row = j->w->head_rows};
        if (v->target[h].n == 0)
            continue;
        if (reads_in_place(c, h))
            ig_heads[h]->run(&call);
        else
            run_apart(j, h, &call);
    }
}

void ig_heads_give(const ig_heads_job *j, int layer, float *dstate)
{
    const ig_bert_config *c = j->net->config;
    for (int h = 0; h < IG_N_HEAD; h++) {
        const int level = level_of(c, h, layer), n = j->v->target[h].n, d = c->hidden_size;
        const float *rows = j->w->dread[h];
        if (level < 0 || n == 0 || c->head[h].frozen)
            continue;
        if (c->head[h].reads == IG_READ_MIX) {
            ig_mix mix = mix_of(j, h);
            j->x->run->mix_share(j->x, &mix, level);
            rows = mix.out;
        }
        if (rows_of(j, h, layer) == NULL)
            j->x->run->add(j->x, dstate, rows, (int64_t)n * d);
        else
            j->x->run->scatter_add_rows(j->x, dstate, rows, rows_of(j, h, layer), n, d);
    }
}
