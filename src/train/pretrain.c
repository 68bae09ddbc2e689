/* SPDX-License-Identifier: Apache-2.0
 *
 * The training step of Devlin et al. 2019 as Dufter & Schütze 2020 run it: mean loss over the
 * masked tokens of a micro-batch, divided by the number of micro-batches of an update; clipping,
 * AdamW, schedule.
 */
#include "train/pretrain.h"
#include "base/assert.h"
#include "base/memory.h"
#include "model/bert_params.h"

#include <math.h>

struct ig_pretrain {
    ig_bert *model;
    ig_engine *engine;
    ig_batcher *batcher;
    ig_optimizer *optimizer;
    ig_pretrain_options options;
    ig_rng_key dropout_key;
    int64_t n_done, steps_per_epoch;
};

ig_code ig_pretrain_new(ig_pretrain **out, ig_bert *model, ig_engine *engine, ig_batcher *batcher,
                        const ig_pretrain_options *options, const ig_ops *ops, ig_team *team,
                        ig_err *err)
{
    *out = NULL;
    int64_t steps = ig_batcher_steps_per_epoch(batcher);
    if (options->accum_carry && steps < options->accum)
        return ig_fail(err, IG_ERR_USAGE, "accum", 0,
                       "%lld micro-batches an update, but an epoch has only %lld",
                       (long long)options->accum, (long long)steps);
    ig_pretrain *t;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "trainer", err));
    t->model = model;
    t->engine = engine;
    t->batcher = batcher;
    t->options = *options;
    t->steps_per_epoch = steps;
    t->dropout_key = ig_rng_key_make(options->seed, IG_STREAM_DROPOUT);
    ig_code code = ig_optimizer_new(&t->optimizer, model, &options->adam, ops, team, err);
    if (code != IG_ERR_OK) {
        ig_pretrain_free(t);
        return code;
    }
    *out = t;
    return IG_ERR_OK;
}

void ig_pretrain_free(ig_pretrain *t)
{
    if (t == NULL)
        return;
    ig_optimizer_free(t->optimizer);
    ig_free(t);
}

static ig_code not_finite(const ig_pretrain *t, const char *what, ig_err *err)
{
    const ig_bert_param *weight = ig_bert_not_finite(t->model, ig_bert_weights(t->model)),
                        *tensor = weight != NULL
                                      ? weight
                                      : ig_bert_not_finite(t->model, ig_engine_gradient(t->engine));
    ig_fail(err, IG_ERR_NUMERIC, "", 0, "update %lld: %s is not finite; first %s that is not: %s",
            (long long)t->n_done + 1, what, weight != NULL ? "weight" : "gradient",
            tensor != NULL ? tensor->name : "none");
    return ig_hint(
        err, "a smaller learning rate or longer warm-up may help; nothing of this update was kept");
}

/* The languages that a batch trains. */
static void note_languages(bool *active, const ig_batch *b)
{
    for (int i = 0; i < b->n_seq; i++)
        if (b->language == NULL)
            active[0] = true;
        else if (b->language[i] < IG_BERT_MAX_LANGUAGE)
            active[b->language[i]] = true;
}

ig_code ig_pretrain_step(ig_pretrain *t, ig_pretrain_report *report, ig_err *err)
{
    const ig_pretrain_options *o = &t->options;
    int64_t from =
        ig_schedule_micro_before(t->n_done, t->steps_per_epoch, o->accum, o->accum_carry);
    int64_t to =
        ig_schedule_micro_before(t->n_done + 1, t->steps_per_epoch, o->accum, o->accum_carry);
    *report = (ig_pretrain_report){.update = t->n_done + 1};
    ig_engine_gradient_clear(t->engine);
    bool active[IG_BERT_MAX_LANGUAGE] = {false};
    for (int64_t i = from; i < to; i++) {
        ig_batch b;
        IG_TRY(ig_batcher_get(t->batcher, i, &b, err));
        ig_pass pass = {.dropout_key = t->dropout_key, .step = (uint32_t)i, .dropout = true};
        for (int h = 0; h < IG_N_HEAD; h++)
            if (b.target[h].n > 0)
                pass.scale[h] = (float)(1.0 / ((double)b.target[h].n * (double)o->accum));
        IG_TRY(ig_engine_train(t->engine, &b, &pass, err));
        note_languages(active, &b);
        const ig_head_result masked = ig_engine_result(t->engine, IG_HEAD_MASKED),
                             next = ig_engine_result(t->engine, IG_HEAD_NEXT);
        if (!isfinite(masked.loss))
            return not_finite(t, "the loss", err);
        if (!isfinite(next.loss))
            return not_finite(t, "the loss of next sentences", err);
        report->next_loss += next.loss;
        report->n_next += next.n;
        report->n_next_right += next.n_right;
        report->loss += masked.loss;
        report->n_pred += masked.n;
        report->n_right += masked.n_right;
        report->n_token += b.n_tok;
        report->n_sequence += b.n_seq;
        report->flop += ig_engine_train_flop(ig_bert_get_config(t->model), &b);
    }
    report->lr = ig_schedule_rate(o->schedule, o->lr, t->n_done, o->warmup, o->n_update);
    ig_code code = ig_optimizer_step_languages(t->optimizer, ig_engine_gradient(t->engine), active,
                                               report->lr, &report->norm, err);
    if (code == IG_ERR_NUMERIC)
        return not_finite(t, "the gradient", err);
    IG_TRY(code);
    ig_engine_weights_changed(t->engine);
    t->n_done++;
    return IG_ERR_OK;
}

int64_t ig_pretrain_n_done(const ig_pretrain *t)
{
    return t->n_done;
}

ig_optimizer *ig_pretrain_optimizer(ig_pretrain *t)
{
    return t->optimizer;
}

void ig_pretrain_resume(ig_pretrain *t, int64_t n_done)
{
    t->n_done = n_done;
    ig_optimizer_set_n_step(t->optimizer, n_done);
    ig_engine_weights_changed(t->engine);
}
