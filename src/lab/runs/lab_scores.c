/* SPDX-License-Identifier: Apache-2.0
 *
 * From tasks.json of a run to rows, to the files that it was made of, and to what these say of the
 * examples that were read.
 */
#include "lab/runs/lab_scores.h"

#include "apply/folder/run_folder.h"
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
    bool last;         /* of the finished model */
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
                                    .last = t->last,
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
        {"label_f1", "f1"},
        {"label_precision", "precision"},
        {"label_recall", "recall"},
        {"accuracy", "accuracy"} /* of a phenomenon of minimal pairs */};
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
        for (int i = 0; i < 4 && strlen(label) < 40 && strchr(label, ';') == NULL; i++)
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
        if (t->last)
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

/* A way of fine-tuning in tasks.json: "" where there is no grid; step −1: of the finished model. */
typedef struct {
    const char *task, *way, *source;
    int64_t step;
    bool grid;
    const json_t *of;
} tuned_way;
typedef ig_code visit_way(void *arg, const tuned_way *w);

static ig_code each_of_model(tuned_way w, const json_t *of, visit_way *visit, void *arg)
{
    json_t *grid = json_object_get(of, "grid"), *one;
    w.grid = grid != NULL;
    w.way = "";
    w.of = of;
    if (!w.grid)
        return visit(arg, &w);
    json_object_foreach(grid, w.way, one)
    {
        w.of = one;
        IG_TRY(visit(arg, &w));
    }
    return IG_ERR_OK;
}

static ig_code each_way(const char *dir, visit_way *visit, void *arg, ig_err *err)
{
    json_t *of, *one;
    json_auto_t *all = NULL;
    const char *task, *step;
    if (!ig_folder_has(dir, tasks_name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_json(&all, dir, tasks_name, err));
    json_object_foreach(all, task, of)
    {
        tuned_way w = {
            .task = task, .source = json_string_value(json_object_get(of, "source")), .step = -1};
        IG_TRY(each_of_model(w, of, visit, arg));
        json_object_foreach(json_object_get(of, "checkpoints"), step, one)
        {
            w.step = strtoll(step, NULL, 10);
            IG_TRY(each_of_model(w, one, visit, arg));
        }
    }
    return IG_ERR_OK;
}

/* The rows, and the step of the finished model. */
typedef struct {
    tuning t;
    int64_t last_step;
} putting;

static ig_code put_way(void *arg, const tuned_way *w)
{
    putting *p = arg;
    tuning *t = &p->t;
    char way[80];
    const char *seed;
    json_t *one;
    snprintf(way, sizeof way, "%.60s", w->way);
    for (char *at = way; *at != '\0'; at++)
        *at = *at == '/' ? ';' : *at;
    t->task = w->task;
    t->source = w->source;
    t->grid = w->grid;
    t->last = w->step < 0;
    t->step = t->last ? p->last_step : w->step;
    json_object_foreach(json_object_get(w->of, "seeds"), seed, one)
    {
        t->one = one;
        IG_TRY(put_seed(t, way, seed));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_tasks_metrics(ig_row_set *m, const char *dir, int64_t step, ig_err *err)
{
    putting p = {.t = {.to = m, .err = err}, .last_step = step};
    return each_way(dir, put_way, &p, err);
}

/* --- files --- */

static ig_code list_way(void *arg, const tuned_way *w)
{
    const char *key = json_string_value(json_object_get(w->of, "key")), *seed;
    char step[40] = "";
    json_t *one;
    if (w->step >= 0)
        snprintf(step, sizeof step, "step-%08lld/", (long long)w->step);
    json_object_foreach(json_object_get(w->of, "seeds"), seed, one)
    {
        json_array_append_new(arg,
                              json_sprintf("tasks/%.20s/%sseed-%lld.json", key != NULL ? key : "",
                                           step, strtoll(seed, NULL, 10)));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_score_files(json_t **out, const char *dir, ig_err *err)
{
    json_auto_t *all = json_array();
    *out = json_array();
    IG_TRY(each_way(dir, list_way, all, err));
    size_t i;
    json_t *path;
    json_array_foreach(all, i, path)
    {
        if (ig_folder_has(dir, json_string_value(path)))
            json_array_append(*out, path);
    }
    return IG_ERR_OK;
}

/* --- examples --- */

typedef struct {
    const char *dir;
    json_t *to;
} reading;

/* Reads it of the first seed that has a record: the texts do not depend on it. */
static ig_code read_way(void *arg, const tuned_way *w)
{
    const reading *r = arg;
    const char *key = json_string_value(json_object_get(w->of, "key")), *seed, *name;
    char path[80];
    json_t *of, *text;
    json_auto_t *record = NULL, *all = json_object();
    if (w->step < 0 && key != NULL)
        json_object_foreach(json_object_get(w->of, "seeds"), seed, of)
        {
            snprintf(path, sizeof path, "tasks/%.20s/seed-%.20s.json", key, seed);
            if (record == NULL && ig_folder_has(r->dir, path))
                (void)ig_folder_json(&record, r->dir, path, NULL);
        }
    json_object_foreach(json_object_get(record, "texts"), name, text)
    {
        if (json_is_integer(json_object_get(text, "read")))
            json_object_set(all, name, json_object_get(text, "read"));
    }
    if (json_object_size(all) > 0) {
        json_t *ways = json_object_get(r->to, w->task);
        if (ways == NULL)
            json_object_set_new(r->to, w->task, ways = json_object());
        json_object_set(ways, w->way, all);
    }
    return IG_ERR_OK;
}

json_t *ig_lab_examples(const char *dir)
{
    reading r = {.dir = dir, .to = json_object()};
    (void)each_way(dir, read_way, &r, NULL); /* what cannot be read is not known */
    return r.to;
}
