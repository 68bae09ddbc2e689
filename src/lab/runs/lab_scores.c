/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_scores.h.
 */
#include "lab/runs/lab_scores.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "store/store_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tasks_name[] = "tasks.json";

/* One fine-tuning, and which of its models. */
typedef struct {
    ig_row_set *to;
    const char *task, *source; /* source: the language that is trained in */
    int64_t step;
    const json_t *one; /* its scores */
    bool grid;         /* one way of several */
    const char *tags;  /* of all its rows */
    ig_err *err;
} tuning;

static ig_code put(const tuning *t, const char *measure, const char *more, const char *language,
                   const json_t *of, const char *key)
{
    const json_t *x = key != NULL ? json_object_get(of, key) : NULL;
    const char *tags;
    if (!json_is_number(x))
        return IG_ERR_OK;
    IG_TRY(ig_pool_print(&t->to->pool, &tags, t->err, "%s%s", t->tags, more));
    return ig_row_set_put(t->to,
                          &(ig_row){.task = measure,
                                    .task_version = 1,
                                    .split = t->task,
                                    .tags = tags,
                                    .languages = language,
                                    .layer = -1,
                                    .last = true,
                                    .step = t->step,
                                    .n = json_integer_value(json_object_get(of, "n")),
                                    .value = json_number_value(x)},
                          t->err);
}

/* The test data of a language, else its development data. */
static const json_t *split_of(const json_t *language)
{
    const json_t *test = json_object_get(language, "test");
    return test != NULL ? test : json_object_get(language, "dev");
}

/* By label and by length. */
static ig_code put_details(const tuning *t, const char *language, const json_t *detail)
{
    static const char *const lengths[] = {"10", "20", "30", "40", "more"};
    static const char *const of_label[][2] = {
        {"label_f1", "f1"}, {"label_precision", "precision"}, {"label_recall", "recall"}};
    char tag[64];
    const char *label;
    json_t *of;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        of = json_array_get(json_object_get(detail, "by_length"), i);
        snprintf(tag, sizeof tag, ";length=%s", lengths[i]);
        if (json_integer_value(json_object_get(of, "n")) > 0)
            IG_TRY(put(t, "accuracy", tag, language, of, "accuracy"));
    }
    json_object_foreach(json_object_get(detail, "by_label"), label, of)
    {
        snprintf(tag, sizeof tag, ";label=%.40s", label);
        for (int i = 0; i < 3 && strlen(label) < 40 && strchr(label, ';') == NULL; i++)
            IG_TRY(put(t, of_label[i][0], tag, language, of, of_label[i][1]));
    }
    return IG_ERR_OK;
}

/* The scores of one model, {"LANGUAGE": {"SPLIT": …}}. Ways of a grid are chosen by the main score
 * of development data, which has rows of its own. */
static ig_code put_model(const tuning *t, const json_t *scores, bool chosen)
{
    const char *main_score = json_string_value(json_object_get(t->one, "main_score")), *language;
    const json_t *baselines = json_object_get(t->one, "baselines");
    const ig_store_task *task;
    json_t *splits;
    json_object_foreach((json_t *)(uintptr_t)scores, language, splits)
    {
        const json_t *of = split_of(splits), *base = split_of(json_object_get(baselines, language));
        for (int i = 0; (task = ig_store_task_at(i)) != NULL; i++)
            if (task->tuned)
                IG_TRY(put(t, task->name, "", language, of, task->name));
        if (t->grid)
            IG_TRY(put(t, main_score,
                       t->source != NULL && strcmp(language, t->source) == 0 ? ";on=source-dev"
                                                                             : ";on=dev",
                       language, json_object_get(splits, "dev"), main_score));
        if (!chosen)
            continue;
        for (int i = 0; i < 2; i++) {
            const char *name = i == 0 ? "majority" : "random";
            IG_TRY(put(t, name, "", language, json_object_get(base, name), main_score));
        }
        IG_TRY(put_details(t, language, json_object_get(of, "detail")));
    }
    return IG_ERR_OK;
}

