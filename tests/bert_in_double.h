/* SPDX-License-Identifier: Apache-2.0
 *
 * BertForMaskedLM's forward pass a second time, in double, token by token and without any of the
 * library's ops: what the engine's losses and gradients are checked against. Written from the
 * formulas (Devlin et al. 2019; dropout sites and the rule for PAD as in Hugging Face's program).
 */
#pragma once

#include "engine_fixture.h"

UNSANITIZED_BEGIN

/* A parameter that was found by its name: each is looked up some hundred thousand times. */
enum { TWIN_KNOWN = 256 };
typedef struct {
    char name[64]; /* "": none */
    int layer;
    int64_t offset;
} twin_known;

typedef struct {
    const ig_bert *model;
    const double *w;      /* weights, laid out as the model's */
    const double *pad_in; /* [D]: the PAD row as an input (its gradient as an input is left out) */
    const ig_pass *pass;
    const ig_edit *edit; /* of hidden states, in this order */
    int n_edit;
    double *pattern[16]; /* of a block: [N, H, P] its attention in place of its own, or NULL */
    bool records;        /* pattern is written instead */
    double *states;      /* [L + 1, N, D]: before block 0 and after each, for twin_loss; or NULL */
    int same;            /* how many of these were made of the weights at hand */
    twin_known known[TWIN_KNOWN];
} twin;

static inline const double *twin_at(const twin *t, int layer, const char *name)
{
    char full[120];
    uint32_t hash = 2166136261u ^ (uint32_t)layer;
    int n = 0;
    for (; name[n] != '\0'; n++)
        hash = (hash ^ (uint8_t)name[n]) * 16777619u;
    /* The only part of a twin that is written, and the same whoever writes it. */
    twin_known *known = &((twin *)t)->known[(hash ^ hash >> 16) % TWIN_KNOWN];
    int same = 0;
    while (same <= n && known->name[same] == name[same])
        same++;
    if (n > 0 && same > n && known->layer == layer)
        return t->w + known->offset;
    assert_true(n < (int)sizeof known->name);
    if (layer >= 0)
        snprintf(full, sizeof full, "bert.encoder.layer.%d.%s", layer, name);
    else
        snprintf(full, sizeof full, "%s", name);
    static const double none[256];
    const ig_bert_param *p = ig_bert_param_find(t->model, full);
    if (p == NULL && strstr(name, ".bias") != NULL) /* of a kind without */
        return none;
    assert_non_null(p);
    memcpy(known->name, name, (size_t)n + 1);
    known->layer = layer;
    known->offset = p->offset;
    return t->w + p->offset;
}

static inline double twin_drop(const twin *t, double p, uint32_t site, uint32_t row, uint32_t col,
                               double x)
{
    uint32_t out[4];
    const double threshold = floor(p * 65536 + 0.5);
    if (!t->pass->dropout || threshold <= 0)
        return x;
    ig_philox(t->pass->dropout_key, col / 8, row, site, t->pass->step, out);
    const uint32_t number = (out[col % 8 / 2] >> (16 * (col % 2))) & 0xffff;
    return number < threshold ? 0 : x / (1 - threshold / 65536);
}

static inline void twin_linear(double *y, const double *x, const double *w, const double *b,
                               int n_out, int n_in)
{
    for (int o = 0; o < n_out; o++) {
        double sum = b[o];
        for (int i = 0; i < n_in; i++)
            sum += w[o * n_in + i] * x[i];
        y[o] = sum;
    }
}

static inline void twin_norm(double *x, const double *gamma, const double *beta, int d, double eps)
{
    double mean = 0, var = 0;
    for (int i = 0; i < d; i++)
        mean += x[i] / d;
    for (int i = 0; i < d; i++)
        var += (x[i] - mean) * (x[i] - mean) / d;
    for (int i = 0; i < d; i++)
        x[i] = (x[i] - mean) / sqrt(var + eps) * gamma[i] + beta[i];
}

