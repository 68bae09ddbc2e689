/* SPDX-License-Identifier: Apache-2.0
 *
 * What a fine-tuning opens: task, examples, model, trainer. Its checkpoints: folders as those of a
 * pre-training (run/run_dir.h) with the state of the selection beside, and OUT/best, the best model
 * so far, which is written anew by who goes on from before it.
 */
#include "finetune/work.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "run/measure/open_run.h"
#include "run/run_dir.h"
#include "run/run_folder.h"

#include <math.h>
#include <string.h>

void ig_finetune_close(ig_finetune_work *w)
{
    ig_run_log_close(&w->log);
    ig_trainer_free(w->trainer);
    ig_engine_free(w->engine);
    ig_bert_free(w->model);
    ig_example_order_close(&w->order);
    for (int i = 0; w->eval != NULL && i < w->task->n_set; i++)
        ig_examples_free(&w->eval[i]);
    ig_free(w->eval);
    ig_examples_free(&w->train);
    ig_made_edits_free(&w->edits);
    ig_edit_specs_free(&w->edit_specs);
    ig_tuned_base_close(&w->base);
    ig_task_free(w->task);
    ig_team_free(w->team);
    json_decref(w->selection);
}

static ig_code check_selection(ig_finetune_config *c, const ig_task *t, bool given, ig_err *err)
{
    if (ig_selection_possible(t, (ig_select_kind)c->select))
        return IG_ERR_OK;
    if (given)
        return ig_fail(err, IG_ERR_USAGE, "select", 0,
                       "found %s, but the task has no development text to select by",
                       ig_select_names[c->select]);
    ig_log(IG_LOG_NORMAL, "warning: no development text to select by: the last model is taken");
    c->select = IG_SELECT_LAST;
    c->patience = 0;
    return IG_ERR_OK;
}

static bool is_given(const unsigned char *given, const char *name)
{
    int i = 0;
    while (strcmp(ig_finetune_options[i].name, name) != 0)
        i++;
    return given[i] != IG_GIVEN_NOT;
}

ig_code ig_finetune_open_task(ig_finetune_work *w, const unsigned char *given, ig_err *err)
{
    ig_finetune_config *c = w->config;
    bool any = false;
    IG_TRY(ig_task_read(c->task, NULL, &w->task, err));
    IG_TRY(ig_recipe_apply(c, w->task->kind, given, err));
    /* A recipe's wish holds for tags of spans alone; who asks for it elsewhere is told. */
    const bool spans = w->task->kind == IG_TASK_TAGGING && w->task->scheme != IG_SCHEME_PLAIN;
    c->bioul = c->bioul && (spans || is_given(given, "bioul"));
    if (c->bioul)
        IG_TRY(ig_task_use_bioul(w->task, err));
    for (int i = 0; i < w->task->n_set; i++)
        any = any || w->task->set[i].split == IG_SPLIT_TRAIN;
    if (!any)
        return ig_fail(err, IG_ERR_USAGE, c->task, 0, "found no training text, expected train");
    IG_TRY(check_selection(c, w->task, is_given(given, "select"), err));
    return ig_tuned_base_open(&w->base, c, w->task, err);
}

ig_code ig_finetune_open_data(ig_finetune_work *w, ig_err *err)
{
    const ig_example_input in = ig_tuned_input(&w->base, w->config, true);
    const ig_task *t = w->task;
    for (int i = 0; i < t->n_set; i++)
        if (t->set[i].split == IG_SPLIT_TRAIN)
            IG_TRY(ig_examples_add(
                &w->train, &in, &t->set[i],
                &(ig_examples_as){t->kind,
                                  ig_tuned_language(&w->base.languages, t->set[i].language), true},
                err));
    IG_TRY(ig_alloc(&w->eval, t->n_set, sizeof *w->eval, "texts", err));
    w->order = (ig_example_order){.examples = &w->train,
                                  .head = w->base.head,
                                  .batch = w->config->batch,
                                  .epoch_size = w->config->epoch_size,
                                  .seed = (uint64_t)w->config->seed};
    return ig_example_order_open(&w->order, err);
}

static ig_trainer_options trainer_options(const ig_finetune_config *c, int64_t steps)
{
    ig_trainer_options o = {
        .n_update = c->updates > 0
                        ? c->updates
                        : ig_schedule_updates(steps, c->epochs, c->accum, c->accum_carry),
        .accum = c->accum,
        .accum_carry = c->accum_carry,
        .lr = c->lr,
        .schedule = (ig_schedule_kind)c->schedule,
        .early = c->early,
        .seed = (uint64_t)c->seed,
        .adam = {.beta1 = c->beta1,
                 .beta2 = c->beta2,
                 .eps = c->adam_eps,
                 .weight_decay = c->weight_decay,
                 .clip = c->clip,
                 .eps_pytorch = c->adam_rule == IG_RULE_PYTORCH,
                 .decay_first = c->adam_rule == IG_RULE_XLM || c->adam_rule == IG_RULE_GOOGLE,
                 .uncorrected = c->adam_rule == IG_RULE_GOOGLE}};
    /* int(.1 T), as the programs have it. */
    o.warmup = (int64_t)(c->warmup < 1 ? floor(c->warmup * (double)o.n_update) : c->warmup);
    return o;
}

