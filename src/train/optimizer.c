/* SPDX-License-Identifier: Apache-2.0
 *
 * AdamW: Loshchilov & Hutter, "Decoupled weight decay regularization", ICLR 2019, Algorithm 2, with
 * the bias corrections folded into two factors (tensor/ops.h). Clipping as
 * torch.nn.utils.clip_grad_norm_: factor clip / (norm + 1e-6), at most 1. Work is cut into pieces
 * of one tensor each.
 */
#include "train/optimizer.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/bert_params.h"

#include <math.h>

const char *const ig_adam_rule_names[] = {"hf-2.8", "pytorch", "xlm", "google", NULL};

enum { PIECE = 1 << 15 }; /* floats: four arrays of a piece fit an L2 cache */

typedef struct {
    int64_t from;
    int32_t n, param;
    int32_t language; /* the language it belongs to; −1: all */
} piece;

struct ig_optimizer {
    ig_bert *model;
    ig_optimizer_options options;
    const ig_device *device;
    ig_exec exec;
    int64_t n_step;
    int64_t language_step[IG_BERT_MAX_LANGUAGE];
    float *m, *v; /* on the device */
    piece *pieces;
    int64_t n_piece;
    ig_span *spans; /* of the pieces that are updated; others are empty */
    ig_adamw_span *updates;
    ig_param_group *group; /* [parameters] */
    ig_adamw *rule;        /* [parameters] of the current update */
    double *sums;
};

ig_code ig_optimizer_new(ig_optimizer **out, ig_bert *model, const ig_optimizer_options *options,
                         const ig_ops *ops, ig_team *team, ig_err *err)
{
    *out = NULL;
    ig_optimizer *o;
    IG_TRY(ig_alloc(&o, 1, sizeof *o, "optimizer", err));
    o->model = model;
    o->options = *options;
    o->device = ig_bert_get_device(model);
    o->exec = (ig_exec){.run = o->device->run, .ops = ops, .team = team};
    const ig_bert_param *params = ig_bert_params(model);
    int n_param = ig_bert_n_param(model);
    for (int i = 0; i < n_param; i++) /* frozen parameters have no pieces */
        if (!params[i].frozen)
            o->n_piece += ((int64_t)params[i].rows * params[i].cols + PIECE - 1) / PIECE;
    int64_t n = ig_bert_n_weight(model);
    ig_code code = o->device->alloc(&o->m, n, sizeof *o->m, "Adam's first moment", err);
    IG_THEN(code, o->device->alloc(&o->v, n, sizeof *o->v, "Adam's second moment", err));
    IG_THEN(code, ig_alloc(&o->pieces, o->n_piece, sizeof *o->pieces, "optimizer", err));
    IG_THEN(code, ig_alloc(&o->spans, o->n_piece, sizeof *o->spans, "optimizer", err));
    IG_THEN(code, ig_alloc(&o->updates, o->n_piece, sizeof *o->updates, "optimizer", err));
    IG_THEN(code, ig_alloc(&o->group, n_param, sizeof *o->group, "optimizer", err));
    IG_THEN(code, ig_alloc(&o->rule, n_param, sizeof *o->rule, "optimizer", err));
    IG_THEN(code, ig_alloc(&o->sums, o->n_piece, sizeof *o->sums, "optimizer", err));
    if (code != IG_ERR_OK) {
        ig_optimizer_free(o);
        return code;
    }
    int64_t at = 0;
    for (int i = 0; i < n_param; i++) {
        o->group[i] = (ig_param_group){.rate = 1,
                                       .decay = params[i].decay ? options->weight_decay : 0,
                                       .frozen = params[i].frozen};
        int64_t size = params[i].frozen ? 0 : (int64_t)params[i].rows * params[i].cols;
        for (int64_t from = 0; from < size; from += PIECE) {
            int64_t rest = size - from;
            o->pieces[at++] = (piece){.from = params[i].offset + from,
                                      .n = (int32_t)(rest < PIECE ? rest : PIECE),
                                      .param = i,
                                      .language = params[i].language};
        }
    }
    IG_ASSERT(at == o->n_piece);
    *out = o;
    return IG_ERR_OK;
}

void ig_optimizer_free(ig_optimizer *o)
{
    if (o == NULL)
        return;
    o->device->free(o->m);
    o->device->free(o->v);
    IG_FREE(o->pieces, o->spans, o->updates, o->group, o->rule, o->sums, o);
}

