/* SPDX-License-Identifier: Apache-2.0
 *
 * AdamW: Loshchilov & Hutter, "Decoupled weight decay regularization", ICLR 2019, Algorithm 2, with
 * the bias corrections folded into two factors (tensor/ops.h). Clipping as
 * torch.nn.utils.clip_grad_norm_: factor clip / (norm + 1e-6), at most 1. Work is cut into pieces
 * of one tensor each.
 *
 * Over ranks each has the moments of its slice of the parameters and updates it (ZeRO's first
 * stage: Rajbhandari et al. 2020); pieces, and so the norm and its bits, are the same.
 */
#include "train/optimizer.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/bert_params.h"
#include "model/ranks/calls.h"
#include "model/ranks/slices.h"

#include <math.h>
#include <string.h>

const char *const ig_adam_rule_names[] = {"hf-2.8", "pytorch", "xlm", "google", NULL};

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
    bool spread;
    int64_t *slice;   /* [ranks + 1]; alone: [2] */
    int64_t first, n; /* of the block, whose moments are here */
    float *m, *v;     /* [n] on the device */
    piece *pieces;
    int64_t n_piece;
    ig_span *spans; /* of the pieces that are updated; others are empty */
    ig_adamw_span *updates;
    ig_param_group *group; /* [parameters] */
    ig_adamw *rule;        /* [parameters] of the current update */
    double *sums;
    bool *moves;           /* [parameters] in the current update */
    ig_wire wire;          /* of calls; as large as they become */
    ig_transfer *transfer; /* [2 · ranks] */
};

/* Finds which part of the block this process updates. */
static ig_code choose_slice(ig_optimizer *o, ig_err *err)
{
    const int n = o->spread ? ig_ranks_n() : 1, self = o->spread ? ig_ranks_self() : 0;
    IG_TRY(ig_alloc(&o->slice, n + 1, sizeof *o->slice, "optimizer", err));
    IG_TRY(ig_alloc(&o->transfer, 2 * (int64_t)n, sizeof *o->transfer, "optimizer", err));
    ig_slices_make(o->slice, n, o->model);
    o->first = o->slice[self];
    o->n = o->slice[self + 1] - o->first;
    return ig_grow(&o->wire.data, &o->wire.have,
                   (int64_t)ig_bert_n_param(o->model) * (int64_t)(sizeof *o->rule + 8) + 64, 1,
                   "optimizer", err);
}

static ig_code make(ig_optimizer **out, ig_bert *model, const ig_optimizer_options *options,
                    const ig_ops *ops, ig_team *team, bool spread, ig_err *err)
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
            o->n_piece += ((int64_t)params[i].rows * params[i].cols + IG_PIECE - 1) / IG_PIECE;
    o->spread = spread;
    ig_code code = choose_slice(o, err);
    IG_THEN(code, o->device->alloc(&o->m, o->n, sizeof *o->m, "Adam's first moment", err));
    IG_THEN(code, o->device->alloc(&o->v, o->n, sizeof *o->v, "Adam's second moment", err));
    IG_THEN(code, ig_alloc(&o->moves, n_param, sizeof *o->moves, "optimizer", err));
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
        for (int64_t from = 0; from < size; from += IG_PIECE) {
            int64_t rest = size - from;
            o->pieces[at++] = (piece){.from = params[i].offset + from,
                                      .n = (int32_t)(rest < IG_PIECE ? rest : IG_PIECE),
                                      .param = i,
                                      .language = params[i].language};
        }
    }
    IG_ASSERT(at == o->n_piece);
    *out = o;
    return IG_ERR_OK;
}

ig_code ig_optimizer_new(ig_optimizer **out, ig_bert *model, const ig_optimizer_options *options,
                         const ig_ops *ops, ig_team *team, ig_err *err)
{
    return make(out, model, options, ops, team, false, err);
}

ig_code ig_optimizer_new_spread(ig_optimizer **out, ig_bert *model,
                                const ig_optimizer_options *options, const ig_ops *ops,
                                ig_team *team, ig_err *err)
{
    return make(out, model, options, ops, team, true, err);
}

