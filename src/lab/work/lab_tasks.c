/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_tasks.h. A fine-tuning stops and goes on as `isoglot finetune` does; its folder is
 * removed once its scores are written.
 */
#include "lab/work/lab_tasks.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "finetune/finetune.h"
#include "finetune/run_task.h"
#include "run/manifest.h"
#include "run/run_dir.h"
#include "run/run_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char tasks_name[] = "tasks.json";

/* --- fine-tuning --- */

/* What the tables need of scores.json: no confusions, no texts. */
static json_t *brief(const json_t *result)
{
    static const char *const keys[] = {"scores", "baselines", "selected", "main_score", "run"};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(out, keys[i], json_object_get(result, keys[i]));
    json_t *copy = json_deep_copy(out), *language, *split;
    const char *name, *of;
    json_decref(out);
    json_object_del(json_object_get(copy, "selected"), "last");
    json_object_del(json_object_get(copy, "selected"), "source-dev");
    json_object_del(json_object_get(copy, "selected"), "target-dev");
    json_object_foreach(json_object_get(copy, "scores"), name, language)
    {
        json_object_foreach(language, of, split) json_object_del(split, "detail");
    }
    return copy;
}

static ig_code tune(json_t **result, const ig_lab_work *w, const ig_experiment_task *t,
                    int64_t seed, char *yaml, char *out, ig_err *err)
{
    ig_finetune_config c = t->config; /* its texts are shared, and recipes set none that is set */
    static const char *const texts[] = {"rates", "freeze"};
    c.rates = c.freeze = NULL;
    ig_code code = IG_ERR_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && code == IG_ERR_OK; i++) {
        const char *text = i == 0 ? t->config.rates : t->config.freeze;
        if (text != NULL)
            code = ig_options_set(ig_finetune_options, IG_FINETUNE_N_OPTION, &c, texts[i], text,
                                  NULL, 0, err);
    }
    c.config = NULL;
    c.seed = seed;
    c.threads = w->config.threads;
    char *const dir = w->item->dir;
    if (code == IG_ERR_OK) {
        ig_finetune_config with = c;
        with.model = dir;
        with.task = yaml;
        with.out = out;
        code = ig_finetune(result, &with, t->given, w->stop, err);
        c.rates = with.rates; /* a recipe may have set them */
        c.freeze = with.freeze;
    }
    c.model = c.task = c.out = NULL;
    ig_options_free(ig_finetune_options, IG_FINETUNE_N_OPTION, &c);
    return code;
}

/* One seed: *scores of before, or of now. */
static ig_code one_seed(json_t **scores, const ig_lab_work *w, const ig_experiment_task *t,
                        const char *dir, int64_t seed, ig_err *err)
{
    char path[4200], task[4200], out[4200];
    snprintf(path, sizeof path, "%s/seed-%lld.json", dir, (long long)seed);
    snprintf(task, sizeof task, "%s/task", dir);
    snprintf(out, sizeof out, "%s/tuning-%lld", dir, (long long)seed);
    if (ig_file_exists(path))
        return ig_json_read(scores, path, err);
    char yaml[4300];
    snprintf(yaml, sizeof yaml, "%s/TASK.yaml", task);
    if (!ig_file_exists(yaml))
        IG_TRY(ig_run_task_write(&w->config, t->file, &t->world, task, err));
    json_t *result;
    IG_TRY(tune(&result, w, t, seed, yaml, out, err));
    *scores = brief(result);
    json_decref(result);
    IG_TRY(ig_json_write(json_incref(*scores), path, 12, err));
    return ig_dir_remove(out, err);
}

static ig_code one_task(json_t **of, const ig_lab_work *w, const ig_experiment_task *t, ig_err *err)
{
    char dir[4096], task[4200];
    const int n = snprintf(dir, sizeof dir, "%s/tasks/%s", w->item->dir, t->key);
    if (n < 0 || (size_t)n >= sizeof dir)
        return ig_fail(err, IG_ERR_IO, w->item->dir, 0, "the path is too long");
    IG_TRY(ig_dir_make(dir, err));
    json_t *seeds = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_seed && code == IG_ERR_OK; i++) {
        char name[24];
        json_t *scores = NULL;
        snprintf(name, sizeof name, "%lld", (long long)t->seed[i]);
        code = one_seed(&scores, w, t, dir, t->seed[i], err);
        json_object_set_new(seeds, name, scores);
    }
    if (code == IG_ERR_OK) {
        snprintf(task, sizeof task, "%s/task", dir);
        code = ig_dir_remove(task, err);
    }
    *of = json_pack("{s:s, s:O}", "key", t->key, "seeds", seeds);
    json_decref(seeds);
    return code;
}

/* The scores of all tasks, beside those of other experiments. */
static ig_code tune_all(const ig_lab_work *w, ig_err *err)
{
    const ig_experiment *e = w->experiment;
    json_t *all = NULL;
    char *path;
    if (ig_folder_has(w->item->dir, tasks_name))
        IG_TRY(ig_folder_json(&all, w->item->dir, tasks_name, err));
    else
        all = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < e->n_task && code == IG_ERR_OK; i++) {
        json_t *of = NULL;
        code = one_task(&of, w, &e->task[i], err);
        json_object_set_new(all, e->task[i].name, of);
    }
    if (code == IG_ERR_OK)
        code = ig_path_join(&path, w->item->dir, tasks_name, err);
    if (code == IG_ERR_OK) {
        code = ig_json_write(json_incref(all), path, 12, err);
        ig_free(path);
    }
    json_decref(all);
    return code;
}

