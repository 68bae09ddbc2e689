/* SPDX-License-Identifier: Apache-2.0
 *
 * Token classification (Devlin et al. 2019, §5.3; Hugging Face's BertForTokenClassification): from
 * a token's state, after dropout, logits C h + c, loss −log softmax(logits)[label]. ModernBERT's
 * has the transform of masked words before, forward alone.
 */
#include "model/head/head.h"

enum { CLASS_W, CLASS_B, DENSE_W, DENSE_B, NORM_W, NORM_B, N_PARAM };

static bool has_transform(const ig_bert_config *c)
{
    return c->head[IG_HEAD_TOKEN].pooler == IG_POOLER_NORM;
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
    [CLASS_W] = {IG_HEAD_MATRIX("classifier.weight", IG_DIM_LABELS, IG_DIM_D), .product = true},
    [CLASS_B] = {IG_HEAD_BIAS("classifier.bias", IG_DIM_LABELS)},
    IG_HEAD_TRANSFORM(DENSE_W, DENSE_B, NORM_W, NORM_B),
};

static int ld_logits(const ig_bert_config *c)
{
    return (ig_bert_config_n_label(c, IG_HEAD_TOKEN) + 15) / 16 * 16 + 16;
}

static int64_t room(const ig_bert_config *c, const ig_head_size *z)
{
    const int64_t wide = (c->hidden_size + 15) / 16 * 16,
                  n = has_transform(c) ? 3 * wide + 1 : wide;
    return (int64_t)z->n_row * (ld_logits(c) + n);
}

static void run_rows(const ig_head_call *h, int first, int m)
{
    const ig_bert_config *c = h->net->config;
    const ig_shard_targets *t = h->t;
    const int d = c->hidden_size, n = ig_bert_config_n_label(c, IG_HEAD_TOKEN), ld = ld_logits(c);
    float *logits = h->room, *row = logits + (int64_t)h->n_row * ld;
    ig_head_read(h, row, first, m);
    if (has_transform(c)) {
        const int64_t wide = (int64_t)h->n_row * ((d + 15) / 16 * 16);
        ig_head_transform_forward(h, &(ig_head_transform){.w = DENSE_W,
                                                          .bias = DENSE_B,
                                                          .norm_w = NORM_W,
                                                          .norm_b = NORM_B,
                                                          .m = m,
                                                          .x = row,
                                                          .z = row + wide,
                                                          .out = row,
                                                          .xhat = row + 2 * wide,
                                                          .rstd = row + 3 * wide});
    }
    ig_head_drop(h, row, d, first, m, 0);
    const ig_head_dense classes = {CLASS_W, CLASS_B, m, row, logits, ld};
    ig_head_dense_forward(h, &classes);
    ig_head_keep(h, logits, ld, first, m);
    h->x->run->xent(h->x, &(ig_xent){logits, m, n, ld, t->label + first, h->scale, h->net->train,
                                     t->nll + first, t->best + first});
    if (!h->net->train)
        return;
    ig_head_dense_backward(h, &classes, row, false);
    ig_head_drop(h, row, d, first, m, 0);
    ig_head_give(h, row, first, m);
}

static void run_token_classification(const ig_head_call *h)
{
    for (int first = 0; first < h->t->n; first += h->n_row)
        run_rows(h, first, h->t->n - first < h->n_row ? h->t->n - first : h->n_row);
}

const ig_head ig_head_token_classification = {.name = "labels of tokens",
                                              .least_label = 2,
                                              .most_label = 1 << 20,
                                              .architecture = "ForTokenClassification",
                                              .logits = true,
                                              .param = params,
                                              .n_param = N_PARAM,
                                              .room = room,
                                              .run = run_token_classification};
