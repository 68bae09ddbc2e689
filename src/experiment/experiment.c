/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files as a whole: see experiment.h. The sections are read in experiment_*.c.
 */
#include "experiment/experiment.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/named_files.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"
#include "experiment/experiment_parts.h"
#include "fetch/data_root.h"

#include <stdio.h>
#include <string.h>

static ig_code read_words(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const struct {
        const char *key;
        const char **field;
    } words[] = {
        {"title", &e->title}, {"question", &e->question}, {"paper", &e->paper}, {"note", &e->note}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        IG_TRY(ig_experiment_text(words[i].field, t->root, words[i].key, err));
    return IG_ERR_OK;
}

/* Names of the variants there are. */
static ig_code read_variants(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "variants");
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(e->pool, &e->variant, map->n, sizeof *e->variant, err));
    for (int i = 0; i < map->n; i++)
        if (!map->item[i]->removed)
            e->variant[e->n_variant++] = map->key[i]->text;
    return IG_ERR_OK;
}

/* "table1-mini:world,paper-code;updates=20" */
static ig_code make_name(ig_experiment *e, const ig_experiment_request *a, ig_err *err)
{
    const char *stem = e->path + ig_experiment_folder(e->path, ""), *dot = strrchr(stem, '.');
    const size_t n = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    IG_TRY(ig_pool_text(e->pool, &e->name, stem, n, err));
    for (int i = 0; i < a->n_variant; i++)
        IG_TRY(ig_pool_print(e->pool, &e->applied, err, "%s%s%s", i > 0 ? e->applied : "",
                             i > 0 ? "," : "", a->variant[i]));
    if (a->n_variant > 0)
        IG_TRY(ig_pool_print(e->pool, &e->name, err, "%s:%s", e->name, e->applied));
    IG_TRY(ig_pool_alloc(e->pool, &e->set, a->n_set, sizeof *e->set, err));
    for (; e->n_set < a->n_set; e->n_set++) {
        IG_TRY(ig_pool_print(e->pool, &e->set[e->n_set], err, "%s", a->set[e->n_set]));
        IG_TRY(ig_pool_print(e->pool, &e->name, err, "%s;%s", e->name, e->set[e->n_set]));
    }
    return IG_ERR_OK;
}

bool ig_experiment_is_named(const ig_experiment *e, const char *name)
{
    const size_t n = strlen(e->name);
    bool same = strlen(name) == n;
    /* No setting is given twice, so that equal length and all parts are enough. */
    for (const char *part = name; same && part < name + n; part += strcspn(part, ";") + 1) {
        const size_t size = strcspn(part, ";");
        const char *at = e->name;
        while (at < e->name + n && (strcspn(at, ";") != size || strncmp(at, part, size) != 0))
            at += strcspn(at, ";") + 1;
        same = at < e->name + n;
    }
    return same;
}

static ig_code read_all(ig_experiment *e, const char *path, const ig_experiment_request *a,
                        ig_err *err)
{
    ig_experiment_tree tree = {0}, *const t = &tree;
    char *root;
    IG_TRY(ig_yaml_pool_new(&e->pool, err));
    IG_TRY(ig_pool_print(e->pool, &e->path, err, "%s", path));
    IG_TRY(make_name(e, a, err));
    IG_TRY(ig_data_root_if_any(&root, a->data_root, err));
    ig_code code = ig_pool_print(e->pool, &e->data_root, err, "%s", root);
    ig_free(root);
    IG_THEN(code, ig_experiment_tree_read(t, e->pool, e->path, a->variant, a->n_variant, err));
    IG_TRY(code);
    e->remark = t->remark;
    e->n_remark = t->n_remark;
    IG_TRY(ig_experiment_set_read(t, a->set, a->n_set, err));
    IG_TRY(read_words(e, t, err));
    IG_TRY(read_variants(e, t, err));
    IG_TRY(ig_experiment_read_cells(e, t, e->data_root, err));
    IG_TRY(ig_experiment_find_parents(e, err));
    IG_TRY(ig_experiment_read_measure(e, t, err));
    IG_TRY(ig_experiment_read_tasks(e, t, err));
    IG_TRY(ig_experiment_read_report(e, t, err));
    return ig_experiment_read_claims(e, t, err);
}

ig_code ig_experiment_read_request(ig_experiment *e, const char *path,
                                   const ig_experiment_request *a, ig_err *err)
{
    *e = (ig_experiment){0};
    const ig_code code = read_all(e, path, a, err);
    if (code != IG_ERR_OK)
        ig_experiment_free(e);
    return code;
}

