/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the fine-tunings of a run. A fine-tuning stops and resumes as `isoglot finetune` does; its
 * folder is removed after its scores are written.
 */
#include "lab/work/lab_tasks.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/settings/json_file.h"
#include "finetune/finetune.h"
#include "finetune/run_task.h"
#include "finetune/scores.h"
#include "lab/runs/run_files.h"
#include "lab/work/lab_tuning.h"
#include "run/train/run_train.h"

#include <stdio.h>

static const char tasks_name[] = "tasks.json";

/* --- fine-tuning --- */

/* Reduces scores.json to the parts for tables: of details only scores by label and length, of the
 * selected model; no texts. */
static json_t *brief(const json_t *result)
{
    static const char *const keys[] = {"scores", "baselines", "selected", "main_score"};
    json_t *out = json_object(), *kept;
    const char *name;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(out, keys[i], json_deep_copy(json_object_get(result, keys[i])));
    json_object_foreach(json_object_get(out, "scores"), name, kept)
    {
        const char *split;
        json_t *of;
        json_object_foreach(kept, split, of)
            json_object_del(json_object_get(of, "detail"), "confusion");
    }
    json_object_foreach(json_object_get(out, "selected"), name, kept)
    {
        const json_t *scores = json_object_get(kept, "scores");
        if (scores != NULL)
            json_object_set_new(kept, "scores", ig_finetune_without_detail(scores));
    }
    return out;
}

/* Names what is fine-tuned: the finished model, or that of a checkpoint (step ≥ 0). */
typedef struct {
    const ig_lab_work *work;
    const ig_experiment_task *task;
    int64_t step;
} tuned;

/* The folder of one way of fine-tuning. */
static ig_code way_folder(char out[IG_PATH], const tuned *m, const ig_experiment_tuning *t,
                          ig_err *err)
{
    const char *dir = m->work->job->item->dir;
    return m->step < 0
               ? ig_folder_path(out, dir, err, "tasks/%s", t->key)
               : ig_folder_path(out, dir, err, "tasks/%s/step-%08lld", t->key, (long long)m->step);
}

/* One seed: *scores of before, or of now. */
static ig_code one_seed(json_t **scores, const tuned *m, const ig_experiment_tuning *way,
                        int64_t seed, ig_err *err)
{
    const ig_lab_work *w = m->work;
    const ig_experiment_task *t = m->task;
    char dir[IG_PATH], checkpoint[IG_PATH], path[4200], task[4200], yaml[4300], out[4200],
        model[4200], vectors[4200];
    json_t *result = NULL;
    IG_TRY(way_folder(dir, m, way, err));
    IG_TRY(ig_run_checkpoint_path(checkpoint, w->job->item->dir, m->step < 0 ? 0 : m->step, err));
    snprintf(path, sizeof path, "%s/seed-%lld.json", dir, (long long)seed);
    snprintf(task, sizeof task, "%s/tasks/task-%s", w->job->item->dir, t->tuning[0].key);
    snprintf(yaml, sizeof yaml, "%s/TASK.yaml", task);
    snprintf(out, sizeof out, "%s/tuning-%lld", dir, (long long)seed);
    if (ig_file_exists(path))
        IG_TRY(ig_json_read(&result, path, err));
    else {
        IG_TRY(ig_dir_make(dir, err));
        if (!ig_file_exists(yaml))
            IG_TRY(ig_run_task_write(&w->config, t->file, t->root, &t->world, task, err));
        snprintf(vectors, sizeof vectors, "%s/vectors.bin", w->job->item->dir);
        snprintf(model, sizeof model, "%s/tasks/model", w->job->item->dir);
        const bool is_static = w->config.trainer != IG_TRAINER_BERT;
        ig_finetune_config c;
        IG_TRY(ig_lab_tuning_config(&c, way, err));
        c.model = is_static ? model : m->step < 0 ? w->job->item->dir : checkpoint;
        c.task = yaml;
        c.out = out;
        c.vectors = is_static ? vectors : NULL;
        c.training.seed = seed;
        c.threads = w->config.threads;
        /* A vocabulary of whole words lacks most names of a task: that is what such a run measures.
         */
        c.allow_unknown = c.allow_unknown || w->config.tokens.allow_unknown ||
                          w->config.tokens.vocab_model == IG_VOCAB_WORDS;
        ig_code code = ig_finetune(&result, &c, way->given, w->stop, err);
        ig_lab_tuning_config_free(&c);
        IG_THEN(code, ig_json_write(json_incref(result), path, 12, err));
        if (code != IG_ERR_OK) {
            json_decref(result);
            return code;
        }
        IG_TRY(ig_dir_remove(out, err));
    }
    *scores = brief(result);
    json_decref(result);
    return IG_ERR_OK;
}

