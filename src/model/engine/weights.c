/* SPDX-License-Identifier: Apache-2.0
 *
 * Packs a model's matrices as operands of products. A table of them is made once and traversed
 * after each update.
 */
#include "model/engine/weights.h"

#include "base/memory.h"
#include "model/head/head.h"
#include "model/separate.h"

/* Counts when `w` is NULL; else assigns data and offsets. */
typedef struct {
    const ig_ops *ops;
    ig_packing packing;
    bool block; /* the next are a block's */
    ig_weights *w;
    int64_t n_float;
    int n_weight;
} placer;

/* W [n_out, n_in] for y = x · Wᵀ (forward) or dx = dy · W. */
static void place(placer *q, ig_weight *p, int64_t from, int n_out, int n_in, bool forward)
{
    const int k = forward ? n_in : n_out, n = forward ? n_out : n_in;
    const bool packed =
        q->packing == IG_PACK_ALL || (q->packing == IG_PACK_BLOCKS && q->block && forward);
    if (q->w != NULL) {
        *p = (ig_weight){.k = k, .n = n, .ldb = n_in, .form = forward ? IG_B_COLS : IG_B_ROWS};
        if (packed)
            p->data = q->w->block + q->n_float;
        q->w->weight[q->n_weight] = p;
        q->w->from[q->n_weight] = from;
    }
    if (packed)
        q->n_float += (q->ops->pack_size(k, n) + 15) / 16 * 16;
    q->n_weight++;
}

/* The operands of a head, or of a block, in both directions. */
static void place_table(placer *q, ig_products *p, const int64_t *offset, const ig_bert_config *c,
                        int head)
{
    q->block = head == IG_OF_BLOCK;
    for (int i = 0, n_out, n_in; i < ig_param_table_of(c, head).n; i++)
        if (ig_param_product(c, head, i, &n_out, &n_in)) {
            place(q, &p->forward[i], offset[i], n_out, n_in, true);
            place(q, &p->backward[i], offset[i], n_out, n_in, false);
        }
}

static void place_heads(placer *q, ig_products *p, const ig_bert_offsets *o,
                        const ig_bert_config *c)
{
    for (int h = 0; h < IG_N_HEAD; h++)
        place_table(q, &p[h], o->head[h], c, h);
}

static void place_project(placer *q, ig_weights *w, const ig_bert_offsets *o,
                          const ig_bert_config *c)
{
    q->block = false;
    if (ig_bert_is_projected(c))
        place(q, &w->project, o->project_w, c->hidden_size, ig_bert_embedding(c), true);
}

static bool separate_head(const ig_bert_config *c)
{
    const ig_bert_separate *s = &c->separate;
    return ig_bert_n_language(c) > 1 && (s->head || s->words || s->output);
}

/* Counts the sizes alone. */
static placer count(const ig_bert_config *c, const ig_ops *ops, ig_packing packing, int *n_block)
{
    placer q = {.ops = ops, .packing = packing};
    placer one = q;
    ig_products block, head[IG_N_HEAD];
    const int n_language = ig_bert_n_language(c);
    *n_block = c->num_hidden_layers;
    for (int l = 0; l < c->num_hidden_layers && n_language > 1; l++)
        if (ig_bert_separate_layer(&c->separate, l))
            *n_block += n_language - 1;
    place_table(&one, &block, (int64_t[IG_MAX_PARAM]){0}, c, IG_OF_BLOCK);
    for (int k = 0; k < (separate_head(c) ? n_language : 1); k++)
        place_heads(&q, head, &(ig_bert_offsets){0}, c);
    place_project(&q, &(ig_weights){0}, &(ig_bert_offsets){0}, c);
    q.n_float += one.n_float * *n_block;
    q.n_weight += one.n_weight * *n_block;
    return q;
}

int64_t ig_weights_bytes(const ig_bert_config *c, const ig_ops *ops, ig_packing packing)
{
    int n_block;
    return count(c, ops, packing, &n_block).n_float * (int64_t)sizeof(float);
}