ig_code ig_experiment_read(ig_experiment *e, const char *path, const char *const *variant,
                           int n_variant, const char *data_root, ig_err *err)
{
    const ig_experiment_request a = {
        .variant = variant, .n_variant = n_variant, .data_root = data_root};
    return ig_experiment_read_request(e, path, &a, err);
}

void ig_experiment_free(ig_experiment *e)
{
    for (int i = 0; i < e->n_cell; i++)
        ig_run_config_free(&e->cell[i].config);
    for (int i = 0; i < e->n_task; i++)
        ig_experiment_task_free(&e->task[i]);
    for (int i = 0; i < e->n_claim; i++)
        ig_claim_free(&e->claim[i]);
    ig_free(e->claim);
    ig_yaml_pool_free(e->pool);
    *e = (ig_experiment){0};
}

ig_code ig_experiment_config(ig_run_config *out, const ig_experiment *e, int cell, int64_t seed,
                             ig_err *err)
{
    const ig_cell *c = &e->cell[cell];
    *out = c->config;
    out->optimisation.seed = seed;
    out->languages.language = NULL;
    out->languages.whole = NULL;
    out->data.named = (ig_named_files){0};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        if (!ig_option_is_text(o))
            continue;
        char **text = ig_option_field(o, out);
        const char *shared = *text;
        *text = NULL;
        if (shared != NULL && code == IG_ERR_OK)
            code = ig_copy_text(text, shared, "experiment", err);
    }
    IG_THEN(code, ig_run_config_parse(out, err));
    if (code != IG_ERR_OK)
        ig_run_config_free(out);
    return code;
}

/* A variant of the file whose cells take no files; NULL: there is none. */
static const char *variant_without_data(const ig_experiment *e)
{
    for (int i = 0; i < e->n_variant; i++) {
        ig_experiment other;
        const char *name = e->variant[i];
        bool needs = false;
        if (ig_experiment_read(&other, e->path, &name, 1, e->data_root, NULL) != IG_ERR_OK)
            continue;
        for (int k = 0; k < other.n_cell; k++) {
            const ig_run_config *c = &other.cell[k].config;
            needs = needs || c->data.text != NULL || c->data.files != NULL ||
                    c->tokens.vocab != NULL || c->objective.knn_vectors != NULL;
        }
        needs = needs || other.measure.n_text > 0;
        for (int k = 0; k < other.n_task; k++)
            needs = needs || other.task[k].file != NULL;
        ig_experiment_free(&other);
        if (!needs)
            return name;
    }
    return NULL;
}

/* `by`: the file that names it; NULL: the experiment's, or one that it extends. */
static ig_code check_file(const ig_experiment *e, const char *path, const char *by, ig_err *err)
{
    size_t n = strlen(e->data_root);
    char *found, hint[200];
    if (path == NULL)
        return IG_ERR_OK;
    bool below = strncmp(path, e->data_root, n) == 0 && path[n] == '/';
    ig_code code = ig_data_find(&found, e->data_root, below ? path + n + 1 : path, err);
    ig_free(found);
    if (code == IG_ERR_OK || err == NULL)
        return code;
    if (below) {
        snprintf(hint, sizeof hint, "%.199s", err->hint);
        ig_hint(err, "nor beside %.100s%s%s",
                by != NULL ? by : "the file of the experiment that names it",
                hint[0] != '\0' ? "; " : "", hint);
    }
    const char *variant = variant_without_data(e);
    if (variant == NULL)
        return code;
    snprintf(hint, sizeof hint, "%.199s", err->hint);
    ig_hint(err, "%s%s--variant %s needs no data", hint, hint[0] != '\0' ? "; " : "", variant);
    return code;
}

/* TASK.yaml, which may lie beside the experiment, and its files. */
static ig_code check_edits(const ig_experiment *e, const ig_experiment_task *t, ig_err *err)
{
    for (int i = 0; i < t->n_tuning; i++) {
        const char *missing = ig_experiment_edits_missing(&t->tuning[i]);
        if (missing != NULL)
            return ig_fail(err, IG_ERR_IO, e->path, 0,
                           "task %s: edit: found no file %.200s, expected it there or beside the "
                           "experiment's file",
                           t->name, missing);
    }
    return IG_ERR_OK;
}