static inline void twin_gelu(const twin *t, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= 0.5 * (1 + (ig_bert_get_config(t->model)->gelu_tanh
                                ? tanh(sqrt(2 / acos(-1)) * (x[i] + 0.044715 * pow(x[i], 3)))
                                : erf(x[i] / sqrt(2.0))));
}

/* LayerNorm of a layer (−1: of the whole model) by the name of its weight without ".weight". */
static inline void twin_named_norm(const twin *t, int l, const char *name, double *x)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    char weight[80], bias[80];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    twin_norm(x, twin_at(t, l, weight), twin_at(t, l, bias), c->hidden_size,
              (double)c->layer_norm_eps);
}

/* Rotary positions: pair i of each head of v turns by pos · 10000^(−2i/dh). */
static inline void twin_rotate(double *v, int d, int dh, int pos)
{
    for (int e = 0; e < d; e += 2) {
        const double angle = pos * pow(10000, -(e % dh) / (double)dh), x = v[e], y = v[e + 1];
        v[e] = x * cos(angle) - y * sin(angle);
        v[e + 1] = x * sin(angle) + y * cos(angle);
    }
}

/* The part of the score of query i and key j from relative positions, for one head. */
static inline double twin_distance(const twin *t, int l, const double *q, const double *k, int i,
                                   int j, int dh)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    double sum = 0;
    if (c->position != IG_POSITION_RELATIVE_KEY && c->position != IG_POSITION_RELATIVE_KEY_QUERY)
        return 0;
    const double *r = twin_at(t, l, "attention.self.distance_embedding.weight") +
                      (i - j + c->max_position_embeddings - 1) * dh;
    for (int e = 0; e < dh; e++)
        sum += r[e] * (c->position == IG_POSITION_RELATIVE_KEY ? q[e] : q[e] + k[e]);
    return sum;
}