/* The model is the one that the manifest tells of. */
static ig_code check_model(const char *dir, ig_err *err)
{
    char *model;
    IG_TRY(ig_run_latest(&model, dir, err));
    const ig_code code = ig_manifest_check(model, err);
    ig_free(model);
    return code;
}

/* "measure" of the manifest: which fine-tunings are done. All else stays as the training left it.
 */
static ig_code tell_manifest(const ig_lab_work *w, ig_err *err)
{
    const ig_measure_plan *p = &w->experiment->measure;
    const char *dir = w->item->dir;
    json_t *manifest;
    char *path;
    IG_TRY(ig_folder_json(&manifest, dir, "manifest.json", err));
    json_t *tasks = json_object();
    json_object_update(tasks, json_object_get(json_object_get(manifest, "measure"), "tasks"));
    for (int i = 0; i < p->n_task; i++)
        json_object_set_new(tasks, p->task[i].name, json_string(p->task[i].key));
    json_object_set_new(json_object_get(manifest, "measure"), "tasks", tasks);
    ig_code code = ig_path_join(&path, dir, "manifest.json", err);
    if (code == IG_ERR_OK) {
        code = ig_json_write(json_incref(manifest), path, 17, err);
        ig_free(path);
    }
    json_decref(manifest);
    return code;
}

ig_code ig_lab_tasks_run(const ig_lab_work *w, ig_err *err)
{
    const char *dir = w->item->dir;
    IG_TRY(check_model(dir, err));
    IG_TRY(tune_all(w, err));
    /* Results that an index does not know yet are those of a run that is not done. */
    ig_lab_remove_in(dir, "DONE");
    return tell_manifest(w, err);
}

/* --- scores --- */

/* The test data of a language, else its development data. */
static const json_t *split_of(const json_t *language)
{
    const json_t *test = json_object_get(language, "test");
    return test != NULL ? test : json_object_get(language, "dev");
}

/* One seed's score of a language, or the main score of a baseline; NULL: it has none. *n: of how
 * many words or texts. */
static const json_t *value_of(int64_t *n, const json_t *one, const char *language,
                              const char *score)
{
    const char *const main_score = json_string_value(json_object_get(one, "main_score"));
    const json_t *of = split_of(json_object_get(json_object_get(one, "scores"), language));
    const bool baseline = strcmp(score, "majority") == 0 || strcmp(score, "random") == 0;
    if (baseline)
        of = json_object_get(split_of(json_object_get(json_object_get(one, "baselines"), language)),
                             score);
    const json_t *x =
        baseline && main_score == NULL ? NULL : json_object_get(of, baseline ? main_score : score);
    *n = json_integer_value(json_object_get(of, "n"));
    return json_is_number(x) ? x : NULL;
}

static ig_code put(ig_store_metrics *m, const char *score, const char *task, const char *language,
                   int64_t step, int64_t n, double value, ig_err *err)
{
    return ig_store_metrics_put(m,
                                &(ig_store_metric){.task = score,
                                                   .task_version = 1,
                                                   .split = task,
                                                   .languages = language,
                                                   .layer = -1,
                                                   .last = true,
                                                   .step = step,
                                                   .n = n,
                                                   .value = value},
                                err);
}

/* Mean of a score over the seeds, and of the main one its spread over them. */
static ig_code put_score(ig_store_metrics *m, const json_t *seeds, const char *score,
                         const char *task, const char *language, int64_t step, ig_err *err)
{
    double sum = 0, square = 0;
    int n = 0;
    bool is_main = false;
    int64_t size = 0;
    const char *seed;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)seeds, seed, one)
    {
        const json_t *x = value_of(&size, one, language, score);
        const char *name = json_string_value(json_object_get(one, "main_score"));
        if (x == NULL)
            continue;
        is_main = name != NULL && strcmp(name, score) == 0;
        sum += json_number_value(x);
        n++;
    }
    if (n == 0)
        return IG_ERR_OK;
    const double mean = sum / n;
    IG_TRY(put(m, score, task, language, step, size, mean, err));
    json_object_foreach((json_t *)(uintptr_t)seeds, seed, one)
    {
        const json_t *x = value_of(&size, one, language, score);
        const double d = x != NULL ? json_number_value(x) - mean : 0;
        square += d * d;
    }
    return is_main && n > 1
               ? put(m, "tuning_sd", task, language, step, n, sqrt(square / (n - 1)), err)
               : IG_ERR_OK;
}

static ig_code put_task(ig_store_metrics *m, const json_t *seeds, const char *task, int64_t step,
                        ig_err *err)
{
    const json_t *first = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)seeds));
    const char *language;
    json_t *splits;
    json_object_foreach(json_object_get(first, "scores"), language, splits)
    {
        for (int i = 0; ig_store_task_at(i) != NULL; i++)
            if (ig_store_task_at(i)->tuned && strcmp(ig_store_task_at(i)->name, "tuning_sd") != 0)
                IG_TRY(put_score(m, seeds, ig_store_task_at(i)->name, task, language, step, err));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_tasks_metrics(ig_store_metrics *m, const char *dir, int64_t step, ig_err *err)
{
    json_t *all, *of;
    const char *name;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        if (code == IG_ERR_OK)
            code = put_task(m, json_object_get(of, "seeds"), name, step, err);
    }
    json_decref(all);
    return code;
}
