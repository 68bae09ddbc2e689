/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantities that an experiment file names: checked against its cells, measures and tasks.
 */
#include "experiment/experiment_parts.h"

#include "base/settings/options.h"
#include "store/store_task.h"

#include <string.h>

/* Returns whether a language, or both of a pair "en-fake" or of a task's crossed examples
 * "en+fake", is one of a cell's. */
static bool has_languages(const ig_cell *c, const char *name, const ig_store_task *task)
{
    const bool pair = task->pair, crossed = task->tuned && strchr(name, '+') != NULL;
    const ig_run_languages *l = &c->config.languages;
    char two[160];
    bool yes = false;
    for (int i = 0; i < l->n; i++) {
        yes = yes || (!pair && strcmp(l->language[i].name, name) == 0);
        for (int k = 0; (pair || crossed) && k < l->n; k++) {
            snprintf(two, sizeof two, "%.70s%c%.70s", l->language[i].name, crossed ? '+' : '-',
                     l->language[k].name);
            yes = yes || (i != k && strcmp(two, name) == 0);
        }
    }
    return yes;
}

static bool measured(ig_measure_set what, const char *task)
{
    const bool translation = ig_measure_requested(what, IG_MEASURE_translation);
    const int kind = ig_measure_of_task(task);
    if (strncmp(task, "mu", 2) == 0)
        return ig_measure_requested(what, IG_MEASURE_retrieval) && translation;
    /* Taken with word translation where words are one piece in both languages. */
    if (strcmp(task, "identical_share") == 0 || kind == IG_MEASURE_distinct)
        return translation || ig_measure_requested(what, IG_MEASURE_distinct);
    return kind < 0 || ig_measure_requested(what, kind);
}

/* A numeric layer of a report is measured. */
static ig_code want_layer(ig_experiment *e, int layer, const ig_yaml *at, ig_err *err)
{
    ig_int_list *l = &e->measure.layers;
    int i = 0;
    if (e->measure.all_layers)
        return IG_ERR_OK;
    while (i < l->n && l->v[i] < layer)
        i++;
    if (i < l->n && l->v[i] == layer)
        return IG_ERR_OK;
    if (l->n >= IG_MEASURE_MAX_LAYER - 2)
        return ig_yaml_fail(at, err, "more than %d layers to be measured",
                            IG_MEASURE_MAX_LAYER - 2);
    memmove(&l->v[i + 1], &l->v[i], (size_t)(l->n - i) * sizeof *l->v);
    l->v[i] = layer;
    l->n++;
    return IG_ERR_OK;
}

/* A text of a quantity is one that is measured, and takes its measure. */
static ig_code known_text(const ig_experiment *e, const ig_quantity *q, const ig_yaml *at,
                          const char *key, ig_err *err)
{
    const char *name[IG_MEASURE_TEXTS_MAX], *text = ig_quantity_text(q);
    for (int i = 0; i < e->measure.n_text; i++) {
        const ig_measure_text *t = &e->measure.text[i];
        name[i] = t->name;
        if (text != NULL && strcmp(name[i], text) == 0)
            return t->what == 0 || measured(t->what, q->task)
                       ? IG_ERR_OK
                       : ig_yaml_fail(at, err, "%s: %s is not measured on text '%s'", key, q->task,
                                      text);
    }
    if (strcmp(q->task, "own") == 0)
        return text != NULL
                   ? IG_ERR_OK
                   : ig_yaml_fail(at, err, "%s: expected a name, as in own[name=NAME,low]", key);
    if (text == NULL)
        return IG_ERR_OK;
    ig_yaml_fail(at, err, "%s: no text '%s' is measured", key, text);
    const char *near = ig_nearest(text, name, e->measure.n_text);
    return near != NULL ? ig_hint(err, "did you mean '%s'?", near)
                        : ig_hint(err, "measure: {text: {%s: FILE}} measures on it", text);
}

/* The way of fine-tuning that a quantity names, and which of its scores. */
static ig_code known_way(const ig_experiment_task *t, const ig_quantity *q, const ig_yaml *at,
                         const char *key, ig_err *err)
{
    const char *name[IG_EXPERIMENT_GRID];
    char way[sizeof q->tags];
    size_t n;
    ig_quantity_way(way, sizeof way, q);
    if (ig_tag_find(q->tags, "best", &n) != NULL && (way[0] != '\0' || t->n_tuning < 2))
        return ig_yaml_fail(at, err, "%s: best= is of a grid, of options that are lists", key);
    if (way[0] == '\0')
        return IG_ERR_OK;
    for (int i = 0; i < t->n_tuning; i++) {
        name[i] = t->tuning[i].name;
        if (strcmp(name[i], way) == 0)
            return ig_tag_find(q->tags, "select", &n) == NULL
                       ? IG_ERR_OK
                       : ig_yaml_fail(at, err, "%s: select= is of the whole grid", key);
    }
    ig_yaml_fail(at, err, "%s: task '%s' has no '%.60s'", key, t->name, way);
    return ig_hint_nearest(err, way, name, t->n_tuning);
}