/* x [T, D] of one sequence, whose first row in the batch is row0, through block l. */
static inline void twin_block(const twin *t, int l, double *x, int n, uint32_t row0,
                              const int32_t *pos, bool causal)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size, f = c->intermediate_size, heads = c->num_attention_heads,
              dh = d / heads;
    const double p = (double)c->hidden_dropout_prob, pa = (double)c->attention_probs_dropout_prob;
    const uint32_t site = 3 * (uint32_t)l;
    double *q = calloc((size_t)(n * (6 * d + f)), sizeof *q), *k = q + n * d, *v = k + n * d,
           *ctx = v + n * d, *sum = ctx + n * d, *up = sum + n * d, *in = up + n * f;
    assert_non_null(q);
    memcpy(in, x, (size_t)(n * d) * sizeof *in);
    for (int i = 0; i < n; i++) {
        if (c->block == IG_BLOCK_PRE_NORM)
            twin_named_norm(t, l, "attention.ln", in + i * d);
        twin_linear(q + i * d, in + i * d, twin_at(t, l, "attention.self.query.weight"),
                    twin_at(t, l, "attention.self.query.bias"), d, d);
        twin_linear(k + i * d, in + i * d, twin_at(t, l, "attention.self.key.weight"),
                    twin_at(t, l, "attention.self.key.bias"), d, d);
        twin_linear(v + i * d, in + i * d, twin_at(t, l, "attention.self.value.weight"),
                    twin_at(t, l, "attention.self.value.bias"), d, d);
        if (c->position == IG_POSITION_ROTARY) {
            twin_rotate(q + i * d, d, dh, pos[i]);
            twin_rotate(k + i * d, d, dh, pos[i]);
        }
    }
    for (int i = 0; i < n; i++)
        for (int h = 0; h < heads; h++) {
            double total = 0;
            for (int pass = 0; pass < 2; pass++)
                for (int j = 0; j < (causal ? i + 1 : n); j++) {
                    double score = 0;
                    for (int e = h * dh; e < (h + 1) * dh; e++)
                        score += q[i * d + e] * k[j * d + e];
                    score += twin_distance(t, l, q + i * d + h * dh, k + j * d + h * dh, i, j, dh);
                    score = exp(score / sqrt(dh));
                    if (pass == 0) {
                        total += score;
                        continue;
                    }
                    const uint32_t row = (row0 + (uint32_t)i) * (uint32_t)heads + (uint32_t)h;
                    double *given = t->pattern[l];
                    if (given != NULL) {
                        given += row * (uint32_t)c->max_position_embeddings + (uint32_t)j;
                        *given = t->records ? score / total : *given;
                    }
                    const double a = twin_drop(t, pa, site + 1, row, (uint32_t)j,
                                               given != NULL ? *given : score / total);
                    for (int e = h * dh; e < (h + 1) * dh; e++)
                        ctx[i * d + e] += a * v[j * d + e];
                }
        }
    for (int i = 0; i < n; i++) {
        double *y = x + i * d, *s = sum + i * d;
        twin_linear(s, ctx + i * d, twin_at(t, l, "attention.output.dense.weight"),
                    twin_at(t, l, "attention.output.dense.bias"), d, d);
        for (int e = 0; e < d; e++)
            y[e] += twin_drop(t, p, site + 2, row0 + (uint32_t)i, (uint32_t)e, s[e]);
        if (c->block == IG_BLOCK_POST_NORM)
            twin_named_norm(t, l, "attention.output.LayerNorm", y);
        memcpy(in + i * d, y, (size_t)d * sizeof *in);
        if (c->block == IG_BLOCK_PRE_NORM)
            twin_named_norm(t, l, "ln", in + i * d);
        twin_linear(up + i * f, in + i * d, twin_at(t, l, "intermediate.dense.weight"),
                    twin_at(t, l, "intermediate.dense.bias"), f, d);
        twin_gelu(t, up + i * f, f);
        twin_linear(s, up + i * f, twin_at(t, l, "output.dense.weight"),
                    twin_at(t, l, "output.dense.bias"), d, f);
        for (int e = 0; e < d; e++)
            y[e] += twin_drop(t, p, site + 3, row0 + (uint32_t)i, (uint32_t)e, s[e]);
        if (c->block == IG_BLOCK_POST_NORM)
            twin_named_norm(t, l, "output.LayerNorm", y);
        else if (l + 1 == c->num_hidden_layers)
            twin_named_norm(t, -1, "bert.encoder.ln", y);
    }
    free(q);
}

#include "modern_in_double.h"

/* The edits of hidden state l. */
static inline void twin_edit(const twin *t, const ig_batch *b, int l, double *x)
{
    const int d = ig_bert_get_config(t->model)->hidden_size;
    double *old = calloc((size_t)d, sizeof *old);
    assert_non_null(old);
    for (int k = 0; k < t->n_edit; k++)
        for (int s = 0; s < b->n_seq; s++)
            for (int i = b->seq_start[s]; i < b->seq_start[s + 1]; i++) {
                const ig_edit *e = &t->edit[k];
                double *h = x + i * d;
                if (e->layer != l || (e->language >= 0 && e->language != b->language[s]))
                    continue;
                memcpy(old, h, (size_t)d * sizeof *old);
                for (int c = 0; c < d && e->kind == IG_EDIT_SHIFT; c++)
                    h[c] += (double)e->data[c];
                for (int r = 0; r < d && e->kind == IG_EDIT_MATRIX; r++) {
                    h[r] = 0;
                    for (int c = 0; c < d; c++)
                        h[r] += (double)e->data[r * d + c] * old[c];
                }
                for (int u = 0; u < e->n && e->kind == IG_EDIT_PROJECT; u++) {
                    double along = 0;
                    for (int c = 0; c < d; c++)
                        along += (double)e->data[u * d + c] * old[c];
                    for (int c = 0; c < d; c++)
                        h[c] -= along * (double)e->data[u * d + c];
                }
                for (int u = 0; u < e->n && e->kind == IG_EDIT_ROWS; u++)
                    for (int c = 0; c < d && e->row[u] == i; c++)
                        h[c] = (double)e->data[u * d + c];
            }
    free(old);
}

