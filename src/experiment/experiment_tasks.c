/* SPDX-License-Identifier: Apache-2.0
 *
 * `tasks:` of an experiment file: names of tasks, each a TASK.yaml or one of the run's world, with
 * seeds and the ways of fine-tuning for it (experiment_tuning.c).
 */
#include "experiment/experiment_parts.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* Keys that a task has or not. */
typedef struct {
    const ig_yaml *file, *world, *count;
} task_keys;

void ig_experiment_task_free(ig_experiment_task *t)
{
    ig_free(t->file);
    for (int i = 0; i < t->n_tuning; i++) {
        ig_experiment_tuning *way = &t->tuning[i];
        ig_options_free(&ig_finetune_options, &way->config);
        for (int k = 0; k < way->n_edit_file; k++)
            ig_free(way->edit_file[k]);
        IG_FREE(way->edit_file, way->edit);
    }
    ig_free(t->tuning);
}

/* Beside the experiment file, else below the data root. */
static ig_code read_file(ig_experiment_task *t, const ig_experiment *e, const ig_yaml *v,
                         ig_err *err)
{
    const char *path;
    IG_TRY(ig_yaml_text(&path, v, "task", err));
    return ig_path_named(&t->file, v->file, e->data_root, path, err);
}

/* What the languages and models of the cells cannot do is said before the training, not after it:
 * a transform that reads trees has none to read in a task without, nor one of agreement in any, and
 * in a causal model the first token, of which a sequence's class is read, sees no other. `file`
 * NULL: a task of the world, which has data of each language; else those that it names, and of
 * languages that are made of the first one's text. */
static ig_code check_kind(const ig_experiment *e, ig_task_kind kind, const ig_task *file,
                          const char *where, uint64_t line, ig_err *err)
{
    const bool classes = kind == IG_TASK_PAIR || kind == IG_TASK_SINGLE;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_run_config *c = &e->cell[i].config;
        if (classes && c->trainer == IG_TRAINER_BERT && c->objective.batching.causal_share >= 1)
            return ig_fail(
                err, IG_ERR_USAGE, where, line,
                "a task of classes of texts, which are read at the first token, but cell "
                "'%.60s' is causal: it sees no other there, expected labels of words",
                e->cell[i].name);
        for (int k = 0; k < c->languages.n; k++) {
            const ig_language_words *l = &c->languages.language[k];
            bool made = file == NULL || (l->text[0] == '\0' && !l->world);
            for (int s = 0; file != NULL && s < file->n_set && !made; s++)
                made = strcmp(file->set[s].language, l->name) == 0;
            ig_word_pipeline p = {0};
            ig_code code = ig_word_pipeline_parse(&p, l->words, l->name, l->at_words, err);
            const bool trees = kind == IG_TASK_PARSING;
            const ig_word_transform *reads =
                trees ? ig_word_pipeline_agreement(&p) : ig_word_pipeline_trees(&p);
            if (code == IG_ERR_OK && made && reads != NULL)
                code = ig_fail(err, IG_ERR_USAGE, where, line,
                               "a task without %s, but '%.60s' of cell '%.60s' is made by '%s', "
                               "which reads %s",
                               trees ? "the number of verbs" : "trees", l->name, e->cell[i].name,
                               reads->name, trees ? "it" : "them, expected a parsing task");
            ig_word_pipeline_free(&p);
            IG_TRY(code);
        }
    }
    return IG_ERR_OK;
}

/* Layers, heads and neurons of edits that are written in the file; those of a file that is named
 * are checked when they are made. */
