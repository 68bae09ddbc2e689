/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequence classification (Devlin et al. 2019, §4.1; Hugging Face's BertForSequenceClassification):
 * from the state h of a sequence's first token, t = tanh(W h + b), after dropout logits C t + c,
 * loss −log softmax(logits)[label]. Heads of other families have another t (ig_pooler_kind),
 * forward alone: DistilBERT's ReLU, ELECTRA's GELU, ModernBERT's transform of masked words.
 */
#include "model/head/head.h"

#include <stddef.h>

enum { POOLER_W, POOLER_B, CLASS_W, CLASS_B, DENSE_W, DENSE_B, NORM_W, NORM_B, N_PARAM };

static ig_pooler_kind kind_of(const ig_bert_config *c)
{
    return c->head[IG_HEAD_SEQUENCE].pooler;
}

static bool has_pooler(const ig_bert_config *c)
{
    return kind_of(c) != IG_POOLER_NORM;
}

static bool has_transform(const ig_bert_config *c)
{
    return kind_of(c) == IG_POOLER_NORM;
}

static bool has_dense_bias(const ig_bert_config *c)
{
    return has_transform(c) && !c->no_head_bias;
}

static bool has_norm_bias(const ig_bert_config *c)
{
    return has_transform(c) && !c->no_norm_bias;
}

static const ig_param_row params[N_PARAM] = {
    [POOLER_W] = {IG_HEAD_MATRIX("bert.pooler.dense.weight", IG_DIM_D, IG_DIM_D),
                  .when = has_pooler, .product = true},
    [POOLER_B] = {IG_HEAD_BIAS("bert.pooler.dense.bias", IG_DIM_D), .when = has_pooler},
    [CLASS_W] = {IG_HEAD_MATRIX("classifier.weight", IG_DIM_LABELS, IG_DIM_D), .product = true},
    [CLASS_B] = {IG_HEAD_BIAS("classifier.bias", IG_DIM_LABELS)},
    IG_HEAD_TRANSFORM(DENSE_W, DENSE_B, NORM_W, NORM_B),
};

/* Buffers of the sequences that are computed at a time. */
typedef struct {
    int ld;
    float *logits;      /* [n_row, ld] */
    float *row, *t, *u; /* [n_row, D]: h, its tanh, that after dropout */
    float *xhat, *rstd; /* [n_row, D], [n_row] of a transform */
} buffers;

static int64_t place(buffers *b, const ig_bert_config *c, int n_row, float *base)
{
    const int64_t n = (int64_t)n_row * c->hidden_size;
    int64_t used = 0;
    b->ld = (ig_bert_config_n_label(c, IG_HEAD_SEQUENCE) + 15) / 16 * 16 + 16;
    b->logits = ig_take(base, &used, (int64_t)n_row * b->ld);
    b->row = ig_take(base, &used, n);
    b->t = ig_take(base, &used, n);
    b->u = ig_take(base, &used, n);
    b->xhat = has_transform(c) ? ig_take(base, &used, n) : NULL;
    b->rstd = has_transform(c) ? ig_take(base, &used, n_row) : NULL;
    return used;
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    buffers none;
    return place(&none, c, z->n_row, NULL);
}

/* Reads the gradient of the logits in b->logits. */
static void back(const ig_head_call *h, const buffers *b, int first, int m)
{
    const int d = h->net->config->hidden_size;
    ig_head_dense_backward(h, &(ig_head_dense){CLASS_W, CLASS_B, m, b->u, b->logits, b->ld}, b->u,
                           false);
    ig_head_drop(h, b->u, d, first, m, 0);
    h->x->run->tanh_grad(h->x, b->u, b->t, (int64_t)m * d);
    ig_head_dense_backward(h, &(ig_head_dense){POOLER_W, POOLER_B, m, b->row, b->u, d}, b->t,
                           false);
    ig_head_give(h, b->t, first, m);
}

/* t of the rows. */
static void pool(const ig_head_call *h, const buffers *b, int m)
{
    const int d = h->net->config->hidden_size;
    const ig_pooler_kind kind = kind_of(h->net->config);
    const ig_head_transform to = {.w = kind == IG_POOLER_NORM ? DENSE_W : POOLER_W,
                                  .bias = kind == IG_POOLER_NORM ? DENSE_B : POOLER_B,
                                  .norm_w = NORM_W,
                                  .norm_b = NORM_B,
                                  .m = m,
                                  .x = b->row,
                                  .z = kind == IG_POOLER_NORM ? b->u : b->t,
                                  .out = b->t,
                                  .xhat = b->xhat,
                                  .rstd = b->rstd};
    if (kind == IG_POOLER_NORM) {
        ig_head_transform_forward(h, &to);
    } else if (kind == IG_POOLER_GELU) {
        ig_head_gelu_forward(h, &to, IG_EPI_BIAS_GELU);
    } else {
        ig_head_dense_forward(h, &(ig_head_dense){POOLER_W, POOLER_B, m, b->row, b->t, d});
        (kind == IG_POOLER_RELU ? h->x->run->relu : h->x->run->tanh)(h->x, b->t, (int64_t)m * d);
    }
}

static void run_rows(const ig_head_call *h, const buffers *b, int first, int m)
{
    const int d = h->net->config->hidden_size;
    const int n = ig_bert_config_n_label(h->net->config, IG_HEAD_SEQUENCE);
    ig_head_read(h, b->row, first, m);
    pool(h, b, m);
    h->x->run->copy(h->x, b->u, b->t, (int64_t)m * d);
    ig_head_drop(h, b->u, d, first, m, 0);
    ig_head_dense_forward(h, &(ig_head_dense){CLASS_W, CLASS_B, m, b->u, b->logits, b->ld});
    ig_head_keep(h, b->logits, b->ld, first, m);
    h->x->run->xent(h->x, &(ig_xent){b->logits, m, n, b->ld, h->t->label + first, h->scale,
                                     h->net->train, h->t->nll + first, h->t->best + first});
    if (h->net->train)
        back(h, b, first, m);
}

static void run_sequence_classification(const ig_head_call *h)
{
    buffers b;
    place(&b, h->net->config, h->n_row, h->room);
    for (int first = 0; first < h->t->n; first += h->n_row)
        run_rows(h, &b, first, h->t->n - first < h->n_row ? h->t->n - first : h->n_row);
}

const ig_head ig_head_sequence_classification = {.name = "labels of sequences",
                                                 .least_label = 2,
                                                 .most_label = 1 << 20,
                                                 .architecture = "ForSequenceClassification",
                                                 .logits = true,
                                                 .param = params,
                                                 .n_param = N_PARAM,
                                                 .room = room,
                                                 .run = run_sequence_classification};