/* The states [N, D] that the first block reads. */
static inline void twin_embed(const twin *t, const ig_batch *b, double *x)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size;
    const bool placed = c->position == IG_POSITION_LEARNED || c->position == IG_POSITION_SINUSOIDAL;
    const double *word = twin_at(t, -1, "bert.embeddings.word_embeddings.weight"),
                 *position =
                     placed ? twin_at(t, -1, "bert.embeddings.position_embeddings.weight") : NULL,
                 *segment = c->block == IG_BLOCK_MODERN
                                ? NULL
                                : twin_at(t, -1, "bert.embeddings.token_type_embeddings.weight");
    for (int i = 0; i < b->n_tok; i++) {
        const double *in = b->id[i] == c->pad_token_id ? t->pad_in : word + b->id[i] * d;
        for (int e = 0; e < d; e++)
            x[i * d + e] = in[e] + (placed ? position[b->pos[i] * d + e] : 0) +
                           (segment != NULL ? segment[b->seg[i] * d + e] : 0);
        if (c->block != IG_BLOCK_PRE_NORM)
            twin_named_norm(t, -1, "bert.embeddings.LayerNorm", x + i * d);
        for (int e = 0; e < d; e++)
            x[i * d + e] = twin_drop(t, (double)c->hidden_dropout_prob, 0, (uint32_t)i, (uint32_t)e,
                                     x[i * d + e]);
    }
    twin_edit(t, b, 0, x);
}

/* Through block l. */
static inline void twin_layer(const twin *t, const ig_batch *b, int l, double *x)
{
    const int d = ig_bert_get_config(t->model)->hidden_size;
    for (int s = 0; s < b->n_seq; s++)
        (ig_bert_get_config(t->model)->block == IG_BLOCK_MODERN ? twin_modern_block : twin_block)(
            t, l, x + b->seq_start[s] * d, b->seq_start[s + 1] - b->seq_start[s],
            (uint32_t)b->seq_start[s], b->pos + b->seq_start[s],
            ig_bert_get_config(t->model)->causal || b->causal);
    twin_edit(t, b, l + 1, x);
}

/* All states but those that are the same. */
static inline void twin_renew(const twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int n = b->n_tok * c->hidden_size;
    if (t->same == 0)
        twin_embed(t, b, t->states);
    for (int l = t->same > 0 ? t->same - 1 : 0; l < c->num_hidden_layers; l++) {
        memcpy(t->states + (l + 1) * n, t->states + l * n, (size_t)n * sizeof *t->states);
        twin_layer(t, b, l, t->states + (l + 1) * n);
    }
}

/* How many states do not depend on a parameter of this name. */
static inline int twin_same(const ig_bert_config *c, const char *name)
{
    int layer;
    if (sscanf(name, "bert.encoder.layer.%d.", &layer) == 1)
        return layer + 1;
    if (strncmp(name, "bert.", 5) != 0 || strncmp(name, "bert.pooler.", 12) == 0)
        return c->num_hidden_layers + 1;
    return 0;
}

/* Hidden states [N, D] after `n_layer` blocks. */
static inline void twin_encode(const twin *t, const ig_batch *b, int n_layer, double *x)
{
    const int n = b->n_tok * ig_bert_get_config(t->model)->hidden_size;
    if (t->states != NULL) {
        memcpy(x, t->states + n_layer * n, (size_t)n * sizeof *x);
        return;
    }
    twin_embed(t, b, x);
    for (int l = 0; l < n_layer; l++)
        twin_layer(t, b, l, x);
}

