/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the parts of a fine-tuning: task, examples, model, trainer. Its checkpoints: folders like
 * those of a pre-training (apply/folder/run_dir.h) with the state of the selection beside, and
 * OUT/best, the best model so far, which is written again after resuming from an earlier
 * checkpoint.
 */
#include "finetune/work.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/device/device_name.h"
#include "run/measure/open_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ig_finetune_close(ig_finetune_work *w)
{
    ig_course_close(&w->course);
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
    while (strcmp(ig_finetune_options.row[i].name, name) != 0)
        i++;
    return given[i] != IG_GIVEN_NOT;
}

/* Options of the command line that train have no effect on minimal pairs. */
static ig_code check_untrained(const unsigned char *given, ig_err *err)
{
    for (int i = 0; i < ig_finetune_options.n; i++)
        if (given[i] == IG_GIVEN_LINE && ig_finetune_option_trains(&ig_finetune_options.row[i])) {
            char where[40];
            snprintf(where, sizeof where, "--%s", ig_finetune_options.row[i].name);
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "has no effect: minimal pairs train nothing");
        }
    return IG_ERR_OK;
}

ig_code ig_finetune_open_task(ig_finetune_work *w, const unsigned char *given, ig_err *err)
{
    ig_finetune_config *c = w->config;
    bool any = false;
    IG_TRY(ig_task_read(c->task, NULL, &w->task, err));
    if (w->task->kind == IG_TASK_MINIMAL) { /* nothing is trained */
        IG_TRY(check_untrained(given, err));
        ig_task_counts_report(w->task, NULL);
        return ig_run_latest(w->base.source.dir, c->model, err);
    }
    IG_TRY(ig_recipe_apply(c, w->task->kind, given, err));
    /* A recipe's setting applies only to tags of spans; an explicit one elsewhere is an error. */
    const bool spans = w->task->kind == IG_TASK_TAGGING && w->task->scheme != IG_SCHEME_PLAIN;
    c->bioul = c->bioul && (spans || is_given(given, "bioul"));
    if (c->bioul)
        IG_TRY(ig_task_use_bioul(w->task, err));
    for (int i = 0; i < w->task->n_set; i++)
        any = any || w->task->set[i].split == IG_SPLIT_TRAIN;
    if (!any)
        return ig_fail(err, IG_ERR_USAGE, c->task, 0, "found no training text, expected train");
    ig_task_counts_report(w->task, NULL);
    IG_TRY(check_selection(c, w->task, is_given(given, "select"), err));
    IG_TRY(ig_tuned_base_open(&w->base, c, w->task, err));
    /* Recorded is what is used. */
    if (c->length > w->base.config.max_position_embeddings)
        c->length = w->base.config.max_position_embeddings;
    ig_tuned_report_languages(&w->base.languages, w->task);
    return IG_ERR_OK;
}

static ig_code add_examples(ig_examples *e, const ig_finetune_work *w, const ig_task_set *set,
                            bool train, ig_err *err)
{
    const ig_example_input in = ig_tuned_input(&w->base, w->config, train);
    const ig_examples_as as = {w->task->kind, ig_tuned_language(&w->base.languages, set->language),
                               train};
    return ig_examples_add(e, &in, set, &as, err);
}

ig_code ig_finetune_open_data(ig_finetune_work *w, ig_err *err)
{
    const ig_task *t = w->task;
    IG_TRY(ig_alloc(&w->eval, t->n_set, sizeof *w->eval, "texts", err));
    for (int i = 0; i < t->n_set; i++) {
        const bool train = t->set[i].split == IG_SPLIT_TRAIN;
        IG_TRY(add_examples(train ? &w->train : &w->eval[i], w, &t->set[i], train, err));
    }
    w->order = (ig_example_order){.examples = &w->train,
                                  .head = w->base.head,
                                  .batch = w->config->batch,
                                  .epoch_size = w->config->epoch_size,
                                  .seed = (uint64_t)w->config->training.seed};
    return ig_example_order_open(&w->order, err);
}

static ig_trainer_options trainer_options(const ig_finetune_config *c, int64_t steps)
{
    ig_trainer_options o = ig_trainer_options_of(&c->training, steps);
    /* int(.1 T), as the programs have it. */
    o.set.warmup = (int64_t)(c->warmup < 1 ? floor(c->warmup * (double)o.n_update) : c->warmup);
    return o;
}

/* Returns whether an edit learns from a run's text. */
static bool wants_corpus(const ig_edit_specs *specs)
{
    for (int i = 0; i < specs->n; i++) {
        const ig_edit_spec *e = &specs->spec[i];
        if (e->text == NULL && e->means == NULL &&
            (e->kind <= IG_EDIT_SPEC_ROTATE || ig_edit_units_look(e)))
            return true;
    }
    return false;
}

