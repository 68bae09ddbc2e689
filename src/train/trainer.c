/* SPDX-License-Identifier: Apache-2.0
 *
 * The training step of Devlin et al. 2019 as Dufter & Schütze 2020 run it: mean loss over each
 * head's targets of an update, times the head's weight; clipping, AdamW, schedule. Their program
 * takes the mean of the micro-batches' means instead (accum_mean).
 */
#include "train/trainer.h"

#include "base/memory.h"
#include "model/head/head.h"

#include <math.h>

struct ig_trainer {
    ig_bert *model;
    ig_engine *engine;
    ig_optimizer *optimizer;
    bool *frozen; /* [parameters] */
    ig_trainer_options options;
    ig_rng_key dropout_key;
    int64_t n_done;
};

static ig_code get_batch(void *of, int64_t i, ig_batch *out, ig_err *err)
{
    return ig_batcher_get(of, i, out, err);
}

ig_trainer_source ig_pretrain_source(ig_batcher *batcher)
{
    return (ig_trainer_source){
        .get = get_batch, .of = batcher, .steps_per_epoch = ig_batcher_steps_per_epoch(batcher)};
}

ig_trainer_options ig_trainer_options_of(const ig_training_settings *s, int64_t steps)
{
    return (ig_trainer_options){
        .n_update = s->updates > 0
                        ? s->updates
                        : ig_schedule_updates(steps, s->epochs, s->accum, s->accum_carry),
        .set = *s};
}

ig_code ig_trainer_new(ig_trainer **out, ig_bert *model, ig_engine *engine,
                       const ig_trainer_options *options, ig_team *team, ig_err *err)
{
    *out = NULL;
    if (options->set.accum_carry && options->source.steps_per_epoch < options->set.accum)
        return ig_fail(err, IG_ERR_USAGE, "accum", 0,
                       "%lld micro-batches an update, but an epoch has only %lld",
                       (long long)options->set.accum, (long long)options->source.steps_per_epoch);
    ig_trainer *t;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "trainer", err));
    t->model = model;
    t->engine = engine;
    t->options = *options;
    for (int h = 0; h < IG_N_HEAD; h++)
        if (!(t->options.weight[h] > 0))
            t->options.weight[h] = 1;
    t->dropout_key = ig_rng_key_make((uint64_t)options->set.seed, IG_STREAM_DROPOUT);
    ig_code code = (ig_engine_is_spread(engine) ? ig_optimizer_new_spread : ig_optimizer_new)(
        &t->optimizer, model, &options->set.adam, ig_ops_best(), team, err);
    IG_THEN(code, ig_alloc(&t->frozen, ig_bert_n_param(model), sizeof *t->frozen, "trainer", err));
    IG_RETURN_NEW(code, out, t, ig_trainer_free);
}

void ig_trainer_free(ig_trainer *t)
{
    if (t == NULL)
        return;
    ig_optimizer_free(t->optimizer);
    IG_FREE(t->frozen, t);
}

/* Sets the error of a head's loss or of the gradient. */
static ig_code not_finite(const ig_trainer *t, ig_head_kind head, bool gradient, ig_err *err)
{
    const ig_bert_param *weight = ig_bert_not_finite(t->model, ig_bert_weights(t->model)),
                        *tensor = weight != NULL
                                      ? weight
                                      : ig_bert_not_finite(t->model, ig_engine_gradient(t->engine));
    const char *of = gradient || head == IG_HEAD_MASKED ? "" : ig_heads[head]->name;
    ig_fail(err, IG_ERR_NUMERIC, "", 0,
            "update %lld: the %s%s%s is not finite; first %s that is not: %s",
            (long long)t->n_done + 1, gradient ? "gradient" : "loss", of[0] != 0 ? " of " : "", of,
            weight != NULL ? "weight" : "gradient", tensor != NULL ? tensor->name : "none");
    return ig_hint(
        err, "a smaller learning rate or longer warm-up may help; nothing of this update was kept");
}

/* Marks the languages that a batch trains. */
static void note_languages(bool *active, const ig_batch *b)
{
    for (int i = 0; i < b->n_seq; i++)
        if (b->language == NULL)
            active[0] = true;
        else if (b->language[i] < IG_BERT_MAX_LANGUAGE)
            active[b->language[i]] = true;
}

/* Adds the results of a micro-batch; *bad gets a head whose loss is not finite. */
static bool add_results(const ig_trainer *t, const ig_batch *b, ig_trainer_report *report,
                        ig_head_kind *bad)
{
    for (int h = 0; h < IG_N_HEAD; h++) {
        const ig_head_result r = ig_engine_result(t->engine, (ig_head_kind)h);
        *bad = (ig_head_kind)h;
        if (!isfinite(r.loss))
            return false;
        report->head[h].loss += r.loss;
        report->head[h].n += r.n;
        report->head[h].n_right += r.n_right;
    }
    report->n_token += b->n_tok;
    report->n_sequence += b->n_seq;
    report->flop += ig_engine_train_flop(ig_bert_get_config(t->model), b);
    return true;
}