/* A score is of a task that the experiment names, in one language. */
static ig_code known_task(const ig_experiment *e, const ig_quantity *q, const ig_yaml *at,
                          const char *key, ig_err *err)
{
    const char *name[IG_MEASURE_TASKS_MAX], *task = ig_quantity_text(q);
    if (task == NULL && strcmp(q->task, "accuracy") == 0)
        return IG_ERR_OK; /* of the masked tokens */
    for (int i = 0; i < e->n_task; i++) {
        name[i] = e->task[i].name;
        if (task != NULL && strcmp(name[i], task) == 0)
            return q->languages[0] != '\0'
                       ? known_way(&e->task[i], q, at, key, err)
                       : ig_yaml_fail(at, err, "%s: expected a language, as in %s[task=%s,en]", key,
                                      q->task, name[i]);
    }
    if (task == NULL)
        return ig_yaml_fail(at, err, "%s: expected a task, as in %s[task=NAME,en]", key, q->task);
    ig_yaml_fail(at, err, "%s: no task '%s'", key, task);
    const char *near = ig_nearest(task, name, e->n_task);
    return near != NULL ? ig_hint(err, "did you mean '%s'?", near)
                        : ig_hint(err, "tasks: {%s: …} names it", task);
}

/* The checkpoints at which a quantity is measured. */
static const ig_checkpoints *checkpoints_of(bool *task, const ig_experiment *e,
                                            const ig_quantity *q)
{
    static const ig_checkpoints none = {.kind = IG_CHECKPOINTS_END};
    const char *name = ig_quantity_text(q);
    const ig_store_task *of = ig_store_task_find(q->task);
    *task = of != NULL && of->tuned && name != NULL;
    if (!*task)
        return &e->measure.at;
    for (int i = 0; i < e->n_task; i++)
        if (strcmp(e->task[i].name, name) == 0)
            return &e->measure.task[i].at;
    return &none;
}

/* step=N is a checkpoint, or the last update of some cell. */
static ig_code known_step(const ig_experiment *e, const ig_quantity *q, const ig_yaml *at,
                          const char *key, ig_err *err)
{
    bool task;
    const int64_t step = ig_quantity_step(q);
    bool known = step < 0 || ig_checkpoints_due(checkpoints_of(&task, e, q), step);
    for (int i = 0; i < e->n_cell && !known; i++)
        known = e->cell[i].config.optimisation.updates == step;
    if (known)
        return IG_ERR_OK;
    ig_yaml_fail(at, err, "%s: nothing is %s at update %lld", key, task ? "fine-tuned" : "measured",
                 (long long)step);
    return ig_hint(err, "%s: {checkpoints: [%lld]}", task ? ig_quantity_text(q) : "measure",
                   (long long)step);
}

bool ig_experiment_over_training(bool *task, const ig_experiment *e, const ig_quantity *q)
{
    return checkpoints_of(task, e, q)->kind != IG_CHECKPOINTS_END;
}

ig_code ig_experiment_read_quantity(ig_quantity *q, ig_experiment *e, const ig_yaml *v,
                                    const ig_quantity_place *at, ig_err *err)
{
    const char *key = at->key;
    char *const *pattern = at->pattern;
    const int n_pattern = at->n_pattern;
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    IG_TRY(ig_quantity_parse(q, text, v->file, v->line, err));
    const ig_store_task *task = ig_store_task_find(q->task);
    if (task->kind == IG_STORE_TASK_LAYERED && !at->all_layers && q->layer == IG_LAYER_NONE) {
        ig_yaml_fail(v, err, "%s: '%.60s' has no layer, expected one in brackets", key, text);
        return ig_hint(err, "%s[low] and %s[high] are the layers of μ, %s[8] is the eighth",
                       q->task, q->task, q->task);
    }
    if (at->all_layers && (task->kind != IG_STORE_TASK_LAYERED || q->layer != IG_LAYER_NONE)) {
        ig_yaml_fail(v, err, "%s: '%.60s', expected a measure with layers and none of them named",
                     key, text);
        return ig_hint(err, "a figure of layers shows them all: f1, rho, tau, …");
    }
    if (!measured(e->measure.what, q->task)) {
        ig_yaml_fail(v, err, "%s: '%.60s' is not measured", key, text);
        return ig_hint(err, "measure: {what: …} leaves it out");
    }
    IG_TRY((task->tuned ? known_task : known_text)(e, q, v, key, err));
    IG_TRY(known_step(e, q, v, key, err));
    for (int i = 0; i < e->n_cell && q->languages[0] != '\0'; i++) {
        bool yes;
        if (!ig_cell_matches(e->cell[i].name, pattern, n_pattern))
            continue;
        yes = has_languages(&e->cell[i], q->languages, task);
        if (!yes) {
            ig_yaml_fail(v, err, "%s: cell '%.40s' has no %s '%.60s'", key, e->cell[i].name,
                         task->pair ? "pair of languages" : "language", q->languages);
            for (int k = 0; k < e->measure.n_text; k++)
                if (strcmp(e->measure.text[k].name, q->languages) == 0)
                    return ig_hint(err, "the text is written %s[text=%s]", q->task, q->languages);
            return ig_hint(err, "its languages are: %.200s", e->cell[i].config.languages.spec);
        }
        if (task->pair)
            yes = ig_experiment_pair_measured(e, &e->cell[i], q->languages);
        if (!yes) {
            ig_yaml_fail(v, err, "%s: the pair '%.60s' of cell '%.40s' is not measured", key,
                         q->languages, e->cell[i].name);
            return ig_hint(err, "measure: {pairs: all} compares them all, each in the order of the "
                                "languages");
        }
    }
    if (q->layer < 0)
        return IG_ERR_OK;
    IG_TRY(ig_experiment_check_layer(e, q->layer, v, key, (ig_cell_patterns){pattern, n_pattern},
                                     err));
    return want_layer(e, q->layer, v, err);
}