/* Whether an edit learns from a run's text. */
static bool wants_corpus(const ig_edit_specs *specs)
{
    for (int i = 0; i < specs->n; i++) {
        const ig_edit_spec *e = &specs->spec[i];
        if (e->text == NULL && e->means == NULL && e->kind <= IG_EDIT_SPEC_ROTATE)
            return true;
    }
    return false;
}

/* The development text of the run that is fine-tuned, whose languages are parallel; a model without
 * a run has none. */
static ig_code open_corpus(ig_open_run *run, const ig_finetune_work *w, ig_err *err)
{
    char dir[IG_PATH];
    *run = (ig_open_run){0};
    if (!wants_corpus(&w->edit_specs) || ig_run_find(dir, w->base.source.dir, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    return ig_open_run_corpora(run, w->base.source.dir, err);
}

/* Of a model that is thrown away again: a fine-tuning that goes on has other weights, and edits are
 * to be the same. */
static ig_code learn(ig_finetune_work *w, ig_bert *model, const ig_corpus *corpus, ig_err *err)
{
    ig_engine *engine;
    IG_TRY(ig_engine_new(&engine, model, w->team, NULL, IG_PRECISION_F32, err));
    const ig_edit_on on = {.parts = {.engine = engine,
                                     .model = model,
                                     .team = w->team,
                                     .tokenizer = w->base.source.tokenizer,
                                     .languages = &w->base.languages,
                                     .corpus = corpus},
                           .mixed = true};
    ig_code code = ig_edits_make(&w->edits, &w->edit_specs, &on, err);
    ig_engine_free(engine);
    return code;
}

ig_code ig_finetune_learn_edits(ig_finetune_work *w, ig_err *err)
{
    ig_bert *model = NULL;
    ig_open_run run;
    if (w->config->edit == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_edit_specs_add(&w->edit_specs, w->config->edit, err));
    ig_code code = open_corpus(&run, w, err);
    IG_THEN(code, ig_bert_load(&model, w->base.source.dir, NULL, err));
    IG_THEN(code, learn(w, model, run.setup.dev, err));
    ig_bert_free(model);
    ig_open_run_close(&run);
    return code;
}

ig_code ig_finetune_build(ig_finetune_work *w, const char *from, ig_err *err)
{
    const ig_finetune_config *c = w->config;
    IG_TRY(ig_tuned_model_new(&w->model, &w->base, from, c, w->task, err));
    if (from == NULL)
        IG_TRY(ig_edits_change_weights(w->model, &w->edit_specs, err));
    IG_TRY(ig_engine_new(&w->engine, w->model, w->team, NULL,
                         (ig_precision)(c->precision % IG_N_PRECISION), err));
    IG_TRY(ig_engine_set_edits(w->engine, w->edits.edit, w->edits.n, err));
    const int64_t steps = ig_example_order_steps(&w->order);
    w->options = trainer_options(c, steps);
    if (w->options.n_update < 1)
        return ig_fail(err, IG_ERR_USAGE, "accum", 0,
                       "%lld epochs of %lld micro-batches give no update of %lld",
                       (long long)c->epochs, (long long)steps, (long long)c->accum);
    w->options.source =
        (ig_trainer_source){.get = ig_example_order_get, .of = &w->order, .steps_per_epoch = steps};
    IG_TRY(ig_trainer_new(&w->trainer, w->model, w->engine, &w->options, w->team, err));
    return ig_tuned_groups(ig_trainer_optimizer(w->trainer), w->model, c, err);
}

int64_t ig_finetune_eval_every(const ig_finetune_work *w)
{
    const ig_finetune_config *c = w->config;
    const double epoch =
        (double)ig_example_order_steps(&w->order) / (double)w->options.accum; /* updates */
    const double every = c->eval_every >= 1  ? c->eval_every
                         : c->eval_every > 0 ? c->eval_every * epoch
                                             : epoch;
    return every < 1 ? 1 : (int64_t)every;
}

static void forget(ig_finetune_work *w)
{
    ig_trainer_free(w->trainer);
    ig_engine_free(w->engine);
    ig_bert_free(w->model);
    json_decref(w->selection);
    w->trainer = NULL;
    w->engine = NULL;
    w->model = NULL;
    w->selection = NULL;
    w->state = (ig_train_state){0};
}

static ig_code read_state(ig_finetune_work *w, const char *dir, int64_t step, ig_err *err)
{
    IG_TRY(
        ig_train_state_read(dir, step, &w->state, ig_trainer_optimizer(w->trainer), w->model, err));
    return ig_folder_json(&w->selection, dir, "selection.json", err);
}

static ig_code resume(ig_finetune_work *w, int64_t step, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_run_checkpoint_path(dir, w->config->out, step, err));
    IG_TRY(ig_finetune_build(w, dir, err));
    IG_TRY(read_state(w, dir, step, err));
    ig_trainer_resume(w->trainer, step);
    w->resumed_from = step;
    return IG_ERR_OK;
}

ig_code ig_finetune_go_on(ig_finetune_work *w, ig_err *err)
{
    const char *out = w->config->out;
    int64_t *steps;
    int n, i;
    ig_err first = {0};
    w->resumed_from = -1;
    IG_TRY(ig_run_checkpoints(&steps, &n, out, true, err));
    ig_code code = IG_ERR_OK;
    if (n == 0) {
        code = ig_finetune_build(w, NULL, err);
        w->selection = ig_selection_new();
        if (code == IG_ERR_OK && w->selection == NULL)
            code = ig_fail(err, IG_ERR_MEMORY, out, 0, "not enough memory");
        ig_free(steps);
        return code;
    }
    for (i = n - 1; i >= 0; i--) {
        ig_err why = {0};
        code = resume(w, steps[i], &why);
        if (code == IG_ERR_OK)
            break;
        forget(w);
        first = i == n - 1 ? why : first;
        if (code != IG_ERR_INPUT && code != IG_ERR_NUMERIC && code != IG_ERR_IO)
            break;
    }
    for (int k = i + 1; k < n && code == IG_ERR_OK; k++) {
        ig_log(IG_LOG_NORMAL,
               "warning: the checkpoint of update %lld is damaged (%s: %s) and was put aside",
               (long long)steps[k], first.where, first.msg);
        code = ig_run_checkpoint_put_aside(out, steps[k], err);
    }
    if (code != IG_ERR_OK && err != NULL && first.code != IG_ERR_OK)
        *err = first;
    ig_free(steps);
    return code;
}

static ig_code write_checkpoint(ig_finetune_work *w, const char *tmp, ig_err *err)
{
    IG_TRY(ig_bert_save(w->model, tmp, NULL, err));
    IG_TRY(ig_folder_json_write(json_incref(w->selection), tmp, "selection.json", 17, err));
    return ig_train_state_write(tmp, &w->state, ig_trainer_optimizer(w->trainer), w->model, err);
}

ig_code ig_finetune_checkpoint(ig_finetune_work *w, ig_err *err)
{
    const char *out = w->config->out;
    const double from = ig_clock();
    char tmp[IG_PATH];
    IG_TRY(ig_run_log_sync(&w->log, err));
    IG_TRY(ig_run_checkpoint_begin(tmp, out, w->state.update, err));
    ig_code code = write_checkpoint(w, tmp, err);
    IG_THEN(code, ig_run_checkpoint_commit(tmp, out, w->state.update, err));
    if (code != IG_ERR_OK)
        (void)ig_dir_remove(tmp, NULL); /* the first error is the one to tell */
    IG_THEN(code, ig_run_checkpoint_prune(out, &(ig_run_keep){.keep = 1}, err));
    w->saved_at = ig_clock();
    w->saving = w->saved_at - from;
    return code;
}

ig_code ig_finetune_keep_best(ig_finetune_work *w, ig_err *err)
{
    char best[IG_PATH], *tmp = NULL;
    IG_TRY(ig_folder_path(best, w->config->out, err, "best"));
    ig_code code = ig_dir_beside(&tmp, best, err);
    IG_THEN(code, ig_bert_save(w->model, tmp, NULL, err));
    IG_THEN(code, ig_dir_remove(best, err));
    IG_THEN(code, ig_rename(tmp, best, err));
    if (code != IG_ERR_OK && tmp != NULL)
        (void)ig_dir_remove(tmp, NULL);
    ig_free(tmp);
    return code;
}

ig_code ig_finetune_take_best(ig_finetune_work *w, ig_err *err)
{
    char best[IG_PATH];
    ig_bert *m;
    IG_TRY(ig_folder_path(best, w->config->out, err, "best"));
    IG_TRY(ig_tuned_model_new(&m, &w->base, best, w->config, w->task, err));
    ig_trainer_free(w->trainer);
    ig_engine_free(w->engine);
    ig_bert_free(w->model);
    w->trainer = NULL;
    w->engine = NULL;
    w->model = m;
    return IG_ERR_OK;
}
