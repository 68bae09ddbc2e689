/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a fine-tuning: update, log line, evaluation, checkpoint; see finetune.h. The log is
 * cut back to where it was when the checkpoint was made, so that it has every line once.
 */
#include "finetune/finetune.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "finetune/minimal.h"
#include "finetune/record.h"
#include "finetune/scores.h"
#include "finetune/work.h"
#include "model/device/device_name.h"

typedef struct {
    ig_finetune_work work;
    int lock;
    bool made, is_new;    /* the folder; the record in it */
    int64_t resumed_from; /* −1: started from the beginning */
} run;

/* --- evaluation --- */

/* Scores for ig_selection_source. */
static ig_code score(void *of, json_t *scores, const ig_task_set *set, ig_err *err)
{
    ig_finetune_work *w = of;
    const char *split = ig_split_names[set->split];
    json_t *language = json_object_get(scores, set->language), *one;
    const ig_examples *e = &w->eval[set - w->task->set];
    if (language == NULL) {
        language = json_object();
        json_object_set_new(scores, set->language, language);
    }
    if (json_object_get(language, split) != NULL)
        return IG_ERR_OK;
    ig_prediction p;
    ig_example_loss loss;
    IG_TRY(ig_prediction_new(&p, set, err));
    ig_code code = ig_examples_predict(
        &p, &loss, e,
        &(ig_states_parts){.engine = w->course.engine, .model = w->course.model, .team = w->team},
        w->base.head, err);
    IG_THEN(code, ig_finetune_scores(&one, w->task, set, &p, loss.nll / (double)loss.n, err));
    if (code == IG_ERR_OK) {
        json_object_set_new(language, split, one);
        json_t *detail = NULL;
        if (w->task->kind != IG_TASK_PARSING)
            code = ig_finetune_detail(&detail, w->task, set, &p, err);
        if (detail != NULL)
            json_object_set_new(one, "detail", detail);
    }
    ig_prediction_free(&p);
    return code;
}

static ig_code evaluate(ig_finetune_work *w, bool last, ig_err *err)
{
    const ig_selection_source s = {score, w, w->task, ig_finetune_main_score(w->task)};
    ig_selection_news news;
    if (!last && !ig_selection_possible(w->task, IG_SELECT_TARGET))
        return IG_ERR_OK; /* no development text */
    IG_TRY(ig_selection_step(w->selection, &s, w->course.state.update, last, &news, err));
    const int select = w->config->select;
    if ((select == IG_SELECT_SOURCE && news.source) || (select == IG_SELECT_TARGET && news.target))
        IG_TRY(ig_finetune_keep_best(w, err));
    const json_t *scores = json_object_get(json_object_get(w->selection, "last"), "scores");
    return ig_course_log(&w->course,
                         json_pack("{s:I, s:o}", "step", (json_int_t)w->course.state.update,
                                   "scores", ig_finetune_without_detail(scores)),
                         err);
}

/* --- the loop --- */

/* Patience is over. */
static bool gave_up(const ig_finetune_work *w)
{
    return w->config->patience > 0 && ig_selection_waited(w->selection) >= w->config->patience;
}

static ig_code train_loop(ig_finetune_work *w, ig_err *err)
{
    ig_course *c = &w->course;
    const int64_t every = ig_finetune_eval_every(w);
    c->saved_at = c->started = ig_clock();
    while (c->state.update < c->options.n_update && !gave_up(w)) {
        ig_trainer_report u;
        IG_TRY(ig_course_step(c, &u, err));
        const bool last = u.update == c->options.n_update;
        if (!last && u.update % every == 0)
            IG_TRY(evaluate(w, false, err));
        const bool stop = ig_course_why_stop(c) != NULL;
        if (!last && (stop || ig_course_save_due(c)))
            IG_TRY(ig_course_checkpoint(c, err));
        if (!last && stop)
            return ig_course_stopped(c, "", err);
    }
    return evaluate(w, true, err);
}

/* --- the folder --- */

