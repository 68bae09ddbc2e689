/* SPDX-License-Identifier: Apache-2.0
 *
 * The masked-language-model head (Devlin et al. 2019, §3.1; Hugging Face's BertForMaskedLM):
 * h = LN(gelu(x W_tᵀ + b_t)),  logits = h Eᵀ + b,  loss −log softmax(logits)[label], with E the
 * word embeddings (or a matrix of its own; without the transform h = x).
 */
#include "model/head/head.h"

#include <stddef.h>

enum { DENSE_W, DENSE_B, NORM_W, NORM_B, DECODER_W, DECODER_B, N_PARAM };

static bool has_transform(const ig_bert_config *c)
{
    return !c->no_transform;
}

static bool has_dense_bias(const ig_bert_config *c)
{
    return !c->no_transform && !c->no_head_bias;
}

static bool has_norm_bias(const ig_bert_config *c)
{
    return !c->no_transform && !c->no_norm_bias;
}

static bool has_decoder_bias(const ig_bert_config *c)
{
    return !c->no_decoder_bias;
}

static bool is_untied(const ig_bert_config *c)
{
    return c->untied;
}

static const ig_param_row params[N_PARAM] = {
    [DENSE_W] = {IG_HEAD_MATRIX("cls.predictions.transform.dense.weight", IG_DIM_D, IG_DIM_D),
                 .when = has_transform, .product = true},
    [DENSE_B] = {IG_HEAD_BIAS("cls.predictions.transform.dense.bias", IG_DIM_D),
                 .when = has_dense_bias},
    [NORM_W] = {IG_ROW_NORM_W(IG_PART_HEAD, "cls.predictions.transform.LayerNorm"),
                .when = has_transform},
    [NORM_B] = {IG_ROW_NORM_B(IG_PART_HEAD, "cls.predictions.transform.LayerNorm"),
                .when = has_norm_bias},
    [DECODER_W] = {"cls.predictions.decoder.weight", IG_DIM_LABELS, IG_DIM_D, IG_INIT_MATRIX,
                   .decay = true, .part = IG_PART_OUTPUT, .when = is_untied, .product = true,
                   .tied = true},
    [DECODER_B] = {IG_ROW_BIAS(IG_PART_BIAS, "cls.predictions.bias", IG_DIM_LABELS, IG_DIM_D),
                   .when = has_decoder_bias},
};

/* Buffers of the n_row targets that are computed at a time. */
typedef struct {
    int ld_logits;                    /* ≥ V */
    float *slope;                     /* [n_row, D], training */
    float *logits;                    /* [n_row, ld_logits] */
    float *row, *z, *xhat, *u, *rstd; /* [n_row, D]; rstd [n_row] */
} buffers;

/* Lays them out from `base` on (NULL: only counts); returns how many floats they are. */
static int64_t place(buffers *b, const ig_bert_config *c, int n_row, bool train, float *base)
{
    const int64_t n = (int64_t)n_row * c->hidden_size;
    int64_t used = 0;
    b->ld_logits = (ig_bert_config_n_label(c, IG_HEAD_MASKED) + 15) / 16 * 16 + 16;
    b->slope = train ? ig_take(base, &used, n) : NULL;
    b->logits = ig_take(base, &used, (int64_t)n_row * b->ld_logits);
    b->row = ig_take(base, &used, n);
    b->z = ig_take(base, &used, n);
    b->xhat = ig_take(base, &used, n);
    b->u = ig_take(base, &used, n);
    b->rstd = ig_take(base, &used, n_row);
    return used;
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    buffers none;
    return place(&none, c, z->n_row, z->train, NULL);
}

static ig_norm_place norm_place(const ig_head_call *h)
{
    return (ig_norm_place){h->offset[NORM_W], h->offset[NORM_B]};
}

static ig_norm_state norm_of(const buffers *b)
{
    return (ig_norm_state){.out.x = b->u, .xhat = b->xhat, .rstd = b->rstd};
}

/* h = LN(gelu(x W_tᵀ + b_t)) of the rows b->row, into b->u. */
static void transform(const ig_head_call *h, const buffers *b, int m)
{
    const int d = h->net->config->hidden_size;
    h->x->run->linear(h->x,
                      &(ig_gemm){.m = m,
                                 .a = b->row,
                                 .lda = d,
                                 .c = b->z,
                                 .ldc = d,
                                 .epilogue = ig_net_gelu(h->net),
                                 .bias = ig_net_weight(h->net, h->offset[DENSE_B]),
                                 .aux = b->slope,
                                 .ld_aux = d},
                      &h->p->forward[DENSE_W]);
    const ig_norm_state to = norm_of(b);
    const ig_norm norm = ig_net_norm(h->net, norm_place(h), m, b->z, &to);
    h->x->run->norm(h->x, &norm);
}

/* b->u: gradient of h on entry, of the rows on return. */
static void transform_back(const ig_head_call *h, const buffers *b, int m)
{
    const int d = h->net->config->hidden_size;
    const ig_norm_state from = norm_of(b);
    ig_norm_grad g = ig_net_norm_grad(h->net, norm_place(h), m, b->u, &from, h->grad);
    g.dx = b->z;
    h->x->run->norm_grad(h->x, &g);
    h->x->run->multiply(h->x, b->z, b->slope, (int64_t)m * d);
    ig_head_dense_backward(h, &(ig_head_dense){DENSE_W, DENSE_B, m, b->row, b->z, d}, b->u, false);
}

/* Runs `m` targets from `first` on. */
static void run_rows(const ig_head_call *h, const buffers *b, int first, int m)
{
    const ig_net *net = h->net;
    const ig_shard_targets *t = h->t;
    const int v = ig_bert_config_n_label(net->config, IG_HEAD_MASKED);
    const bool plain = net->config->no_transform;
    ig_head_read(h, plain ? b->u : b->row, first, m);
    if (!plain)
        transform(h, b, m);
    const ig_head_dense decoder = {DECODER_W, DECODER_B, m, b->u, b->logits, b->ld_logits};
    ig_head_dense_forward(h, &decoder);
    h->x->run->xent(h->x, &(ig_xent){b->logits, m, v, b->ld_logits, t->label + first, h->scale,
                                     net->train, t->nll + first, t->best + first});
    if (!net->train)
        return;
    ig_head_dense_backward(h, &decoder, b->u, false);
    if (!plain)
        transform_back(h, b, m);
    ig_head_give(h, b->u, first, m);
}

static void run_masked_lm(const ig_head_call *h)
{
    buffers b;
    place(&b, h->net->config, h->n_row, h->net->train, h->room);
    for (int first = 0; first < h->t->n; first += h->n_row)
        run_rows(h, &b, first, h->t->n - first < h->n_row ? h->t->n - first : h->n_row);
}

static int32_t vocabulary(const ig_bert_config *c)
{
    return c->vocab_size;
}

const ig_head ig_head_masked_lm = {.name = "masked words",
                                   .usual = vocabulary,
                                   .param = params,
                                   .n_param = N_PARAM,
                                   .room = room,
                                   .run = run_masked_lm};