/* The micro-batches of an update. */
typedef struct {
    int64_t from, to;
    double over[IG_N_HEAD]; /* number of targets of each head, over all of them */
} update_part;

static double loss_count(const ig_bert_config *c, int head, const ig_batch *b)
{
    return b->target[head].n > 0 ? (double)ig_head_count(c, (ig_head_kind)head, b) : 0;
}

/* Sources give the same batch for the same number, so the targets of an update are counted before
 * its first pass. A single micro-batch is not made twice. */
static ig_code count_targets(const ig_trainer *t, update_part *u, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(t->model);
    for (int64_t i = u->from; i < u->to && u->to - u->from > 1 && !t->options.set.accum_mean; i++) {
        ig_batch b;
        IG_TRY(t->options.source.get(t->options.source.of, i, &b, err));
        for (int h = 0; h < IG_N_HEAD; h++)
            u->over[h] += loss_count(c, h, &b);
    }
    return IG_ERR_OK;
}

/* The weight of the loss of each of a head's targets in a micro-batch. */
static float loss_weight(const ig_trainer *t, const update_part *u, int head, const ig_batch *b)
{
    const ig_training_settings *o = &t->options.set;
    const ig_bert_config *c = ig_bert_get_config(t->model);
    const bool alone = u->to - u->from == 1 || o->accum_mean;
    double over = alone ? loss_count(c, head, b) : u->over[head];
    if (c->head[head].sum)
        over = b->target[head].n > 0 ? 1 : 0;
    if (o->accum_mean)
        over *= (double)o->accum;
    return over > 0 ? (float)(t->options.weight[head] / over) : 0;
}

ig_code ig_trainer_step(ig_trainer *t, ig_trainer_report *report, ig_err *err)
{
    const ig_training_settings *o = &t->options.set;
    const int64_t steps = t->options.source.steps_per_epoch;
    update_part u = {.from = ig_schedule_micro_before(t->n_done, steps, o->accum, o->accum_carry),
                     .to =
                         ig_schedule_micro_before(t->n_done + 1, steps, o->accum, o->accum_carry)};
    *report = (ig_trainer_report){.update = t->n_done + 1};
    double factor = 1;
    if (t->options.source.begin != NULL)
        factor = t->options.source.begin(t->options.source.of, t->n_done, t->model, t->optimizer);
    for (int i = 0; i < ig_bert_n_param(t->model); i++)
        t->frozen[i] = ig_optimizer_get_group(t->optimizer, &ig_bert_params(t->model)[i]).frozen;
    IG_TRY(ig_engine_set_frozen(t->engine, t->frozen, err));
    ig_engine_gradient_clear(t->engine);
    bool active[IG_BERT_MAX_LANGUAGE] = {false};
    IG_TRY(count_targets(t, &u, err));
    for (int64_t i = u.from; i < u.to; i++) {
        ig_batch b;
        ig_head_kind bad;
        IG_TRY(t->options.source.get(t->options.source.of, i, &b, err));
        ig_pass pass = {.dropout_key = t->dropout_key, .step = (uint32_t)i, .dropout = true};
        for (int h = 0; h < IG_N_HEAD; h++)
            pass.scale[h] = loss_weight(t, &u, h, &b);
        IG_TRY(ig_engine_train(t->engine, &b, &pass, err));
        if (!add_results(t, &b, report, &bad))
            return not_finite(t, bad, false, err);
        note_languages(active, &b);
    }
    report->lr =
        factor * ig_schedule_rate((ig_schedule_kind)o->schedule, o->lr,
                                  t->n_done + (o->early ? 1 : 0), o->warmup, t->options.n_update);
    ig_code code = ig_optimizer_step_languages(t->optimizer, ig_engine_gradient_part(t->engine),
                                               active, report->lr, &report->norm, err);
    if (code == IG_ERR_NUMERIC)
        return not_finite(t, IG_HEAD_MASKED, true, err);
    IG_TRY(code);
    ig_engine_weights_changed(t->engine);
    t->n_done++;
    return IG_ERR_OK;
}

ig_optimizer *ig_trainer_optimizer(ig_trainer *t)
{
    return t->optimizer;
}

void ig_trainer_resume(ig_trainer *t, int64_t n_done)
{
    t->n_done = n_done;
    ig_optimizer_set_n_step(t->optimizer, n_done);
    ig_engine_weights_changed(t->engine);
}