/* The rule of update t (from 1) of a part. */
static ig_adamw adamw_at(const ig_optimizer_options *q, int64_t t, double lr, double factor)
{
    double correct1 = 1 - pow(q->beta1, (double)t), correct2 = 1 - pow(q->beta2, (double)t);
    ig_adamw a = {.beta1 = (float)q->beta1,
                  .beta2 = (float)q->beta2,
                  .eps = (float)q->eps,
                  .grad_scale = (float)factor,
                  .decay_first = q->rule != IG_ADAM_HF28};
    if (q->rule == IG_ADAM_GOOGLE) {
        a.lr_t = (float)lr;
        a.root = 1;
    } else if (q->rule == IG_ADAM_PYTORCH) {
        a.lr_t = (float)(lr / correct1);
        a.root = (float)(1 / sqrt(correct2));
    } else {
        a.lr_t = (float)(lr * sqrt(correct2) / correct1);
        a.root = 1;
    }
    return a;
}

ig_code ig_optimizer_step(ig_optimizer *o, const float *gradient, double lr, double *norm,
                          ig_err *err)
{
    return ig_optimizer_step_languages(o, gradient, NULL, lr, norm, err);
}

ig_code ig_optimizer_step_languages(ig_optimizer *o, const float *gradient, const bool *active,
                                    double lr, double *norm, ig_err *err)
{
    const ig_exec *x = &o->exec;
    for (int64_t i = 0; i < o->n_piece; i++) {
        const piece *p = &o->pieces[i];
        const bool moves = !o->group[p->param].frozen &&
                           (p->language < 0 || active == NULL || active[p->language]);
        o->spans[i] = (ig_span){p->from, moves ? p->from + p->n : p->from};
    }
    x->run->sum_squares(x, gradient, o->spans, o->n_piece, o->sums);
    double sum = 0;
    for (int64_t i = 0; i < o->n_piece; i++) {
        if (!isfinite(o->sums[i])) {
            const ig_bert_param *p = &ig_bert_params(o->model)[o->pieces[i].param];
            return ig_fail(err, IG_ERR_NUMERIC, p->name, 0, "the gradient is not finite");
        }
        sum += o->sums[i];
    }
    double length = sqrt(sum);
    if (norm != NULL)
        *norm = length;

    const ig_optimizer_options *q = &o->options;
    double factor = 1;
    if (q->clip > 0) {
        factor = q->clip / (length + 1e-6);
        if (factor > 1)
            factor = 1;
    }
    const int n_language = ig_bert_n_language(ig_bert_get_config(o->model));
    o->n_step++;
    for (int k = 0; n_language > 1 && k < n_language; k++)
        o->language_step[k] += active == NULL || active[k];
    for (int i = 0; i < ig_bert_n_param(o->model); i++) {
        const int32_t k = ig_bert_params(o->model)[i].language;
        const ig_param_group *g = &o->group[i];
        o->rule[i] = adamw_at(q, k < 0 ? o->n_step : o->language_step[k], lr * g->rate, factor);
        o->rule[i].decay = (float)(lr * g->rate * g->decay);
    }
    for (int64_t i = 0; i < o->n_piece; i++)
        o->updates[i] = (ig_adamw_span){o->spans[i], &o->rule[o->pieces[i].param]};
    x->run->adamw(x, o->updates, o->n_piece,
                  &(ig_moments){ig_bert_weights(o->model), gradient, o->m, o->v});
    return IG_ERR_OK;
}

void ig_optimizer_set_group(ig_optimizer *o, const ig_bert_param *p, const ig_param_group *g)
{
    ig_param_group *to = &o->group[p - ig_bert_params(o->model)];
    *to = *g;
    to->frozen |= p->frozen;
}

ig_param_group ig_optimizer_get_group(const ig_optimizer *o, const ig_bert_param *p)
{
    return o->group[p - ig_bert_params(o->model)];
}

int64_t *ig_optimizer_language_steps(ig_optimizer *o)
{
    return o->language_step;
}

void ig_optimizer_set_n_step(ig_optimizer *o, int64_t n_step)
{
    o->n_step = n_step;
}

static int64_t bytes_of(const ig_bert_param *p)
{
    return (int64_t)p->rows * p->cols * (int64_t)sizeof(float);
}

void ig_optimizer_get_moment(const ig_optimizer *o, int which, const ig_bert_param *p, float *out)
{
    o->device->download(out, (which == 0 ? o->m : o->v) + p->offset, bytes_of(p));
}

void ig_optimizer_set_moment(ig_optimizer *o, int which, const ig_bert_param *p,
                             const float *values)
{
    o->device->upload((which == 0 ? o->m : o->v) + p->offset, values, bytes_of(p));
}
