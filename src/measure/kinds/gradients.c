/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `gradients`: the cosine of the gradients of two languages' losses on the
 * development text (as between tasks in Yu et al. 2020, "Gradient Surgery", §2.2, and between
 * languages in Wang et al. 2021, "Gradient Vaccine", §3.1), by group of parameters: embeddings
 * (layer 0), each block, the head, all. The loss is that of `perplexity`.
 */
#include "base/memory.h"
#include "isoglot/batch.h"
#include "measure/measure_list.h"
#include "model/bert_params.h"
#include "model/device/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = -1 };

/* 0 embeddings, l of block l, HEAD. Families call their layers "layer.0", "layers.0" or "h.0". */
static int group_of(const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        int number;
        if ((at == name || at[-1] == '.') &&
            (sscanf(at, "layer.%d.", &number) == 1 || sscanf(at, "layers.%d.", &number) == 1 ||
             sscanf(at, "h.%d.", &number) == 1))
            return number + 1;
    }
    return strstr(name, "embed") != NULL || strstr(name, "wte") != NULL ||
                   strstr(name, "wpe") != NULL
               ? 0
               : HEAD;
}

/* Adds the gradient of a language's sequences. *any: one of their tokens is predicted; of none
 * there is no gradient. */
static ig_code add_gradient(bool *any, ig_engine *e, ig_batcher *batcher, int language,
                            const ig_measure_options *o, const ig_measure_with *with, ig_err *err)
{
    const int64_t end = ig_batcher_first(batcher, language + 1);
    int64_t from = ig_batcher_first(batcher, language), last = end;
    ig_pass pass = {.dropout = false};
    pass.scale[IG_HEAD_MASKED] = 1;
    if (o->max_sentence > 0 && last - from > o->max_sentence)
        last = from + o->max_sentence;
    ig_engine_gradient_clear(e);
    for (int64_t to; from < last; from = to) {
        ig_batch b;
        to = last - from < o->batching.batch ? last : from + o->batching.batch;
        IG_TRY(ig_stop_check(&with->stop, "gradients", err));
        IG_TRY(ig_batcher_get_range(batcher, from, to, true, &b, err));
        if (b.target[IG_HEAD_MASKED].n == 0)
            continue;
        *any = true;
        IG_TRY(ig_engine_train(e, &b, &pass, err));
    }
    return IG_ERR_OK;
}

/* Products of both gradients with themselves and each other. */
typedef struct {
    double aa, bb, ab;
} products;

static double cosine(const products *p)
{
    return p->aa > 0 && p->bb > 0 ? p->ab / sqrt(p->aa * p->bb) : (double)NAN;
}

static void add_products(products *p, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        p->aa += (double)a[i] * (double)a[i];
        p->bb += (double)b[i] * (double)b[i];
        p->ab += (double)a[i] * (double)b[i];
    }
}

static ig_code put_groups(ig_measure_result *r, const ig_bert *m, const float *a, const float *b,
                          ig_err *err)
{
    const ig_measure_out none = ig_measure_out_of(r, -1);
    const ig_bert_param *absent = ig_bert_zero_segment(m);
    products all = {0}, head = {0};
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const int64_t n = (int64_t)p->rows * p->cols;
        if (p == absent)
            continue;
        add_products(&all, a + p->offset, b + p->offset, n);
        if (group_of(p->name) == HEAD)
            add_products(&head, a + p->offset, b + p->offset, n);
    }
    for (int l = 0; l < r->options.n_layer; l++) {
        const ig_measure_out out = ig_measure_out_of(r, r->options.layer[l]);
        products of = {0};
        for (int i = 0; i < ig_bert_n_param(m); i++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            if (p != absent && group_of(p->name) == out.layer)
                add_products(&of, a + p->offset, b + p->offset, (int64_t)p->rows * p->cols);
        }
        IG_TRY(ig_measure_put(&out, "gradient_cosine", 0, cosine(&of), err));
    }
    IG_TRY(ig_measure_put(&none, "gradient_cosine_head", 0, cosine(&head), err));
    return ig_measure_put(&none, "gradient_cosine_all", 0, cosine(&all), err);
}

static ig_code both(ig_measure_result *out, ig_engine *e, ig_batcher *batcher,
                    const ig_measure_with *with, ig_err *err)
{
    const int64_t n = ig_bert_n_weight(with->model);
    const ig_device *device = ig_bert_get_device(with->model);
    float *g[2] = {NULL, NULL};
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < 2 && code == IG_ERR_OK; k++) {
        bool any = false;
        code = ig_alloc(&g[k], n, sizeof *g[k], "gradient", err);
        IG_THEN(code, add_gradient(&any, e, batcher, k == 0 ? out->options.a : out->options.b,
                                   &out->options, with, err));
        if (code == IG_ERR_OK && any) /* else 0, and no cosine */
            device->download(g[k], ig_engine_gradient(e), n * (int64_t)sizeof *g[k]);
    }
    IG_THEN(code, put_groups(out, with->model, g[0], g[1], err));
    IG_FREE(g[0], g[1]);
    return code;
}

static ig_code gradients(ig_measure_result *out, const ig_measure_with *with, const ig_corpus *text,
                         ig_err *err)
{
    const ig_measure_options *o = &out->options;
    const bool causal = ig_bert_get_config(with->model)->causal;
    out->no_gradients = ig_bert_config_untrained(ig_bert_get_config(with->model));
    if (out->no_gradients != NULL)
        return IG_ERR_OK;
    const ig_batch_options bo = ig_measure_batching(o, with, causal);
    ig_engine *e = NULL;
    ig_batcher *batcher = NULL;
    /* One of its own: parts that a training freezes have gradients here, too. */
    ig_code code = ig_engine_new(&e, with->model, with->team, with->ops, IG_PRECISION_F32, err);
    IG_THEN(code, ig_engine_set_edits(e, with->edit, with->n_edit, err));
    IG_THEN(code, ig_batcher_new(&batcher, text, &bo, o->seed, err));
    IG_THEN(code, both(out, e, batcher, with, err));
    ig_batcher_free(batcher);
    ig_engine_free(e);
    return code;
}

#define COSINE .version = 1, .split = "dev", .pair = true, .below_zero = true, .better = 1

const ig_store_task ig_numbers_gradients[] = {
    {"gradient_cosine", "∇ cosine",
     "cosine of both languages' gradients: layer 0 the embeddings, then each block",
     .kind = IG_STORE_TASK_LAYERED, COSINE},
    {"gradient_cosine_head", "∇ cosine head", "the same of the parameters after the blocks",
     COSINE},
    {"gradient_cosine_all", "∇ cosine all", "the same of all parameters", COSINE},
    {0}};

const ig_measure_kind ig_measure_kind_gradients = {
    .text = gradients, .number = ig_numbers_gradients, .n_shown = 1};
