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
    IG_HEAD_TRANSFORM(DENSE_W, DENSE_B, NORM_W, NORM_B),
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

/* h = LN(gelu(x W_tᵀ + b_t)) of the rows b->row, into b->u. */
static ig_head_transform transform_of(const buffers *b, int m)
{
    return (ig_head_transform){.w = DENSE_W,
                               .bias = DENSE_B,
                               .norm_w = NORM_W,
                               .norm_b = NORM_B,
                               .m = m,
                               .x = b->row,
                               .z = b->z,
                               .slope = b->slope,
                               .out = b->u,
                               .xhat = b->xhat,
                               .rstd = b->rstd};
}

/* b->u: gradient of h on entry, of the rows on return. */
static void transform_back(const ig_head_call *h, const buffers *b, int m)
{
    const int d = h->net->config->hidden_size;
    const ig_head_transform t = transform_of(b, m);
    const ig_norm_state from = {.out.x = b->u, .xhat = b->xhat, .rstd = b->rstd};
    ig_norm_grad g = ig_net_norm_grad(h->net, ig_head_norm_place(h, &t), m, b->u, &from, h->grad);
    g.dx = b->z;
    h->x->run->norm_grad(h->x, &g);
    h->x->run->multiply(h->x, b->z, b->slope, (int64_t)m * d);
    ig_head_dense_backward(h, &(ig_head_dense){DENSE_W, DENSE_B, m, b->row, b->z, d}, b->u, false);
}

/* Runs `m` targets from `first` on. */
static void run_rows(const ig_head_call *h, const buffers *b, int first, int m)
{
    const ig_net *net = h->net;
    const ig_shard_targets *of = h->t;
    const int v = ig_bert_config_n_label(net->config, IG_HEAD_MASKED);
    const bool plain = net->config->no_transform;
    ig_head_read(h, plain ? b->u : b->row, first, m);
    const ig_head_transform t = transform_of(b, m);
    if (!plain)
        ig_head_transform_forward(h, &t);
    const ig_head_dense decoder = {DECODER_W, DECODER_B, m, b->u, b->logits, b->ld_logits};
    ig_head_dense_forward(h, &decoder);
    h->x->run->xent(h->x, &(ig_xent){b->logits, m, v, b->ld_logits, of->label + first, h->scale,
                                     net->train, of->nll + first, of->best + first});
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