static ig_code check_task(const ig_experiment *e, const char *path, ig_err *err)
{
    ig_task *task;
    if (path == NULL)
        return IG_ERR_OK;
    if (!ig_file_exists(path))
        return check_file(e, path, NULL, err);
    IG_TRY(ig_task_read_names(path, e->data_root, &task, err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < task->n_set; i++)
        for (int k = 0; k < task->set[i].n_file && code == IG_ERR_OK; k++)
            if (!ig_file_exists(task->set[i].file[k]))
                code = check_file(e, task->set[i].file[k], path, err);
    ig_task_free(task);
    return code;
}

ig_code ig_experiment_at_cell(const ig_experiment *e, int cell, ig_err *err)
{
    const ig_cell *c = &e->cell[cell];
    if (err == NULL)
        return IG_ERR_INPUT;
    const ig_err was = *err;
    char line[24] = "";
    if (was.line > 0)
        snprintf(line, sizeof line, ":%llu", (unsigned long long)was.line);
    ig_fail(err, was.code, c->file, c->line, "cell '%.50s': %.110s%s: %.200s", c->name, was.where,
            line, was.msg);
    return was.hint[0] != '\0' ? ig_hint(err, "%s", was.hint) : was.code;
}

/* The file that a cell has in an option; `field` is the option's place in the configuration. */
static const char *file_of(const ig_cell *c, size_t field)
{
    return *(char *const *)((const char *)&c->config + field);
}

/* A file that all cells have is in `base:`, for example; there is no cell to name. */
static bool in_all_cells(const ig_experiment *e, size_t field, const char *path)
{
    for (int i = 0; i < e->n_cell; i++) {
        const char *other = file_of(&e->cell[i], field);
        if (other == NULL || strcmp(other, path) != 0)
            return false;
    }
    return true;
}

/* The files that a cell's languages refer to by name. */
static ig_code check_named(const ig_experiment *e, int cell, ig_err *err)
{
    ig_named_files f;
    IG_TRY(ig_named_files_parse(&f, e->cell[cell].config.data.files, "files", err));
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < f.n && code == IG_ERR_OK; k++)
        code = check_file(e, f.file[k].path, NULL, err);
    ig_named_files_free(&f);
    return code;
}

/* The model that a cell starts from, if it is a folder. */
static ig_code check_from(const ig_experiment *e, int cell, ig_err *err)
{
    const char *from = e->cell[cell].config.model.from, *slash;
    if (!ig_run_config_no_shape(&e->cell[cell].config))
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_USAGE, from, 0, "no such folder");
    ig_hint(err, "a relative path is looked for beside the file that names it, then below the data "
                 "root");
    slash = strrchr(from, '/');
    for (int i = 0; i < e->n_cell; i++)
        if (strcmp(e->cell[i].name, slash != NULL ? slash + 1 : from) == 0)
            ig_hint(err, "from: {cell: %.60s} starts from that cell", e->cell[i].name);
    return ig_experiment_at_cell(e, cell, err);
}

ig_code ig_experiment_check(const ig_experiment *e, ig_err *err)
{
    static const size_t fields[] = {
        offsetof(ig_run_config, data.text), offsetof(ig_run_config, data.dev_text),
        offsetof(ig_run_config, tokens.vocab), offsetof(ig_run_config, objective.knn_vectors)};
    for (int i = 0; i < e->n_cell; i++)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            const char *path = file_of(&e->cell[i], fields[k]);
            const ig_code code = check_file(e, path, NULL, err);
            if (code != IG_ERR_OK)
                return in_all_cells(e, fields[k], path) ? code : ig_experiment_at_cell(e, i, err);
        }
    for (int i = 0; i < e->n_cell; i++)
        IG_TRY(check_from(e, i, err));
    for (int i = 0; i < e->n_cell; i++) {
        const char *files = e->cell[i].config.data.files;
        const ig_code code = check_named(e, i, err);
        if (code != IG_ERR_OK)
            return in_all_cells(e, offsetof(ig_run_config, data.files), files)
                       ? code
                       : ig_experiment_at_cell(e, i, err);
    }
    for (int i = 0; i < e->measure.n_text; i++)
        if (e->measure.text[i].path[0] != '\0')
            IG_TRY(check_file(e, e->measure.text[i].path, NULL, err));
    for (int i = 0; i < e->measure.n_file; i++)
        IG_TRY(check_file(e, e->measure.file[i].path, NULL, err));
    for (int i = 0; i < e->n_task; i++)
        IG_TRY(check_task(e, e->task[i].file, err));
    for (int i = 0; i < e->n_task; i++)
        IG_TRY(check_edits(e, &e->task[i], err));
    return IG_ERR_OK;
}