static ig_code check_edits(const ig_experiment *e, const ig_experiment_task *t, const ig_yaml *map,
                           ig_err *err)
{
    for (int i = 0; i < t->n_tuning; i++) {
        const char *text = t->tuning[i].config.edit;
        ig_edit_specs s = {0};
        if (text == NULL || strchr("{[", text[strspn(text, " \t\r\n")]) == NULL)
            continue;
        ig_code code = ig_edit_specs_add(&s, text, err);
        for (int k = 0; k < s.n && code == IG_ERR_OK; k++)
            code = ig_experiment_check_edit(e, &s.spec[k], ig_experiment_value(map, "edit"), err);
        ig_edit_specs_free(&s);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

/* Minimal pairs have no training that an option could decide. */
static ig_code check_untrained(const ig_yaml *map, ig_err *err)
{
    for (int i = 0; i < map->n; i++) {
        const char *key = map->key[i]->text;
        bool trains = strcmp(key, "train") == 0; /* examples to train on */
        for (int k = 0; k < ig_finetune_options.n; k++)
            trains = trains || (ig_yaml_same_key(ig_finetune_options.row[k].name, key) &&
                                ig_finetune_option_trains(&ig_finetune_options.row[k]));
        if (trains && !map->item[i]->removed && !ig_yaml_is_null(map->item[i]))
            return ig_yaml_fail(map->key[i], err,
                                "tasks: '%s' has no effect: minimal pairs train nothing", key);
    }
    return IG_ERR_OK;
}

static ig_code read_world(ig_experiment_task *t, const ig_experiment *e, const ig_yaml *v,
                          const ig_yaml *map, ig_err *err)
{
    static const ig_task_kind kinds[IG_N_WORLD_TASK] = {
        IG_TASK_TAGGING, IG_TASK_TAGGING, IG_TASK_PARSING, IG_TASK_PAIR, IG_TASK_MINIMAL};
    int k = 0;
    while (v->kind == IG_YAML_SCALAR && k < IG_N_WORLD_TASK &&
           strcmp(v->text, ig_world_task_names[k]) != 0)
        k++;
    if (v->kind != IG_YAML_SCALAR || k == IG_N_WORLD_TASK)
        return ig_yaml_wrong(v, "world", "tags, entities, trees, entailment or minimal", err);
    t->world.kind = (ig_world_task_kind)k;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_run_config *c = &e->cell[i].config;
        const ig_language_words *l = c->languages.language; /* the first trains */
        if (c->data.text != NULL || (c->languages.n > 0 && l->text[0] != '\0' && !l->world))
            return ig_yaml_fail(v, err, "world: cell '%.60s' has a text, expected task: TASK.yaml",
                                e->cell[i].name);
    }
    if (kinds[k] == IG_TASK_MINIMAL)
        IG_TRY(check_untrained(map, err));
    return check_kind(e, kinds[k], NULL, v->file, v->line, err);
}

static ig_code hash_files(json_t *j, const ig_task *t, ig_hash_cache *cache, ig_err *err)
{
    char hex[IG_SHA256_HEX], name[128];
    IG_TRY(ig_hash_cache_file(hex, t->path, cache, err));
    json_object_set_new(j, "task", json_string(hex));
    for (int i = 0; i < t->n_set; i++)
        for (int k = 0; k < t->set[i].n_file; k++) {
            IG_TRY(ig_hash_cache_file(hex, t->set[i].file[k], cache, err));
            snprintf(name, sizeof name, "%s %.80s %d", ig_split_names[t->set[i].split],
                     t->set[i].language, k);
            json_object_set_new(j, name, json_string(hex));
        }
    return IG_ERR_OK;
}

static bool all_there(const ig_task *t)
{
    bool all = true;
    for (int i = 0; i < t->n_set; i++)
        for (int k = 0; k < t->set[i].n_file; k++)
            all = all && ig_file_exists(t->set[i].file[k]);
    return all;
}

/* Fine-tuning is in the first language of a cell. */
static ig_code check_languages(const ig_task *t, const ig_experiment *e, ig_err *err)
{
    for (int i = 0; i < e->n_cell && t->kind != IG_TASK_MINIMAL; i++) {
        const char *const first = e->cell[i].config.languages.language[0].name;
        bool has = e->cell[i].config.trainer != IG_TRAINER_BERT;
        for (int k = 0; k < t->n_set && !has; k++)
            has = t->set[k].split == IG_SPLIT_TRAIN && strcmp(t->set[k].language, first) == 0;
        if (!has)
            return ig_fail(err, IG_ERR_USAGE, t->path, 0,
                           "found no training data of '%.60s', the first language of cell '%.60s'",
                           first, e->cell[i].name);
    }
    return IG_ERR_OK;
}

/* *files: the hashes of TASK.yaml and its files; NULL: a file is missing, which ig_experiment_check
 * reports. */
static ig_code identify_files(json_t **files, const ig_experiment_task *t, const ig_experiment *e,
                              const ig_yaml *map, ig_hash_cache *cache, ig_err *err)
{
    ig_task *task;
    *files = NULL;
    if (!ig_file_exists(t->file))
        return IG_ERR_OK;
    IG_TRY(ig_task_read_names(t->file, e->data_root, &task, err));
    ig_code code = check_languages(task, e, err);
    if (task->kind == IG_TASK_MINIMAL)
        IG_THEN(code, check_untrained(map, err));
    IG_THEN(code, check_kind(e, task->kind, task, task->path, 0, err));
    if (code == IG_ERR_OK && all_there(task)) {
        *files = json_object();
        code = hash_files(*files, task, cache, err);
    }
    ig_task_free(task);
    return code;
}

/* The keys that are no options of a fine-tuning. */
static ig_code read_key(ig_experiment_task *t, task_keys *have, const ig_experiment *e,
                        const ig_yaml *map, int at, ig_err *err)
{
    const ig_yaml *k = map->key[at], *v = map->item[at];
    static const char *const counts[] = {"train", "dev", "test"};
    for (int split = 0; split < 3; split++)
        if (strcmp(k->text, counts[split]) == 0) {
            have->count = v;
            return ig_yaml_int(&t->world.n[split], v, k->text, 1, (int64_t)1e9, err);
        }
    if (ig_yaml_same_key(k->text, "examples_seed")) {
        have->count = v;
        return ig_yaml_int(&t->world.seed, v, k->text, 0, IG_WORLD_TASK_SEEDS - 1, err);
    }
    if (strcmp(k->text, "task") == 0) {
        have->file = v;
        return read_file(t, e, v, err);
    }
    if (strcmp(k->text, "world") == 0) {
        have->world = v;
        return read_world(t, e, v, map, err);
    }
    return IG_ERR_OK;
}

static ig_code read_task(ig_experiment_task *t, ig_experiment *e, const ig_yaml *map,
                         ig_hash_cache *cache, ig_err *err)
{
    task_keys have = {NULL, NULL, NULL};
    json_auto_t *files = NULL;
    t->world = (ig_world_task_options){.n = {6000, 900, 1500}};
    t->root = e->data_root;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, t->name, err));
    for (int i = 0; i < map->n; i++)
        if (!map->item[i]->removed && !ig_yaml_is_null(map->item[i]))
            IG_TRY(read_key(t, &have, e, map, i, err));
    if ((have.file == NULL) == (have.world == NULL))
        return ig_yaml_fail(map, err, "tasks: %s for '%s', expected task: TASK.yaml or world: TASK",
                            have.file == NULL ? "no task" : "task and world", t->name);
    if (have.file != NULL && have.count != NULL)
        return ig_yaml_fail(have.count, err, "tasks: numbers of examples are for tasks of a world");
    IG_TRY(ig_experiment_read_seeds(&t->seed, &t->n_seed, e, ig_experiment_value(map, "seeds"),
                                    IG_EXPERIMENT_TUNINGS, err));
    IG_TRY(ig_experiment_tunings_read(t, map, err));
    IG_TRY(check_edits(e, t, map, err));
    if (t->file == NULL)
        return ig_experiment_tunings_identify(t, NULL, cache, err);
    IG_TRY(identify_files(&files, t, e, map, cache, err));
    if (files != NULL)
        IG_TRY(ig_experiment_tunings_identify(t, files, cache, err));
    return IG_ERR_OK;
}

