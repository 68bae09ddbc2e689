/* SPDX-License-Identifier: Apache-2.0
 *
 * Holds the table of heads, in the order of their tensors in a model.
 */
#include "model/head/head.h"

#include <stddef.h>

/* Dropout sites of one place, at least as many as there are heads. */
enum { IG_HEAD_SITES = 64 };

#define IG_HEAD_DECLARE(id, file) extern const ig_head ig_head_##file;
IG_HEAD_LIST(IG_HEAD_DECLARE)
#undef IG_HEAD_DECLARE

#define IG_HEAD_ROW(id, file) &ig_head_##file,
const ig_head *const ig_heads[IG_N_HEAD] = {IG_HEAD_LIST(IG_HEAD_ROW)};
#undef IG_HEAD_ROW

int32_t ig_bert_config_n_label(const ig_bert_config *c, ig_head_kind head)
{
    const int32_t n = c->head[head].n_label;
    if (n != 0)
        return n > 0 ? n : 0;
    return ig_heads[head]->usual != NULL ? ig_heads[head]->usual(c) : 0;
}

/* Sizes of a mixture of layers that a head reads. */
#define IG_HEAD_MIXTURE(id, file)                                                                  \
    {{.name = #file ".scalar_mix.weight",                                                          \
      .rows = IG_DIM_LAYERS,                                                                       \
      .init = IG_INIT_ZERO,                                                                        \
      .part = IG_PART_HEAD},                                                                       \
     {.name = #file ".scalar_mix.gamma", .init = IG_INIT_ONE, .part = IG_PART_HEAD}},
static const ig_param_row mixture[IG_N_HEAD][2] = {IG_HEAD_LIST(IG_HEAD_MIXTURE)};
#undef IG_HEAD_MIXTURE

const ig_param_row *ig_head_param(const ig_bert_config *c, ig_head_kind head, int i, int *at)
{
    const int n = ig_heads[head]->n_param;
    if (ig_bert_config_n_label(c, head) == 0 ||
        i >= n + (c->head[head].reads == IG_READ_MIX ? 2 : 0))
        return NULL;
    *at = i < n ? i : IG_HEAD_MIX + i - n;
    return i < n ? &ig_heads[head]->param[i] : &mixture[head][i - n];
}

int64_t ig_heads_room(const ig_bert_config *c, const ig_head_size *z)
{
    int64_t most = 0;
    for (int h = 0; h < IG_N_HEAD; h++) {
        if (ig_bert_config_n_label(c, (ig_head_kind)h) == 0)
            continue;
        const int64_t n = ig_heads[h]->room(c, z);
        most = n > most ? n : most;
    }
    return most;
}

void ig_head_read(const ig_head_call *h, float *rows, int first, int m)
{
    const int64_t d = h->net->config->hidden_size;
    if (h->t->at == NULL)
        h->x->run->copy(h->x, rows, h->hidden + first * d, m * d);
    else
        h->x->run->gather_rows(h->x, rows, h->hidden, h->t->at + first, m, (int)d);
}

void ig_head_give(const ig_head_call *h, const float *drows, int first, int m)
{
    const int64_t d = h->net->config->hidden_size;
    if (h->dhidden == NULL)
        return;
    if (h->t->at == NULL)
        h->x->run->copy(h->x, h->dhidden + first * d, drows, m * d);
    else
        h->x->run->scatter_add_rows(h->x, h->dhidden, drows, h->t->at + first, m, (int)d);
}

static float probability(const ig_bert_config *c, const ig_head_config *h, int place)
{
    const float own = place == 0 ? h->dropout : h->inner_dropout;
    return own == 0 ? c->hidden_dropout_prob : own > 0 ? own : 0;
}

static ig_tensors tensors_of(const ig_head_call *h)
{
    return (ig_tensors){h->x, h->net, h->offset, h->p, h->grad};
}

static ig_dense dense_of(const ig_head_call *h, const ig_head_dense *l)
{
    float *x = (float *)(uintptr_t)l->x;
    return (ig_dense){.w = l->w,
                      .bias = l->bias,
                      .m = l->m,
                      .x = {x, h->p->forward[l->w].k, false},
                      .y = {l->y, l->ld, false}};
}

void ig_head_dense_forward(const ig_head_call *h, const ig_head_dense *l)
{
    const ig_tensors k = tensors_of(h);
    const ig_dense dense = dense_of(h, l);
    ig_dense_forward(&k, &dense);
}

void ig_head_dense_backward(const ig_head_call *h, const ig_head_dense *l, float *dx, bool add)
{
    const ig_tensors k = tensors_of(h);
    const ig_dense dense = dense_of(h, l);
    ig_dense_grad(&k, &dense, false);
    ig_dense_back(&k, &dense, (ig_matrix){dx, dense.x.ld, false}, (ig_matrix){0}, add);
}

void ig_head_gelu_forward(const ig_head_call *h, const ig_head_transform *t, ig_epilogue gelu)
{
    const int d = h->net->config->hidden_size;
    h->x->run->linear(h->x,
                      &(ig_gemm){.m = t->m,
                                 .a = t->x,
                                 .lda = d,
                                 .c = t->z,
                                 .ldc = d,
                                 .epilogue = gelu,
                                 .bias = ig_net_weight(h->net, h->offset[t->bias]),
                                 .aux = t->slope,
                                 .ld_aux = d},
                      &h->p->forward[t->w]);
}

ig_norm_place ig_head_norm_place(const ig_head_call *h, const ig_head_transform *t)
{
    return (ig_norm_place){h->offset[t->norm_w], h->offset[t->norm_b]};
}

void ig_head_transform_forward(const ig_head_call *h, const ig_head_transform *t)
{
    const ig_norm_state to = {.out.x = t->out, .xhat = t->xhat, .rstd = t->rstd};
    ig_head_gelu_forward(h, t, ig_net_gelu(h->net));
    const ig_norm norm = ig_net_norm(h->net, ig_head_norm_place(h, t), t->m, t->z, &to);
    h->x->run->norm(h->x, &norm);
}

void ig_head_drop(const ig_head_call *h, float *rows, int d, int first, int m, int place)
{
    const ig_bert_config *c = h->net->config;
    const ig_head_config *own = &c->head[h->kind];
    /* Sites below are the embeddings' and the layers' (ig_net_dropout). */
    const uint32_t site = 3 * (uint32_t)c->num_hidden_layers + 1 + (uint32_t)h->kind +
                          IG_HEAD_SITES * (uint32_t)place;
    ig_dropout drop = ig_net_dropout(h->net, site, h->row0, probability(c, own, place));
    drop.row = (own->variational ? h->t->origin : h->t->row) + first;
    if (drop.p > 0)
        h->x->run->drop(h->x, rows, m, d, &drop);
}

int64_t ig_head_count(const ig_bert_config *c, ig_head_kind head, const ig_batch *b)
{
    const ig_targets *t = &b->target[head];
    return ig_heads[head]->count == NULL ? t->n : ig_heads[head]->count(c, t, b);
}

void ig_head_keep(const ig_head_call *h, const float *logits, int ld, int first, int m)
{
    const int n = ig_bert_config_n_label(h->net->config, h->kind);
    for (int i = 0; i < m && h->t->logits != NULL; i++)
        h->x->run->copy(h->x, h->t->logits + (int64_t)(first + i) * n, logits + (int64_t)i * ld, n);
}