/* {"key": …, "seeds": {"SEED": scores}} of one way. */
static ig_code one_way(json_t **of, const tuned *m, const ig_experiment_tuning *way, ig_err *err)
{
    const ig_experiment_task *t = m->task;
    json_t *seeds = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_seed && code == IG_ERR_OK; i++) {
        char name[24];
        json_t *scores = NULL;
        snprintf(name, sizeof name, "%lld", (long long)t->seed[i]);
        code = one_seed(&scores, m, way, t->seed[i], err);
        json_object_set_new(seeds, name, scores);
    }
    *of = json_pack("{s:s, s:o}", "key", way->key, "seeds", seeds);
    return code;
}

/* All ways of one model. */
static ig_code one_model(json_t **of, const tuned *m, ig_err *err)
{
    const ig_experiment_task *t = m->task;
    const bool grid = t->tuning[0].name[0] != '\0';
    json_t *ways = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_tuning && code == IG_ERR_OK; i++) {
        json_t *one = NULL;
        code = one_way(&one, m, &t->tuning[i], err);
        json_object_set_new(ways, t->tuning[i].name, one);
    }
    *of = grid ? json_pack("{s:O}", "grid", ways) : json_incref(json_object_get(ways, ""));
    json_decref(ways);
    return code;
}

/* {"STEP": …} of the checkpoints. */
static ig_code all_checkpoints(json_t **of, const ig_lab_work *w, const ig_experiment_task *t,
                               const ig_checkpoints *at, ig_err *err)
{
    json_t *manifest, *x;
    size_t i;
    *of = NULL;
    if (at->kind == IG_CHECKPOINTS_END || w->config.trainer != IG_TRAINER_BERT)
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&manifest, w->job->item->dir, "manifest.json", err));
    json_t *steps = ig_lab_steps_json(at, json_integer_value(json_object_get(manifest, "updates")));
    ig_code code = IG_ERR_OK;
    json_decref(manifest);
    *of = json_object();
    json_array_foreach(steps, i, x)
    {
        char name[24];
        json_t *one = NULL;
        const tuned m = {w, t, json_integer_value(x)};
        snprintf(name, sizeof name, "%lld", (long long)m.step);
        IG_THEN(code, one_model(&one, &m, err));
        if (code == IG_ERR_OK)
            json_object_set_new(*of, name, one);
    }
    json_decref(steps);
    return code;
}

static ig_code one_task(json_t **of, const ig_lab_work *w, int i, ig_err *err)
{
    const ig_experiment_task *t = &w->job->experiment->task[i];
    json_auto_t *checkpoints = NULL;
    IG_TRY(one_model(of, &(tuned){w, t, -1}, err));
    IG_TRY(all_checkpoints(&checkpoints, w, t, &w->job->experiment->measure.task[i].at, err));
    char task[4200];
    snprintf(task, sizeof task, "%s/tasks/task-%s", w->job->item->dir, t->tuning[0].key);
    IG_TRY(ig_dir_remove(task, err));
    if (*of != NULL) {
        json_object_set_new(*of, "source", json_string(w->config.languages.language[0].name));
        if (checkpoints != NULL)
            json_object_set(*of, "checkpoints", checkpoints);
    }
    return IG_ERR_OK;
}