/* In the plan: the name, and a key of everything with the seeds and the checkpoints. */
static ig_code plan_task(ig_measure_plan *m, const ig_experiment_task *t, const ig_checkpoints *at,
                         ig_err *err)
{
    enum {
        ROOM = IG_EXPERIMENT_GRID * IG_MEASURE_TEXT_KEY + IG_EXPERIMENT_TUNINGS * 24 +
               IG_INT_LIST_MAX * 24 + 64
    };
    char text[ROOM], hex[IG_SHA256_HEX];
    ig_measure_task *p = &m->task[m->n_task++];
    size_t n = 0;
    snprintf(p->name, sizeof p->name, "%s", t->name);
    p->key[0] = '\0';
    p->at = *at;
    if (t->tuning[0].key[0] == '\0')
        return IG_ERR_OK;
    for (int i = 0; i < t->n_tuning; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? "," : "", t->tuning[i].key);
    for (int i = 0; i < t->n_seed; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %lld", (long long)t->seed[i]);
    if (at->kind != IG_CHECKPOINTS_END) /* without, the key is that of files of before */
        n += (size_t)snprintf(text + n, sizeof text - n, " at %d %lld", (int)at->kind,
                              (long long)at->every);
    for (int i = 0; i < at->step.n; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %lld", (long long)at->step.v[i]);
    IG_TRY(ig_sha256_of(hex, text, (int64_t)n, err));
    snprintf(p->key, sizeof p->key, "%.16s", hex);
    return IG_ERR_OK;
}

static ig_code read_all(ig_experiment *e, const ig_yaml *map, ig_hash_cache *cache, ig_err *err)
{
    for (int i = 0; i < map->n; i++) {
        if (map->item[i]->removed || ig_yaml_is_null(map->item[i]))
            continue;
        if (e->n_task == IG_MEASURE_TASKS_MAX)
            return ig_yaml_fail(map->key[i], err, "tasks: more than %d of them",
                                IG_MEASURE_TASKS_MAX);
        ig_experiment_task *one = &e->task[e->n_task++];
        IG_TRY(ig_experiment_read_split(one->name, map->key[i], "tasks", err));
        IG_TRY(read_task(one, e, map->item[i], cache, err));
        const ig_yaml *v = ig_experiment_value(map->item[i], "checkpoints");
        ig_checkpoints at = {.kind = IG_CHECKPOINTS_END};
        if (v != NULL)
            IG_TRY(ig_experiment_read_checkpoints(&at, e, v, &e->measure.at, err));
        IG_TRY(plan_task(&e->measure, one, &at, err));
        if (!ig_measure_plan_keep(&e->measure, &at))
            return ig_yaml_fail(v, err, "tasks: more than %d lists of checkpoints",
                                IG_MEASURE_KEPT_MAX);
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_tasks(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "tasks");
    ig_hash_cache *cache; /* several tasks may have one file */
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "tasks", err));
    IG_TRY(ig_pool_alloc(e->pool, &e->task, IG_MEASURE_TASKS_MAX, sizeof *e->task, err));
    IG_TRY(ig_hash_cache_new(&cache, err));
    const ig_code code = read_all(e, map, cache, err);
    ig_hash_cache_free(cache);
    return code;
}
