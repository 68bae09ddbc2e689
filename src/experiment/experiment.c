/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files as a whole: see experiment.h. The sections are read in experiment_*.c.
 */
#include "experiment/experiment.h"

#include "base/file.h"
#include "base/memory.h"
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
        char **field;
    } words[] = {
        {"title", &e->title}, {"question", &e->question}, {"paper", &e->paper}, {"note", &e->note}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        IG_TRY(ig_experiment_read_text(words[i].field, t->root, words[i].key, err));
    return IG_ERR_OK;
}

/* Names of the variants there are. */
static ig_code read_variants(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "variants");
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&e->variant, map->n, sizeof *e->variant, "variants", err));
    for (int i = 0; i < map->n; i++) {
        if (map->item[i]->removed)
            continue;
        IG_TRY(ig_copy_text(&e->variant[e->n_variant], map->key[i]->text, "experiment", err));
        e->n_variant++;
    }
    return IG_ERR_OK;
}

/* Appends texts, each after a character. */
static char *append(char *p, const char *const *text, int n, char first, char other)
{
    for (int i = 0; i < n; i++)
        p += sprintf(p, "%c%s", i == 0 ? first : other, text[i]);
    return p;
}

static ig_code copy_all(char ***out, int *n_out, const char *const *text, int n, ig_err *err)
{
    IG_TRY(ig_alloc(out, n, sizeof **out, "experiment", err));
    for (; *n_out < n; (*n_out)++)
        IG_TRY(ig_copy_text(&(*out)[*n_out], text[*n_out], "experiment", err));
    return IG_ERR_OK;
}

/* "table1-mini:world,paper-code;updates=20" */
static ig_code make_name(ig_experiment *e, const ig_experiment_request *a, ig_err *err)
{
    const char *slash = strrchr(e->path, '/'), *stem = slash != NULL ? slash + 1 : e->path;
    const char *dot = strrchr(stem, '.');
    size_t n = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem), size = n + 1;
    for (int i = 0; i < a->n_variant; i++)
        size += strlen(a->variant[i]) + 1;
    for (int i = 0; i < a->n_set; i++)
        size += strlen(a->set[i]) + 1;
    IG_TRY(ig_alloc(&e->name, (int64_t)size, 1, "experiment", err));
    memcpy(e->name, stem, n);
    char *p = append(e->name + n, a->variant, a->n_variant, ':', ',');
    if (a->n_variant > 0)
        IG_TRY(ig_copy_text(&e->applied, e->name + n + 1, "experiment", err));
    append(p, a->set, a->n_set, ';', ';');
    return a->n_set > 0 ? copy_all(&e->set, &e->n_set, a->set, a->n_set, err) : IG_ERR_OK;
}

static ig_code read_all(ig_experiment *e, ig_experiment_tree *t, const char *path,
                        const ig_experiment_request *a, ig_err *err)
{
    IG_TRY(ig_copy_text(&e->path, path, "experiment", err));
    IG_TRY(make_name(e, a, err));
    IG_TRY(ig_data_root_if_any(&e->data_root, a->data_root, err));
    IG_TRY(ig_experiment_tree_read(t, path, a->variant, a->n_variant, err));
    if (t->n_remark > 0)
        IG_TRY(
            copy_all(&e->remark, &e->n_remark, (const char *const *)t->remark, t->n_remark, err));
    IG_TRY(ig_experiment_set_read(t, a->set, a->n_set, err));
    IG_TRY(read_words(e, t, err));
    IG_TRY(read_variants(e, t, err));
    IG_TRY(ig_experiment_read_cells(e, t, e->data_root, err));
    IG_TRY(ig_experiment_read_measure(e, t, err));
    IG_TRY(ig_experiment_read_tasks(e, t, err));
    IG_TRY(ig_experiment_read_report(e, t, err));
    return ig_experiment_read_claims(e, t, err);
}

ig_code ig_experiment_read_request(ig_experiment *e, const char *path,
                                   const ig_experiment_request *a, ig_err *err)
{
    ig_experiment_tree t = {0};
    *e = (ig_experiment){0};
    ig_code code = read_all(e, &t, path, a, err);
    ig_experiment_tree_free(&t);
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

static void free_cell(ig_cell *c)
{
    IG_FREE(c->name, c->label, c->title, c->seed);
    ig_free_list(c->key, c->n_key);
    ig_run_config_free(&c->config);
}

void ig_experiment_free(ig_experiment *e)
{
    for (int i = 0; i < e->n_cell; i++)
        free_cell(&e->cell[i]);
    for (int i = 0; i < e->n_task; i++)
        ig_experiment_task_free(&e->task[i]);
    ig_free(e->task);
    for (int i = 0; i < e->n_claim; i++)
        ig_claim_free(&e->claim[i]);
    ig_free(e->claim);
    ig_free_list(e->variant, e->n_variant);
    ig_free_list(e->set, e->n_set);
    ig_free_list(e->remark, e->n_remark);
    IG_FREE(e->applied, e->cell, e->path, e->name, e->data_root, e->title, e->question, e->paper,
            e->note);
    ig_report_spec_free(&e->report);
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

static ig_code check_file(const ig_experiment *e, const char *path, ig_err *err)
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
        return check_file(e, path, err);
    IG_TRY(ig_task_read_names(path, e->data_root, &task, err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < task->n_set; i++)
        for (int k = 0; k < task->set[i].n_file && code == IG_ERR_OK; k++)
            if (!ig_file_exists(task->set[i].file[k]))
                code = check_file(e, task->set[i].file[k], err);
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
    ig_fail(err, was.code, e->path, c->line, "cell '%.50s': %.110s%s: %.200s", c->name, was.where,
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

ig_code ig_experiment_check(const ig_experiment *e, ig_err *err)
{
    static const size_t fields[] = {
        offsetof(ig_run_config, data.text), offsetof(ig_run_config, data.dev_text),
        offsetof(ig_run_config, tokens.vocab), offsetof(ig_run_config, objective.knn_vectors)};
    for (int i = 0; i < e->n_cell; i++)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            const char *path = file_of(&e->cell[i], fields[k]);
            const ig_code code = check_file(e, path, err);
            if (code != IG_ERR_OK)
                return in_all_cells(e, fields[k], path) ? code : ig_experiment_at_cell(e, i, err);
        }
    for (int i = 0; i < e->measure.n_text; i++)
        if (e->measure.text[i].path[0] != '\0')
            IG_TRY(check_file(e, e->measure.text[i].path, err));
    for (int i = 0; i < e->n_task; i++)
        IG_TRY(check_task(e, e->task[i].file, err));
    for (int i = 0; i < e->n_task; i++)
        IG_TRY(check_edits(e, &e->task[i], err));
    return IG_ERR_OK;
}