static json_t *counts_json(const ig_example_counts *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "cut", (json_int_t)c->n_cut, "divided",
                     (json_int_t)c->n_divided, "words_without_pieces", (json_int_t)c->n_empty,
                     "words_not_seen", (json_int_t)c->n_unseen, "pieces",
                     (json_int_t)c->unknown.n_piece, "unknown_pieces",
                     (json_int_t)c->unknown.n_unknown);
}

/* Returns the counts of the texts: {"train": {…}, "LANGUAGE SPLIT": {…}}. "train" has the examples
 * of all training texts. */
static json_t *texts_json(const ig_finetune_work *w)
{
    json_t *j = json_pack("{s:o}", "train", counts_json(&w->train.count));
    for (int i = 0; i < w->task->n_set; i++) {
        const ig_task_set *s = &w->task->set[i];
        char name[128];
        snprintf(name, sizeof name, "%.80s %s", s->language, ig_split_names[s->split]);
        json_t *counts = ig_task_counts_json(s);
        if (s->split != IG_SPLIT_TRAIN) {
            json_t *examples = counts_json(&w->eval[i].count);
            json_object_update(counts, examples);
            json_decref(examples);
        }
        json_object_set_new(j, name, counts);
    }
    return j;
}

static json_t *result_json(const ig_finetune_work *w)
{
    const ig_train_state *s = &w->course.state;
    json_t *scores,
        *selected = ig_selection_json(w->selection, (ig_select_kind)w->config->select, &scores),
        *labels = json_array();
    for (int32_t i = 0; i < w->task->labels.n; i++)
        json_array_append_new(labels, json_string(w->task->labels.name[i]));
    const double seconds = s->seconds > 0 ? s->seconds : 1;
    return json_pack(
        "{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:{s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:f, s:I}}",
        "scores", scores, "selected", selected, "kind", ig_task_kind_names[w->task->kind],
        "main_score", ig_finetune_main_score(w->task), "labels", labels, "texts", texts_json(w),
        "settings", ig_options_json(&ig_finetune_options, w->config), "run", "updates",
        (json_int_t)s->update, "examples", (json_int_t)w->train.n, "parameters",
        (json_int_t)ig_bert_n_value(w->course.model), "seconds", s->seconds, "tokens_per_second",
        (double)s->total_token / seconds, "model_gflops", s->total_flop / seconds * 1e-9, "tokens",
        (json_int_t)s->total_token, "loss", s->line_loss, "peak_memory",
        (json_int_t)ig_peak_memory());
}

static ig_code finish(run *r, json_t **result, ig_err *err)
{
    ig_finetune_work *w = &r->work;
    const char *out = w->config->out;
    char path[IG_PATH];
    *result = result_json(w);
    if (*result == NULL)
        return ig_fail(err, IG_ERR_MEMORY, out, 0, "not enough memory for the result");
    if (w->task->kind == IG_TASK_TAGGING)
        json_object_set_new(*result, "scheme", json_string(ig_tag_scheme_names[w->task->scheme]));
    json_t *baselines;
    IG_TRY(ig_finetune_baselines(&baselines, w->task, (uint64_t)w->config->training.seed, err));
    json_object_set_new(*result, "baselines", baselines);
    if (w->config->select != IG_SELECT_LAST)
        IG_TRY(ig_finetune_take_best(w, err));
    IG_TRY(ig_tuned_model_save(w->course.model, &w->base, w->config, w->task, out, err));
    IG_TRY(ig_folder_json_write(json_incref(*result), out, "scores.json", 12, err));
    static const char *const done[] = {"checkpoints", "best"};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        IG_TRY(ig_folder_path(path, out, err, "%s", done[i]));
        IG_TRY(ig_dir_remove(path, err));
    }
    return IG_ERR_OK;
}

/* Writes run.json, or checks that it is the same. One that was killed before its first checkpoint
 * has nothing to keep: a corrected command takes its place. */
