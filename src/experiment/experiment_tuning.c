/* SPDX-License-Identifier: Apache-2.0
 *
 * Fine-tunings for a task: options of `isoglot finetune`, and a grid if some of them are lists.
 * Each setting is identified by a key, the hash of the task's files and of its settings, so that a
 * fine-tuning is done once; none affects the address of a pre-training.
 */
#include "base/settings/json_text.h"
#include "apply/edit/edit_spec.h"
#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/named_files.h"
#include "base/sha256.h"
#include "base/strings/append.h"
#include "experiment/experiment_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_VERSION = 1 };

/* --- files of edits --------------------------------------------------------------------------- */

/* Files named by the `edit:` of a fine-tuning (docs/edits.md): means, a matrix, texts, other
 * models, or the edits themselves. They are searched for where a TASK.yaml is: beside the
 * experiment file, else below the data root; and their bytes are a part of the task. */
typedef struct {
    ig_experiment_tuning *t;
    const char *root, *file; /* file: of the experiment, as its nodes have it */
    int64_t capacity;
    ig_err *err;
} reading;

static ig_code add_file(reading *r, const char *path)
{
    ig_experiment_tuning *t = r->t;
    IG_TRY(ig_grow(&t->edit_file, &r->capacity, t->n_edit_file + 1, sizeof *t->edit_file, "edits",
                   r->err));
    IG_TRY(ig_copy_text(&t->edit_file[t->n_edit_file], path, "path", r->err));
    t->n_edit_file++;
    return IG_ERR_OK;
}

/* Puts the path that is read in place of the one that is named; NULL: there is none. */
static ig_code find_file(reading *r, char **path)
{
    char *found;
    if (*path == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_path_named(&found, r->file, r->root, *path, r->err));
    ig_free(*path);
    *path = found;
    return add_file(r, found);
}