/* Writes the scores of all tasks, beside those of other experiments. */
static ig_code tune_all(const ig_lab_work *w, ig_err *err)
{
    const ig_experiment *e = w->job->experiment;
    json_t *all = NULL;
    if (ig_folder_has(w->job->item->dir, tasks_name))
        IG_TRY(ig_folder_json(&all, w->job->item->dir, tasks_name, err));
    else
        all = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < e->n_task && code == IG_ERR_OK; i++) {
        json_t *of = NULL;
        snprintf(w->slot->task, sizeof w->slot->task, "%s", e->measure.task[i].key);
        code = one_task(&of, w, i, err);
        json_object_set_new(all, e->task[i].name, of);
    }
    /* Results that an index or a manifest does not know yet are those of a run that is not done. */
    if (code == IG_ERR_OK) {
        w->slot->task[0] = '\0';
        ig_lab_remove_in(w->job->item->dir, "DONE");
    }
    IG_THEN(code, ig_folder_json_write(json_incref(all), w->job->item->dir, tasks_name, 12, err));
    json_decref(all);
    return code;
}

/* For static vectors: makes a folder with the vocabulary, languages and sizes of a model with
 * them. */
static ig_code make_model(const ig_lab_work *w, ig_err *err)
{
    char model[4200], data[4200];
    snprintf(model, sizeof model, "%s/tasks/model", w->job->item->dir);
    snprintf(data, sizeof data, "%s/data", w->job->item->dir);
    IG_TRY(ig_dir_remove(model, err));
    return ig_run_untrained(&w->config, data, model, err);
}

/* Checks that the model is the one in the manifest. */
static ig_code check_model(const char *dir, ig_err *err)
{
    char model[IG_PATH];
    IG_TRY(ig_run_latest(model, dir, err));
    return ig_manifest_check(model, err);
}

/* Updates the manifest: "measure" lists the finished fine-tunings and "time" has their seconds,
 * those of other experiments included. All else stays as the training left it. */
static ig_code update_manifest(const ig_lab_work *w, double seconds, ig_err *err)
{
    static const char took[] = "fine_tuning_seconds";
    const ig_measure_plan *p = &w->job->experiment->measure;
    const char *dir = w->job->item->dir;
    json_t *manifest;
    IG_TRY(ig_folder_json(&manifest, dir, "manifest.json", err));
    json_t *tasks = json_object();
    json_object_update(tasks, json_object_get(json_object_get(manifest, "measure"), "tasks"));
    for (int i = 0; i < p->n_task; i++)
        json_object_set_new(tasks, p->task[i].name, json_string(p->task[i].key));
    json_object_set_new(json_object_get(manifest, "measure"), "tasks", tasks);
    json_t *time = json_object_get(manifest, "time");
    seconds += json_number_value(json_object_get(time, took));
    json_object_set_new(time, took, json_real(seconds));
    const ig_code code = ig_run_files_put(manifest, dir, err);
    if (code != IG_ERR_OK) {
        json_decref(manifest);
        return code;
    }
    return ig_folder_json_write(manifest, dir, "manifest.json", 17, err);
}

ig_code ig_lab_tasks_run(const ig_lab_work *w, ig_err *err)
{
    const char *dir = w->job->item->dir;
    const double start = ig_clock();
    if (w->config.trainer == IG_TRAINER_BERT)
        IG_TRY(check_model(dir, err));
    else
        IG_TRY(make_model(w, err)); /* whoever reads vectors.bin checks it */
    IG_TRY(tune_all(w, err));
    ig_lab_remove_in(dir, "tasks/model");
    return update_manifest(w, ig_clock() - start, err);
}