static ig_code check_record(run *r, ig_err *err)
{
    ig_finetune_work *w = &r->work;
    const char *out = w->config->out;
    json_t *record;
    IG_TRY(ig_finetune_record(&record, w->config, w->task, w->base.source.dir, err));
    ig_code code = IG_ERR_OK;
    r->is_new = !ig_folder_has(out, "run.json");
    if (!r->is_new) {
        bool started = true;
        code = ig_finetune_record_check(record, out, err);
        if (code == IG_ERR_USAGE && !ig_folder_has(out, "scores.json") &&
            ig_run_dir_begun(&started, out, NULL) == IG_ERR_OK && !started) {
            ig_run_dir_empty(out);
            r->is_new = true;
            code = IG_ERR_OK;
        }
    }
    if (code == IG_ERR_OK && r->is_new)
        code = ig_folder_json_write(json_incref(record), out, "run.json", 17, err);
    json_decref(record);
    return code;
}

/* Finds whether it has finished before: then its result. */
static ig_code find_result(const run *r, json_t **result, ig_err *err)
{
    const char *out = r->work.config->out;
    return ig_folder_has(out, "scores.json") ? ig_folder_json(result, out, "scores.json", err)
                                             : IG_ERR_OK;
}

static ig_code begin(run *r, json_t **result, const volatile sig_atomic_t *stop, ig_err *err)
{
    ig_finetune_work *w = &r->work;
    const char *out = w->config->out;
    r->made = !ig_dir_exists(out);
    IG_TRY(ig_run_dir_lock(&r->lock, out, err));
    IG_TRY(ig_run_dir_clean(out, err));
    IG_TRY(check_record(r, err));
    IG_TRY(find_result(r, result, err));
    if (*result != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_finetune_open_data(w, err));
    IG_TRY(ig_team_new(&w->team, (int)w->config->threads, err));
    IG_TRY(ig_finetune_learn_edits(w, err));
    ig_finetune_begin(w, stop);
    IG_TRY(ig_course_resume(&w->course, &r->resumed_from, err));
    return ig_course_open_log(&w->course, err);
}

/* A task without training: its scores, in a folder that has no model. */
static ig_code score_pairs(run *r, json_t **result, const volatile sig_atomic_t *stop, ig_err *err)
{
    const ig_finetune_config *c = r->work.config;
    r->made = !ig_dir_exists(c->out);
    IG_TRY(ig_run_dir_lock(&r->lock, c->out, err));
    IG_TRY(ig_run_dir_clean(c->out, err));
    IG_TRY(check_record(r, err));
    IG_TRY(find_result(r, result, err));
    if (*result != NULL)
        return IG_ERR_OK;
    IG_TRY(ig_minimal_pairs(result, c, r->work.task, stop, err));
    return ig_folder_json_write(json_incref(*result), c->out, "scores.json", 12, err);
}

ig_code ig_finetune(json_t **result, ig_finetune_config *c, const unsigned char *given,
                    const volatile sig_atomic_t *stop, ig_err *err)
{
    run r = {.work = {.config = c}, .resumed_from = -1, .lock = -1};
    *result = NULL;
    ig_code code = ig_device_choose(c->device, err);
    IG_THEN(code, ig_finetune_open_task(&r.work, given, err));
    if (code == IG_ERR_OK) {
        code = r.work.task->kind == IG_TASK_MINIMAL ? score_pairs(&r, result, stop, err)
                                                    : begin(&r, result, stop, err);
        if (code != IG_ERR_OK && r.is_new)
            ig_run_dir_abandon(c->out, r.made);
    }
    if (code == IG_ERR_OK && *result == NULL) {
        ig_progress_begin("fine-tune", r.work.course.options.n_update);
        code = train_loop(&r.work, err);
        ig_progress_end();
        IG_THEN(code, finish(&r, result, err));
    }
    if (code == IG_ERR_OK && r.resumed_from > 0)
        ig_log(IG_LOG_NORMAL, "went on from update %lld", (long long)r.resumed_from);
    if (code != IG_ERR_OK) {
        json_decref(*result);
        *result = NULL;
    }
    ig_finetune_close(&r.work);
    ig_run_dir_unlock(r.lock);
    return code;
}