/* The patterns of edits of attention: uniform, or those of the other model's own pass. */
static inline void twin_patch(twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int heads = c->num_attention_heads, p = c->max_position_embeddings, d = c->hidden_size;
    static const ig_pass no_dropout;
    for (int k = 0; k < t->n_edit; k++) {
        const ig_edit *e = &t->edit[k];
        if (e->kind != IG_EDIT_ATTENTION)
            continue;
        const size_t n = (size_t)(b->n_tok * heads * p);
        double *to = t->pattern[e->layer - 1] = calloc(n, sizeof *to);
        assert_non_null(to);
        for (int s = 0; s < b->n_seq && e->model == NULL; s++)
            for (int i = b->seq_start[s] * heads; i < b->seq_start[s + 1] * heads; i++)
                for (int j = 0; j < b->seq_start[s + 1] - b->seq_start[s]; j++)
                    to[i * p + j] = 1.0 / (b->seq_start[s + 1] - b->seq_start[s]);
        if (e->model == NULL)
            continue;
        const int64_t n_weight = ig_bert_n_weight(e->model);
        double *w = calloc((size_t)(n_weight + b->n_tok * d), sizeof *w);
        assert_non_null(w);
        for (int64_t i = 0; i < n_weight; i++)
            w[i] = (double)ig_bert_weights(e->model)[i];
        twin other = {.model = e->model, .w = w, .pass = &no_dropout, .records = true};
        other.pad_in = twin_at(&other, -1, "bert.embeddings.word_embeddings.weight") +
                       (c->pad_token_id > 0 ? c->pad_token_id * d : 0);
        other.pattern[e->layer - 1] = to;
        twin_encode(&other, b, e->layer, w + n_weight);
        free(w);
    }
}

/* The input of a head [N, D]. */
static inline void twin_read(const twin *t, const ig_batch *b, ig_head_kind head, double *x)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int n = b->n_tok * c->hidden_size, n_layer = c->num_hidden_layers;
    static const char *const file[] = {
        "masked_lm", "next_sentence", "sequence_classification", "token_classification",
        "crf",       "parser"};
    char name[2][64];
    if (c->head[head].reads != IG_READ_MIX) {
        twin_encode(t, b, c->head[head].reads == IG_READ_LAST ? n_layer : c->head[head].layer, x);
        return;
    }
    for (int k = 0; k < 2; k++)
        snprintf(name[k], sizeof name[k], "%s.scalar_mix.%s", file[head],
                 k == 0 ? "weight" : "gamma");
    const double *weight = twin_at(t, -1, name[0]), *gamma = twin_at(t, -1, name[1]);
    double sum = 0, *one = calloc((size_t)n, sizeof *one);
    assert_non_null(one);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int l = 0; l < n_layer; l++)
        sum += exp(weight[l]);
    for (int l = 0; l < n_layer; l++) {
        twin_encode(t, b, l + 1, one);
        for (int i = 0; i < n; i++)
            x[i] += gamma[0] * exp(weight[l]) / sum * one[i];
    }
    free(one);
}

/* Σ −log p of the next-sentence labels, in units of a masked token's loss. */
static inline double twin_next_loss(const twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size;
    if (ig_bert_config_n_label(c, IG_HEAD_NEXT) == 0)
        return 0;
    double *x = calloc((size_t)(b->n_tok * d + d), sizeof *x), *h = x + b->n_tok * d, loss = 0;
    assert_non_null(x);
    twin_read(t, b, IG_HEAD_NEXT, x);
    for (int i = 0; i < b->target[IG_HEAD_NEXT].n; i++) {
        double logit[2];
        twin_linear(h, x + b->target[IG_HEAD_NEXT].row[i] * d,
                    twin_at(t, -1, "bert.pooler.dense.weight"),
                    twin_at(t, -1, "bert.pooler.dense.bias"), d, d);
        for (int e = 0; e < d; e++)
            h[e] = tanh(h[e]);
        twin_linear(logit, h, twin_at(t, -1, "cls.seq_relationship.weight"),
                    twin_at(t, -1, "cls.seq_relationship.bias"), 2, d);
        loss += log(exp(logit[0]) + exp(logit[1])) - logit[b->target[IG_HEAD_NEXT].label[i]];
    }
    free(x);
    return loss * (double)t->pass->scale[IG_HEAD_NEXT] / (double)t->pass->scale[IG_HEAD_MASKED];
}