int64_t ig_weights_to_infer(const ig_bert_config *c, const ig_ops *ops)
{
    enum { MOST_BYTES = 512 << 20 };
    for (int h = 0; h < IG_N_HEAD; h++)
        if (c->head[h].lstm_layers > 0) /* its recurrent matrices are packed in the team's buffer */
            return 0;
    const int64_t bytes = ig_weights_bytes(c, ops, IG_PACK_BLOCKS);
    return bytes <= MOST_BYTES ? bytes : 0;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t ig_weights_room(const ig_bert_config *c, const ig_ops *ops, int64_t n_tok)
{
    int64_t most = 0;
    for (int h = IG_OF_BLOCK; h < IG_N_HEAD; h++)
        for (int i = 0, n_out, n_in; i < ig_param_table_of(c, h).n; i++)
            if (ig_param_product(c, h, i, &n_out, &n_in))
                most = larger(larger(most, ops->pack_size((int)n_tok, n_in)),
                              larger(ops->pack_size(n_out, n_in), ops->pack_size(n_in, n_out)));
    if (ig_bert_is_projected(c))
        most = larger(most, ops->pack_size(ig_bert_embedding(c), c->hidden_size));
    return most;
}

ig_code ig_weights_make(ig_weights *w, const ig_bert *model, const ig_ops *ops, ig_packing packing,
                        ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(model);
    const int n_layer = c->num_hidden_layers, n_language = ig_bert_n_language(c);
    int n_block;
    placer q = count(c, ops, packing, &n_block);
    *w = (ig_weights){.n_weight = q.n_weight, .device = ig_bert_get_device(model)};
    ig_code code = ig_alloc(&w->layer, n_block, sizeof *w->layer, "table of weights", err);
    IG_THEN(code, ig_alloc(&w->head, (int64_t)n_language * IG_N_HEAD, sizeof *w->head,
                           "table of weights", err));
    IG_THEN(code, ig_alloc(&w->layer_of, (int64_t)n_layer * n_language, sizeof *w->layer_of,
                           "table of weights", err));
    IG_THEN(code, ig_alloc(&w->head_of, n_language, sizeof *w->head_of, "table of weights", err));
    IG_THEN(code, ig_alloc(&w->weight, q.n_weight, sizeof(ig_weight *), "table of weights", err));
    IG_THEN(code, ig_alloc(&w->from, q.n_weight, sizeof *w->from, "table of weights", err));
    if (code == IG_ERR_OK && packing != IG_PACK_NOTHING)
        code = w->device->alloc(&w->block, q.n_float, sizeof *w->block, "packed weights", err);
    if (code != IG_ERR_OK) {
        ig_weights_free(w);
        return code;
    }
    q = (placer){.ops = ops, .packing = packing, .w = w};
    n_block = 0;
    for (int k = 0; k < n_language; k++) {
        for (int l = 0; l < n_layer; l++) {
            if (k > 0 && !ig_bert_separate_layer(&c->separate, l)) {
                w->layer_of[k * n_layer + l] = w->layer_of[l];
                continue;
            }
            w->layer_of[k * n_layer + l] = n_block;
            place_table(&q, &w->layer[n_block++], ig_bert_get_layer_offsets(model, k)[l].at, c,
                        IG_OF_BLOCK);
        }
        if (k > 0 && !separate_head(c))
            continue;
        const ig_bert_offsets o = ig_bert_get_offsets(model, k);
        w->head_of[k] = k;
        place_heads(&q, w->head + (int64_t)k * IG_N_HEAD, &o, c);
    }
    const ig_bert_offsets first = ig_bert_get_offsets(model, 0);
    place_project(&q, w, &first, c);
    return IG_ERR_OK;
}

void ig_weights_free(ig_weights *w)
{
    IG_FREE(w->layer, w->layer_of, w->head, w->head_of, w->weight, w->from);
    if (w->device != NULL)
        w->device->free(w->block);
    *w = (ig_weights){0};
}

void ig_weights_fill(ig_weights *w, const float *block, const ig_exec *x)
{
    for (int i = 0; i < w->n_weight; i++)
        w->weight[i]->b = block + w->from[i];
    if (x != NULL)
        x->run->pack(x, w->weight, w->n_weight);
}