void ig_optimizer_free(ig_optimizer *o)
{
    if (o == NULL)
        return;
    o->device->free(o->m);
    o->device->free(o->v);
    ig_wire_free(&o->wire);
    IG_FREE(o->pieces, o->spans, o->updates, o->group, o->rule, o->sums, o->moves, o->slice,
            o->transfer, o);
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

/* --- ranks ------------------------------------------------------------------------------------ */

/* Calls the others; messages fit the room made for them. */
static void call(ig_optimizer *o, ig_rank_call what, const void *data, int64_t bytes)
{
    if (!o->spread)
        return;
    ig_wire_clear(&o->wire);
    (void)ig_wire_put(&o->wire, data, bytes, NULL);
    ig_ranks_call((int)what, &o->wire);
}

static void called(const ig_optimizer *o)
{
    if (o->spread)
        ig_ranks_called();
}

static bool is_in(const ig_optimizer *o, const piece *p, int rank)
{
    return p->from >= o->slice[rank] && p->from < o->slice[rank + 1];
}

/* The squares of each rank's pieces to rank 0. */
static void gather_sums(ig_optimizer *o)
{
    const int self = ig_ranks_self();
    int64_t from = 0;
    int n = 0;
    for (int r = 0; r < ig_ranks_n(); r++) {
        int64_t to = from;
        while (to < o->n_piece && is_in(o, &o->pieces[to], r))
            to++;
        if (r > 0 && to > from && (self == 0 || self == r))
            o->transfer[n++] = (ig_transfer){self == 0 ? r : 0, self != 0, o->sums + from,
                                             (to - from) * (int64_t)sizeof *o->sums, IG_TAG_PART};
        from = to;
    }
    ig_ranks_exchange(o->transfer, n);
}

/* The part of a rank's slice from the first to the last piece that moved. */
static ig_span moved(const ig_optimizer *o, int rank)
{
    ig_span s = {0, 0};
    for (int64_t i = 0; i < o->n_piece; i++) {
        const piece *p = &o->pieces[i];
        if (!is_in(o, p, rank) || !o->moves[p->param])
            continue;
        if (s.to == 0)
            s.from = p->from;
        s.to = p->from + p->n;
    }
    return s;
}

/* Each rank's new weights to all others. */
static void share_weights(ig_optimizer *o)
{
    float *w = ig_bert_weights(o->model);
    const int self = ig_ranks_self();
    const ig_span mine = moved(o, self);
    int n = 0;
    for (int r = 0; r < ig_ranks_n(); r++) {
        const ig_span theirs = moved(o, r);
        if (r == self)
            continue;
        if (theirs.from < theirs.to)
            o->transfer[n++] =
                (ig_transfer){r, false, w + theirs.from,
                              (theirs.to - theirs.from) * (int64_t)sizeof *w, IG_TAG_PART};
        if (mine.from < mine.to)
            o->transfer[n++] = (ig_transfer){
                r, true, w + mine.from, (mine.to - mine.from) * (int64_t)sizeof *w, IG_TAG_PART};
    }
    ig_ranks_exchange(o->transfer, n);
}

/* --- an update -------------------------------------------------------------------------------- */

/* Sums of squares of the pieces that move: in rank 0 of all. */
static void sum_squares(ig_optimizer *o, const float *gradient)
{
    const int self = o->spread ? ig_ranks_self() : 0;
    for (int64_t i = 0; i < o->n_piece; i++) {
        const piece *p = &o->pieces[i];
        const bool own = is_in(o, p, self) && o->moves[p->param];
        o->spans[i] = (ig_span){p->from, own ? p->from + p->n : p->from};
    }
    o->exec.run->sum_squares(&o->exec, gradient, o->spans, o->n_piece, o->sums);
    if (o->spread)
        gather_sums(o);
}

/* By the rules; in each process the same weights at the end. Blocks begin with the own slice. */
static void update(ig_optimizer *o, const float *gradient)
{
    const int64_t at = o->first;
    const ig_moments of = {ig_bert_weights(o->model) + at, gradient + at, o->m, o->v};
    for (int64_t i = 0; i < o->n_piece; i++) {
        const ig_span *s = &o->spans[i];
        const bool moves = s->from < s->to;
        o->updates[i] = (ig_adamw_span){{moves ? s->from - at : 0, moves ? s->to - at : 0},
                                        &o->rule[o->pieces[i].param]};
    }
    o->exec.run->adamw(&o->exec, o->updates, o->n_piece, &of);
    if (o->spread)
        share_weights(o);
}

/* The length of the gradient. */
static ig_code find_norm(double *length, ig_optimizer *o, const float *gradient, ig_err *err)
{
    double sum = 0;
    const int n_param = ig_bert_n_param(o->model);
    call(o, IG_CALL_NORM, o->moves, n_param * (int64_t)sizeof *o->moves);
    sum_squares(o, gradient);
    called(o);
    for (int64_t i = 0; i < o->n_piece; i++) {
        if (!isfinite(o->sums[i])) {
            const ig_bert_param *p = &ig_bert_params(o->model)[o->pieces[i].param];
            return ig_fail(err, IG_ERR_NUMERIC, p->name, 0, "the gradient is not finite");
        }
        sum += o->sums[i];
    }
    *length = sqrt(sum);
    return IG_ERR_OK;
}

ig_code ig_optimizer_step_languages(ig_optimizer *o, const float *gradient, const bool *active,
                                    double lr, double *norm, ig_err *err)
{
    const ig_bert_param *params = ig_bert_params(o->model);
    const int n_param = ig_bert_n_param(o->model);
    double length = 0;
    for (int i = 0; i < n_param; i++) {
        const int32_t k = params[i].language;
        o->moves[i] = !o->group[i].frozen && (k < 0 || active == NULL || active[k]);
    }
    IG_TRY(find_norm(&length, o, gradient, err));
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
    for (int i = 0; i < n_param; i++) {
        const int32_t k = params[i].language;
        const ig_param_group *g = &o->group[i];
        o->rule[i] = adamw_at(q, k < 0 ? o->n_step : o->language_step[k], lr * g->rate, factor);
        o->rule[i].decay = (float)(lr * g->rate * g->decay);
    }
    call(o, IG_CALL_UPDATE, o->rule, n_param * (int64_t)sizeof *o->rule);
    update(o, gradient);
    called(o);
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

/* A parameter's moment between this process, which may be rank 0, and the ranks that have it. */
typedef struct {
    int32_t which, param;
} moment_call;

static void move_moment(ig_optimizer *o, const moment_call *c, float *values, bool out)
{
    const ig_bert_param *p = &ig_bert_params(o->model)[c->param];
    const int64_t begin = p->offset, end = begin + (int64_t)p->rows * p->cols;
    float *own = c->which == 0 ? o->m : o->v;
    const int self = o->spread ? ig_ranks_self() : 0;
    for (int r = 0; r < (o->spread ? ig_ranks_n() : 1); r++) {
        const int64_t from = begin > o->slice[r] ? begin : o->slice[r],
                      to = end < o->slice[r + 1] ? end : o->slice[r + 1];
        const int64_t bytes = (to - from) * (int64_t)sizeof *own;
        if (from >= to || (self != 0 && self != r))
            continue;
        float *here = r == self ? own + (from - o->first) : NULL;
        if (self == 0 && r == 0) {
            if (out)
                o->device->download(values + (from - begin), here, bytes);
            else
                o->device->upload(here, values + (from - begin), bytes);
        } else {
            const ig_transfer t = {self == 0 ? r : 0, out == (self != 0),
                                   self == 0 ? values + (from - begin) : here, bytes, IG_TAG_PART};
            ig_ranks_exchange(&t, 1);
        }
    }
}

void ig_optimizer_get_moment(ig_optimizer *o, int which, const ig_bert_param *p, float *out)
{
    const moment_call c = {which, (int32_t)(p - ig_bert_params(o->model))};
    call(o, IG_CALL_GET_MOMENT, &c, sizeof c);
    move_moment(o, &c, out, true);
    called(o);
}

void ig_optimizer_set_moment(ig_optimizer *o, int which, const ig_bert_param *p,
                             const float *values)
{
    const moment_call c = {which, (int32_t)(p - ig_bert_params(o->model))};
    call(o, IG_CALL_SET_MOMENT, &c, sizeof c);
    move_moment(o, &c, (float *)(uintptr_t)values, false);
    called(o);
}

void ig_optimizer_serve(ig_optimizer *o, int what, ig_wire *w, const float *gradient)
{
    const int64_t n_param = ig_bert_n_param(o->model);
    moment_call c;
    switch (what) {
    case IG_CALL_NORM:
        ig_wire_take(w, o->moves, n_param * (int64_t)sizeof *o->moves);
        sum_squares(o, gradient);
        return;
    case IG_CALL_UPDATE:
        ig_wire_take(w, o->rule, n_param * (int64_t)sizeof *o->rule);
        update(o, gradient);
        return;
    default:
        IG_ASSERT(what == IG_CALL_GET_MOMENT || what == IG_CALL_SET_MOMENT);
        ig_wire_take(w, &c, sizeof c);
        move_moment(o, &c, NULL, what == IG_CALL_GET_MOMENT);
    }
}