/* Σ −log p of the classes of tokens or sequences, in units of a masked token's loss. */
static inline double twin_class_loss(const twin *t, const ig_batch *b, ig_head_kind head)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size, n = ig_bert_config_n_label(c, head);
    const uint32_t site = 3 * (uint32_t)c->num_hidden_layers + 1 + (uint32_t)head;
    if (n == 0)
        return 0;
    double *x = calloc((size_t)(b->n_tok * d + d), sizeof *x), *h = x + b->n_tok * d, loss = 0;
    double *logit = calloc((size_t)n, sizeof *logit);
    assert_true(x != NULL && logit != NULL);
    twin_read(t, b, head, x);
    for (int i = 0; i < b->target[head].n; i++) {
        const int row = b->target[head].row[i];
        double sum = 0;
        memcpy(h, x + row * d, (size_t)d * sizeof *h);
        if (head == IG_HEAD_SEQUENCE)
            twin_linear(h, x + row * d, twin_at(t, -1, "bert.pooler.dense.weight"),
                        twin_at(t, -1, "bert.pooler.dense.bias"), d, d);
        for (int e = 0; e < d; e++)
            h[e] = twin_drop(t, (double)c->hidden_dropout_prob, site, (uint32_t)row, (uint32_t)e,
                             head == IG_HEAD_SEQUENCE ? tanh(h[e]) : h[e]);
        twin_linear(logit, h, twin_at(t, -1, "classifier.weight"),
                    twin_at(t, -1, "classifier.bias"), n, d);
        for (int k = 0; k < n; k++)
            sum += exp(logit[k]);
        loss += log(sum) - logit[b->target[head].label[i]];
    }
    free(x);
    free(logit);
    return loss * (double)t->pass->scale[head] / (double)t->pass->scale[IG_HEAD_MASKED];
}

#include "crf_in_double.h"
#include "isoglot/batch.h"
#include "parser_in_double.h"

/* Σ −log p of the labels. */
static inline double twin_loss(const twin *t, const ig_batch *b)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const int d = c->hidden_size;
    twin_renew(t, b);
    const double classes = twin_next_loss(t, b) + twin_class_loss(t, b, IG_HEAD_SEQUENCE) +
                           twin_class_loss(t, b, IG_HEAD_TOKEN) + twin_crf_loss(t, b) +
                           twin_parser_loss(t, b);
    if (ig_bert_config_n_label(c, IG_HEAD_MASKED) == 0)
        return classes;
    const double *word = twin_at(t, -1,
                                 c->untied ? "cls.predictions.decoder.weight"
                                           : "bert.embeddings.word_embeddings.weight"),
                 *bias = twin_at(t, -1, "cls.predictions.bias");
    double *x = calloc((size_t)(b->n_tok * d + d), sizeof *x), *h = x + b->n_tok * d, loss = 0;
    assert_non_null(x);
    twin_read(t, b, IG_HEAD_MASKED, x);
    for (int i = 0; i < b->target[IG_HEAD_MASKED].n; i++) {
        memcpy(h, x + b->target[IG_HEAD_MASKED].row[i] * d, (size_t)d * sizeof *h);
        if (!c->no_transform) {
            twin_linear(h, x + b->target[IG_HEAD_MASKED].row[i] * d,
                        twin_at(t, -1, "cls.predictions.transform.dense.weight"),
                        twin_at(t, -1, "cls.predictions.transform.dense.bias"), d, d);
            twin_gelu(t, h, d);
            twin_named_norm(t, -1, "cls.predictions.transform.LayerNorm", h);
        }
        double total = 0, own = 0;
        for (int v = 0; v < c->vocab_size; v++) {
            double logit = bias[v];
            for (int e = 0; e < d; e++)
                logit += word[v * d + e] * h[e];
            total += exp(logit);
            if (v == b->target[IG_HEAD_MASKED].label[i])
                own = logit;
        }
        loss += log(total) - own;
    }
    free(x);
    return loss + classes;
}

UNSANITIZED_END