/* Finds the files in a model's folder that define the model. */
static ig_code find_model(reading *r, char **path)
{
    char *found, **file, dir[IG_PATH];
    int n;
    if (*path == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_path_named(&found, r->file, r->root, *path, r->err));
    ig_free(*path);
    *path = found;
    if (ig_run_latest(dir, found, NULL) != IG_ERR_OK)
        return add_file(r, found);
    IG_TRY(ig_model_files(&file, &n, dir, r->err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        code = add_file(r, file[i]);
    ig_free_list(file, n);
    return code;
}

/* "en=FILE; de=FILE" */
static ig_code find_texts(reading *r, char **text)
{
    ig_named_files f;
    IG_OWNED char *all = NULL;
    size_t size;
    if (*text == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_named_files_parse(&f, *text, "text", r->err));
    FILE *fp = open_memstream(&all, &size);
    ig_code code =
        fp != NULL ? IG_ERR_OK : ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
    for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
        char *path = NULL;
        code = ig_path_named(&path, r->file, r->root, f.file[i].path, r->err);
        IG_THEN(code, add_file(r, path));
        if (code == IG_ERR_OK)
            fprintf(fp, "%s%s=%s", i > 0 ? "; " : "", f.file[i].name, path);
        ig_free(path);
    }
    ig_named_files_free(&f);
    if (fp != NULL && !ig_memstream_close(fp) && code == IG_ERR_OK)
        code = ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
    if (code == IG_ERR_OK) {
        ig_free(*text);
        *text = NULL;
        code = ig_copy_text(text, all, "texts", r->err);
    }
    return code;
}

/* The edits with these paths, in flow style. */
static ig_code print(reading *r, const ig_edit_specs *s)
{
    json_t *j = ig_edit_specs_json(s);
    IG_OWNED char *text =
        j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(j);
    return text != NULL ? ig_copy_text(&r->t->edit, text, "edits", r->err)
                        : ig_fail(r->err, IG_ERR_MEMORY, "edit", 0, "not enough memory");
}

static ig_code find_all(reading *r, ig_edit_specs *s)
{
    for (int i = 0; i < s->n; i++) {
        IG_TRY(find_file(r, &s->spec[i].means));
        IG_TRY(find_file(r, &s->spec[i].matrix));
        IG_TRY(find_texts(r, &s->spec[i].text));
        IG_TRY(find_model(r, &s->spec[i].model));
    }
    return r->t->n_edit_file > 0 ? print(r, s) : IG_ERR_OK;
}

/* Finds the files of t->config.edit, which stands at v. */
static ig_code edits_read(ig_experiment_tuning *t, const ig_yaml *v, const char *root, ig_err *err)
{
    reading r = {.t = t, .root = root, .file = v->file, .err = err};
    ig_edit_specs s = {0};
    char *named = NULL;
    const char *text = t->config.edit;
    ig_code code = IG_ERR_OK;
    text += strspn(text, " \t\r\n");
    if (*text != '{' && *text != '[') {
        code = ig_path_named(&named, v->file, root, text, err);
        IG_THEN(code, add_file(&r, named));
        if (code != IG_ERR_OK || !ig_file_exists(named)) {
            ig_free(named);
            return code;
        }
        text = named;
    }
    ig_err why = {0};
    if (code == IG_ERR_OK) {
        code = ig_edit_specs_add(&s, text, &why);
        if (code != IG_ERR_OK) {
            ig_yaml_fail(v, err, "edit: %s", why.msg);
            if (why.hint[0] != '\0')
                ig_hint(err, "%s", why.hint);
        }
    }
    IG_THEN(code, find_all(&r, &s));
    ig_edit_specs_free(&s);
    ig_free(named);
    return code;
}

/* Their hashes as a list; NULL: there are none. */
static ig_code edits_hash(json_t **files, const ig_experiment_tuning *t, ig_hash_cache *cache,
                          ig_err *err)
{
    *files = t->n_edit_file > 0 ? json_array() : NULL;
    for (int i = 0; i < t->n_edit_file; i++) {
        char hex[IG_SHA256_HEX];
        const ig_code code = ig_hash_cache_file(hex, t->edit_file[i], cache, err);
        if (code != IG_ERR_OK) {
            json_decref(*files);
            *files = NULL;
            return code;
        }
        json_array_append_new(*files, json_string(hex));
    }
    return IG_ERR_OK;
}

const char *ig_experiment_edits_missing(const ig_experiment_tuning *t)
{
    for (int i = 0; i < t->n_edit_file; i++)
        if (!ig_file_exists(t->edit_file[i]) || ig_dir_exists(t->edit_file[i]))
            return t->edit_file[i];
    return NULL;
}

/* --- the settings ----------------------------------------------------------------------------- */

/* An option with several values: a list, or a mapping that gives them names. */
typedef struct {
    const ig_yaml *value;
    int place; /* of the present one */
} axis;

/* The place of the first value from `place` on that is not taken out; v->n: none. */
static int next_value(const ig_yaml *v, int place)
{
    while (place < v->n && v->item[place]->removed)
        place++;
    return place;
}

static bool is_own_key(const char *key)
{
    static const char *const own[] = {"task", "world", "train",      "dev",
                                      "test", "seeds", "checkpoints"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    return ig_yaml_same_key(key, "examples_seed");
}

/* Its place among the options. */
static ig_code find_option(int *option, const ig_yaml *key, ig_err *err)
{
    for (int i = 0; i < ig_finetune_options.n; i++) {
        const char *name = ig_finetune_options.row[i].name;
        if (!ig_yaml_same_key(name, key->text))
            continue;
        *option = i;
        if (!ig_finetune_option_decides(&ig_finetune_options.row[i]) || strcmp(name, "seed") == 0)
            return ig_yaml_fail(key, err, "tasks: '%s' is set by the laboratory%s", name,
                                strcmp(name, "seed") == 0 ? ", expected seeds" : "");
        return IG_ERR_OK;
    }
    ig_yaml_fail(key, err, "tasks: unknown key '%.60s'", key->text);
    return ig_hint(err, "task, world, train, dev, test, examples_seed, seeds, checkpoints, and the "
                        "options of isoglot finetune (isoglot help finetune)");
}

static ig_code set_option(ig_experiment_tuning *t, int option, const ig_yaml *v, const char *root,
                          ig_err *err)
{
    const char *name = ig_finetune_options.row[option].name;
    if (v->kind != IG_YAML_SCALAR)
        return ig_yaml_wrong(v, name, "one value, a list of values, or values by name", err);
    t->given[option] = IG_GIVEN_FILE;
    IG_TRY(ig_options_set(&ig_finetune_options, &t->config,
                          &(ig_setting){name, v->text, v->file, v->line}, err));
    return strcmp(name, "edit") == 0 && t->config.edit != NULL ? edits_read(t, v, root, err)
                                                               : IG_ERR_OK;
}

/* Appends "lr=1e-5" to the name, with a value or its name v; names are used in quantities. */
static ig_code add_name(ig_experiment_tuning *t, const ig_yaml *key, const ig_yaml *v, ig_err *err)
{
    const size_t n = strlen(t->name);
    const int more =
        snprintf(t->name + n, sizeof t->name - n, "%s%s=%s", n > 0 ? "/" : "", key->text, v->text);
    if (strpbrk(v->text, " ,[]@/=") != NULL)
        return ig_yaml_fail(v, err,
                            "tasks: found '%.40s' among several values, expected values or names "
                            "without blanks and , [ ] @ / =",
                            v->text);
    return more < 0 || n + (size_t)more >= sizeof t->name
               ? ig_yaml_fail(v, err, "tasks: the name '%.60s…' is too long, expected at most %d",
                              t->name, IG_EXPERIMENT_WAY - 1)
               : IG_ERR_OK;
}

/* The way at the axes' present places. */
static ig_code read_way(ig_experiment_tuning *t, const ig_yaml *map, const axis *a,
                        const char *root, ig_err *err)
{
    IG_TRY(ig_options_default(&ig_finetune_options, &t->config, err));
    for (int i = 0; i < map->n; i++) {
        const ig_yaml *k = map->key[i], *v = map->item[i];
        int option = 0;
        if (v->removed || ig_yaml_is_null(v) || is_own_key(k->text))
            continue;
        IG_TRY(find_option(&option, k, err));
        if (v->kind == IG_YAML_SCALAR) {
            IG_TRY(set_option(t, option, v, root, err));
            continue;
        }
        IG_TRY(set_option(t, option, v->item[a->place], root, err));
        IG_TRY(add_name(t, k, v->kind == IG_YAML_MAP ? v->key[a->place] : v->item[a->place], err));
        a++;
    }
    return IG_ERR_OK;
}

/* The lists among the options, and how many combinations they have. */
static ig_code find_axes(axis *a, int *n, int64_t *n_way, const ig_yaml *map, ig_err *err)
{
    *n = 0;
    *n_way = 1;
    for (int i = 0; i < map->n; i++) {
        const ig_yaml *k = map->key[i], *v = map->item[i];
        if (v->removed || v->kind == IG_YAML_SCALAR || is_own_key(k->text))
            continue;
        /* Their names are tags of scores that have another meaning in a table's column. */
        if (strcmp(k->text, "length") == 0 || strcmp(k->text, "select") == 0) {
            ig_yaml_wrong(v, k->text, "one value", err);
            return ig_hint(err, "two tasks may differ in it");
        }
        const int first = next_value(v, 0);
        int count = 0;
        for (int place = first; place < v->n; place = next_value(v, place + 1))
            count++;
        if (count == 0 || *n == ig_finetune_options.n)
            return ig_yaml_wrong(v, k->text, "values", err);
        a[(*n)++] = (axis){v, first};
        *n_way *= count;
        if (*n_way > IG_EXPERIMENT_GRID)
            return ig_yaml_fail(v, err, "tasks: %lld ways of fine-tuning, expected at most %d",
                                (long long)*n_way, IG_EXPERIMENT_GRID);
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_tunings_read(ig_experiment_task *t, const ig_yaml *map, ig_err *err)
{
    axis a[IG_OPTION_MAX];
    int n;
    int64_t n_way;
    IG_TRY(find_axes(a, &n, &n_way, map, err));
    IG_TRY(ig_alloc(&t->tuning, n_way, sizeof *t->tuning, "tasks", err));
    while (t->n_tuning < n_way) {
        ig_experiment_tuning *one = &t->tuning[t->n_tuning++];
        IG_TRY(read_way(one, map, a, t->root, err));
        for (int i = 0; i < t->n_tuning - 1; i++)
            if (strcmp(t->tuning[i].name, one->name) == 0)
                return ig_yaml_fail(map, err, "tasks: '%s' is there twice", one->name);
        for (int k = n - 1; k >= 0; k--) {
            a[k].place = next_value(a[k].value, a[k].place + 1);
            if (a[k].place < a[k].value->n)
                break;
            a[k].place = next_value(a[k].value, 0);
        }
    }
    return IG_ERR_OK;
}

/* Returns whether accumulation weighs all targets of an update alike, in more than one micro-batch.
 * It took the mean of the micro-batches' means when keys were first made. No recipe says it by
 * kind. */
static bool weighs_targets(const ig_experiment_tuning *way)
{
    const ig_finetune_config *c = &way->config;
    int64_t accum = c->training.accum;
    bool mean = c->training.accum_mean;
    for (int i = 0; i < ig_finetune_options.n; i++) {
        char text[IG_RECIPE_TEXT];
        const char *name = ig_finetune_options.row[i].name,
                   *value = way->given[i] == IG_GIVEN_NOT
                                ? ig_recipe_value(text, c, IG_TASK_PAIR, name)
                                : NULL;
        if (value != NULL && strcmp(name, "accum") == 0)
            accum = strtoll(value, NULL, 10);
        if (value != NULL && strcmp(name, "accum-mean") == 0)
            mean = true;
    }
    return accum > 1 && !mean;
}

/* Describes the settings that affect the scores of a given model: the task, and the options. */
static json_t *describe(const ig_experiment_task *t, const ig_experiment_tuning *way)
{
    json_t *j = json_object(), *all = ig_options_json(&ig_finetune_options, &way->config);
    json_object_set_new(j, "isoglot_tuning", json_integer(TASK_VERSION));
    for (int i = 0; i < ig_finetune_options.n; i++) {
        const ig_option *o = &ig_finetune_options.row[i];
        char key[64];
        /* The name that it had when keys were first made. */
        ig_option_key(key, sizeof key, o->old != NULL ? o->old : o->name);
        if (way->given[i] != IG_GIVEN_NOT)
            json_object_set(j, key, ig_options_json_get(all, o));
    }
    if (weighs_targets(way))
        json_object_set_new(j, "accum_mean", json_false());
    json_decref(all);
    if (t->file == NULL)
        json_object_set_new(j, "world",
                            json_pack("[s, I, I, I, I]", ig_world_task_names[t->world.kind],
                                      (json_int_t)t->world.n[0], (json_int_t)t->world.n[1],
                                      (json_int_t)t->world.n[2], (json_int_t)t->world.seed));
    return j;
}

ig_code ig_experiment_tunings_identify(ig_experiment_task *t, json_t *files, ig_hash_cache *cache,
                                       ig_err *err)
{
    char hex[IG_SHA256_HEX];
    for (int i = 0; i < t->n_tuning; i++)
        if (ig_experiment_edits_missing(&t->tuning[i]) != NULL)
            return IG_ERR_OK; /* no keys; ig_experiment_check says why */
    for (int i = 0; i < t->n_tuning; i++) {
        ig_experiment_tuning *way = &t->tuning[i];
        json_t *edits;
        IG_TRY(edits_hash(&edits, way, cache, err));
        json_t *j = describe(t, way);
        if (files != NULL)
            json_object_set(j, "files", files);
        if (edits != NULL)
            json_object_set_new(j, "edit_files", edits);
        IG_OWNED char *text =
            ig_json_text(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        json_decref(j);
        if (text == NULL)
            return ig_fail(err, IG_ERR_MEMORY, "tasks", 0, "not enough memory");
        IG_TRY(ig_sha256_of(hex, text, (int64_t)strlen(text), err));
        snprintf(way->key, sizeof way->key, "%.16s", hex);
        for (int k = 0; k < i; k++)
            if (strcmp(t->tuning[k].key, way->key) == 0)
                return ig_fail(err, IG_ERR_USAGE, "tasks", 0, "%s: %s and %s are the same", t->name,
                               t->tuning[k].name, way->name);
    }
    return IG_ERR_OK;
}