/* The model that the fine-tuning has chosen, then the others that it kept. */
static ig_code put_seed(tuning *t, const char *way, const char *seed)
{
    static const char *const selections[] = {"last", "source-dev", "target-dev"};
    const json_t *selected = json_object_get(t->one, "selected");
    const char *by = json_string_value(json_object_get(selected, "by")), *tags;
    ig_pool *pool = &t->to->pool;
    IG_TRY(
        ig_pool_print(pool, &tags, t->err, "%s%stuning=%s", way, way[0] != '\0' ? ";" : "", seed));
    IG_TRY(ig_pool_print(pool, &t->tags, t->err, "%s;by=%s", tags, by != NULL ? by : "?"));
    IG_TRY(put_model(t, json_object_get(t->one, "scores"), true));
    for (int i = 0; i < 3; i++) {
        if (by != NULL && strcmp(by, selections[i]) == 0)
            continue;
        IG_TRY(ig_pool_print(pool, &t->tags, t->err, "%s;select=%s", tags, selections[i]));
        IG_TRY(put_model(t, json_object_get(json_object_get(selected, selections[i]), "scores"),
                         false));
    }
    return IG_ERR_OK;
}

static ig_code put_way(tuning *t, const char *name, const json_t *of)
{
    char way[80];
    const char *seed;
    json_t *one;
    snprintf(way, sizeof way, "%.60s", name);
    for (char *p = way; *p != '\0'; p++)
        *p = *p == '/' ? ';' : *p;
    json_object_foreach(json_object_get(of, "seeds"), seed, one)
    {
        t->one = one;
        IG_TRY(put_seed(t, way, seed));
    }
    return IG_ERR_OK;
}

static ig_code put_task(tuning *t, const json_t *of)
{
    const json_t *grid = json_object_get(of, "grid");
    const char *name;
    json_t *one;
    t->source = json_string_value(json_object_get(of, "source"));
    t->grid = grid != NULL;
    if (grid == NULL)
        return put_way(t, "", of);
    json_object_foreach((json_t *)(uintptr_t)grid, name, one) IG_TRY(put_way(t, name, one));
    return IG_ERR_OK;
}

ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err)
{
    json_t *all, *of;
    const char *name;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        tuning t = {.to = m, .task = name, .step = step, .err = err};
        IG_THEN(code, put_task(&t, of));
    }
    json_decref(all);
    return code;
}

/* --- files --- */

typedef struct {
    ig_lab_score_file *file;
    int64_t room;
    int n;
    const char *dir;
    ig_err *err;
} listing;

static ig_code list_way(listing *l, const char *task, const char *name, const json_t *of)
{
    const char *key = json_string_value(json_object_get(of, "key")), *seed;
    json_t *one;
    json_object_foreach(json_object_get(of, "seeds"), seed, one)
    {
        IG_TRY(ig_grow(&l->file, &l->room, l->n + 1, sizeof *l->file, "scores", l->err));
        ig_lab_score_file *f = &l->file[l->n];
        *f = (ig_lab_score_file){.seed = strtoll(seed, NULL, 10)};
        snprintf(f->task, sizeof f->task, "%s", task);
        snprintf(f->way, sizeof f->way, "%s", name);
        snprintf(f->path, sizeof f->path, "tasks/%.20s/seed-%lld.json", key != NULL ? key : "",
                 (long long)f->seed);
        l->n += ig_folder_has(l->dir, f->path);
    }
    return IG_ERR_OK;
}

static ig_code list_task(listing *l, const char *task, const json_t *of)
{
    const json_t *grid = json_object_get(of, "grid");
    const char *name;
    json_t *one;
    if (grid == NULL)
        return list_way(l, task, "", of);
    json_object_foreach((json_t *)(uintptr_t)grid, name, one) IG_TRY(list_way(l, task, name, one));
    return IG_ERR_OK;
}

ig_code ig_lab_score_files(ig_lab_score_file **out, int *n, const char *dir, ig_err *err)
{
    listing l = {.dir = dir, .err = err};
    json_t *all, *of;
    const char *name;
    *out = NULL;
    *n = 0;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    ig_code code = IG_ERR_OK;
    json_object_foreach(all, name, of)
    {
        IG_THEN(code, list_task(&l, name, of));
    }
    json_decref(all);
    if (code != IG_ERR_OK) {
        ig_free(l.file);
        return code;
    }
    *out = l.file;
    *n = l.n;
    return IG_ERR_OK;
}