ig_code ig_finetune_open_corpus(ig_open_run *run, const ig_edit_specs *specs, const char *model,
                                ig_err *err)
{
    char dir[IG_PATH];
    *run = (ig_open_run){0};
    return wants_corpus(specs) && ig_run_find(dir, model, NULL) == IG_ERR_OK
               ? ig_open_run_corpora(run, model, err)
               : IG_ERR_OK;
}

/* Learns edits from a temporary model: a resumed fine-tuning has other weights, and edits must be
 * the same. */
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
    for (int i = 0; i < w->edits.n && code == IG_ERR_OK; i++)
        if (w->edits.edit[i].kind == IG_EDIT_BIAS)
            code = ig_fail(err, IG_ERR_USAGE, "edit", 0,
                           "fill: mean at layer %d: found no bias in the model's blocks that could "
                           "keep it, expected fill: zero",
                           w->edits.edit[i].layer);
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
    ig_code code = ig_finetune_open_corpus(&run, &w->edit_specs, w->base.source.dir, err);
    IG_THEN(code, ig_bert_load(&model, w->base.source.dir, NULL, err));
    IG_THEN(code, learn(w, model, run.setup.dev, err));
    ig_bert_free(model);
    ig_open_run_close(&run);
    return code;
}

/* Reads the selection of a checkpoint, or starts one. */
static ig_code open_selection(ig_finetune_work *w, const char *from, ig_err *err)
{
    json_decref(w->selection);
    w->selection = NULL;
    if (from != NULL)
        return ig_folder_json(&w->selection, from, "selection.json", err);
    w->selection = ig_selection_new();
    return w->selection != NULL
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, w->course.out, 0, "not enough memory");
}

/* ig_course's build; from NULL: of the folder that is fine-tuned. */
static ig_code build(void *arg, const char *from, ig_err *err)
{
    ig_finetune_work *w = arg;
    const ig_finetune_config *c = w->config;
    ig_course *k = &w->course;
    const int64_t steps = ig_example_order_steps(&w->order);
    IG_TRY(ig_tuned_model_new(&k->model, &w->base, from, c, w->task, err));
    ig_device_report(c->device, ig_bert_get_config(k->model));
    if (from == NULL)
        IG_TRY(ig_edits_change_weights(k->model, &w->edit_specs, &w->edits, err));
    k->options = trainer_options(c, steps);
    k->options.source =
        (ig_trainer_source){.get = ig_example_order_get, .of = &w->order, .steps_per_epoch = steps};
    IG_TRY(ig_course_make(k, w->team, err));
    IG_TRY(ig_engine_set_edits(k->engine, w->edits.edit, w->edits.n, err));
    IG_TRY(ig_tuned_groups(ig_trainer_optimizer(k->trainer), k->model, c, err));
    return open_selection(w, from, err);
}

/* ig_course's write_model. */
static ig_code write_model(void *arg, const char *dir, ig_err *err)
{
    const ig_finetune_work *w = arg;
    IG_TRY(ig_bert_save(w->course.model, dir, NULL, err));
    return ig_folder_json_write(json_incref(w->selection), dir, "selection.json", 17, err);
}

void ig_finetune_begin(ig_finetune_work *w, const volatile sig_atomic_t *stop)
{
    w->course = (ig_course){.out = w->config->out,
                            .max_time = w->config->max_time,
                            .stop = stop,
                            .log_every = w->config->log_every,
                            .head = w->base.head,
                            .save_every = w->config->save_every,
                            .save_seconds = w->config->save_every > 0 ? 0 : 600,
                            .keep = {.keep = 1},
                            .build = build,
                            .write = write_model,
                            .arg = w};
}

int64_t ig_finetune_eval_every(const ig_finetune_work *w)
{
    const ig_finetune_config *c = w->config;
    const double epoch = (double)ig_example_order_steps(&w->order) /
                         (double)w->course.options.set.accum; /* updates */
    const double every = c->eval_every >= 1  ? c->eval_every
                         : c->eval_every > 0 ? c->eval_every * epoch
                                             : epoch;
    return every < 1 ? 1 : (int64_t)every;
}

ig_code ig_finetune_keep_best(ig_finetune_work *w, ig_err *err)
{
    char best[IG_PATH], *tmp = NULL;
    IG_TRY(ig_folder_path(best, w->config->out, err, "best"));
    ig_code code = ig_dir_beside(&tmp, best, err);
    IG_THEN(code, ig_bert_save(w->course.model, tmp, NULL, err));
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
    ig_course_drop(&w->course);
    w->course.model = m;
    return IG_ERR_OK;
}
