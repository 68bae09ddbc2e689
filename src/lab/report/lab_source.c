/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the store or the files of results that a report reads.
 */
#include "lab/report/lab_source.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/options.h"
#include "base/strings/append.h"
#include "lab/runs/lab_list.h"
#include "store/old_measures.h"
#include "store/store_task.h"

#include <stdlib.h>
#include <string.h>

bool ig_lab_is_source(const char *path)
{
    const size_t n = strlen(path);
    return ig_dir_exists(path) || (n > 6 && strcmp(path + n - 6, ".jsonl") == 0);
}

/* --- which experiment ------------------------------------------------------------------------- */

static ig_code choose(ig_lab_source *s, const char *path, const char *wanted,
                      const char *const *name, int n, ig_err *err)
{
    const char *chosen = wanted == NULL && n == 1 ? name[0] : NULL;
    for (int i = 0; i < n && wanted != NULL; i++)
        chosen = strcmp(name[i], wanted) == 0 ? name[i] : chosen;
    if (chosen != NULL)
        return ig_copy_text(&s->experiment, chosen, "a name", err);
    if (n == 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "found no experiment, expected results of one");
    if (wanted != NULL) {
        const char *near = ig_nearest(wanted, name, n);
        ig_fail(err, IG_ERR_USAGE, path, 0, "found no results of '%.80s'", wanted);
        return ig_hint(err, near != NULL ? "did you mean '%s'?" : "there is '%s'",
                       near != NULL ? near : name[0]);
    }
    ig_fail(err, IG_ERR_USAGE, path, 0, "found %d experiments, expected the name of one after '#'",
            n);
    return ig_hint(err, "%s#%s, for one", path, name[0]);
}

static ig_code in_file(const char ***name, int64_t *n, ig_pool *pool, const char *path, ig_err *err)
{
    IG_SCOPED(ig_result_file_free) ig_result_file f = {0};
    IG_TRY(ig_result_file_read(&f, path, err));
    *n = f.n_experiment;
    IG_TRY(ig_pool_alloc(pool, name, *n, sizeof **name, err));
    for (int64_t i = 0; i < *n; i++)
        IG_TRY(ig_pool_text(pool, &(*name)[i], f.experiment[i], strlen(f.experiment[i]), err));
    return IG_ERR_OK;
}

ig_code ig_lab_source_experiments(const char ***name, int64_t *n, ig_pool *pool, const char *path,
                                  ig_err *err)
{
    ig_store *db;
    if (!ig_dir_exists(path))
        return in_file(name, n, pool, path, err);
    IG_TRY(ig_store_open(&db, path, false, err));
    const ig_code code = ig_store_experiments(name, n, pool, db, err);
    ig_store_close(db);
    return code;
}

/* --- of a store ------------------------------------------------------------------------------- */

/* A run whose folder was damaged or removed since it was indexed has no values. An index without
 * any folders stands for itself. */
static ig_code compare_folders(ig_store_result *r, const char *store, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_folder_path(dir, store, err, "runs"));
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    for (int64_t i = 0; i < r->n_entry; i++) {
        ig_lab_state now = {0};
        ig_store_entry *e = &r->entry[i];
        if (e->run.status != IG_RUN_DONE)
            continue;
        IG_TRY(ig_folder_path(dir, store, err, "runs/%.16s", e->cell.address));
        IG_TRY(ig_lab_folder_state(&now, dir, NULL, false, err));
        if (now.status == IG_RUN_DONE)
            continue;
        e->run.status = now.status;
        e->n_metric = 0;
        IG_TRY(ig_pool_text(&r->pool, &e->run.message, now.message, strlen(now.message), err));
    }
    return IG_ERR_OK;
}

static ig_code read_store(ig_lab_source *s, const char *dir, const char *wanted, bool last_only,
                          ig_err *err)
{
    ig_store *db;
    ig_pool pool = {0};
    const char **name;
    int64_t n;
    IG_TRY(ig_store_open(&db, dir, false, err));
    ig_code code = ig_store_experiments(&name, &n, &pool, db, err);
    IG_THEN(code, choose(s, dir, wanted, name, (int)n, err));
    IG_THEN(code, ig_store_read(&s->stored, db, s->experiment, last_only, err));
    IG_THEN(code, compare_folders(&s->stored, dir, err));
    ig_pool_free(&pool);
    ig_store_close(db);
    return code;
}

/* --- of a file -------------------------------------------------------------------------------- */

int ig_lab_by_cell(const void *x, const void *y)
{
    const ig_store_cell *a = &((const ig_store_entry *)x)->cell,
                        *b = &((const ig_store_entry *)y)->cell;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
                                : (a->seed > b->seed) - (a->seed < b->seed);
}

/* Cells in the order in which the file has them first; a run twice is refused. */
static ig_code order_entries(ig_store_result *r, const char *path, ig_err *err)
{
    int n = 0;
    for (int64_t i = 0; i < r->n_entry; i++) {
        int64_t k = 0;
        while (strcmp(r->entry[k].cell.cell, r->entry[i].cell.cell) != 0)
            k++;
        r->entry[i].cell.order = k < i ? r->entry[k].cell.order : n++;
    }
    if (r->n_entry > 0)
        qsort(r->entry, (size_t)r->n_entry, sizeof *r->entry, ig_lab_by_cell);
    for (int64_t i = 1; i < r->n_entry; i++)
        if (ig_lab_by_cell(&r->entry[i - 1], &r->entry[i]) == 0)
            return ig_fail(err, IG_ERR_INPUT, path, 0,
                           "found cell %.60s, seed %lld twice, expected it once",
                           r->entry[i].cell.cell, (long long)r->entry[i].cell.seed);
    return IG_ERR_OK;
}

static ig_code read_file(ig_lab_source *s, const char *path, const char *wanted, ig_err *err)
{
    IG_SCOPED(ig_result_file_free) ig_result_file f = {0};
    IG_TRY(ig_result_file_read(&f, path, err));
    IG_TRY(choose(s, path, wanted, f.experiment, f.n_experiment, err));
    s->stored = f.stored;
    f.stored = (ig_store_result){0};
    int64_t n = 0;
    for (int64_t i = 0; i < s->stored.n_entry; i++)
        if (strcmp(s->stored.entry[i].cell.experiment, s->experiment) == 0)
            s->stored.entry[n++] = s->stored.entry[i];
    s->stored.n_entry = n;
    return order_entries(&s->stored, path, err);
}

ig_code ig_lab_source_open(ig_lab_source *s, const char *path, const char *experiment,
                           bool last_only, ig_err *err)
{
    *s = (ig_lab_source){0};
    if (ig_dir_exists(path))
        IG_TRY(read_store(s, path, experiment, last_only, err));
    else
        IG_TRY(read_file(s, path, experiment, err));
    return ig_results_make(&s->results, &s->stored, true, err);
}

void ig_lab_source_close(ig_lab_source *s)
{
    ig_results_free(&s->results);
    ig_store_result_free(&s->stored);
    ig_free(s->experiment);
    *s = (ig_lab_source){0};
}

/* --- logs ------------------------------------------------------------------------------------- */

static ig_code take_log(void *rows, const ig_json_record *line, ig_err *err)
{
    const json_t *step = json_object_get(line->json, "step");
    return json_is_integer(step)
               ? ig_training_log_read(rows, line->json, json_integer_value(step), false, err)
               : IG_ERR_OK;
}

ig_code ig_lab_log_rows(ig_row_set *to, const char *store, const char *address, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, store, err, "runs/%.64s/log.jsonl", address));
    return ig_file_exists(path) ? ig_json_lines(path, true, take_log, to, err) : IG_ERR_OK;
}

/* --- what was measured ------------------------------------------------------------------------ */

static bool is_detail(const char *tags)
{
    static const char *const keys[] = {"length", "label", "of", "on"};
    size_t n;
    bool is = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        is = is || ig_tag_find(tags, keys[i], &n) != NULL;
    return is;
}

ig_code ig_lab_measured(ig_quantity_list *to, const ig_store_result *s, ig_err *err)
{
    static const int layers[] = {IG_LAYER_LOW, IG_LAYER_HIGH};
    const ig_row *before = NULL;
    for (int64_t i = 0; i < s->n_metric; i++) {
        const ig_row *m = &s->metric[i];
        const ig_store_task *t = ig_store_task_find(m->task);
        const bool again = before != NULL && strcmp(m->task, before->task) == 0 &&
                           strcmp(m->split, before->split) == 0 &&
                           strcmp(ig_row_tags(m), ig_row_tags(before)) == 0 &&
                           strcmp(m->languages, before->languages) == 0;
        before = m;
        if (t == NULL || again || is_detail(ig_row_tags(m)))
            continue;
        ig_quantity one = ig_quantity_of(m);
        one.layer = IG_LAYER_NONE;
        ig_quantity_average(&one);
        if (t->pair)
            one.languages[0] = '\0';
        for (int k = 0; k < (t->kind == IG_STORE_TASK_LAYERED ? 2 : 1); k++) {
            if (t->kind == IG_STORE_TASK_LAYERED)
                one.layer = layers[k];
            IG_TRY(ig_quantity_list_add(to, &one, err));
        }
    }
    return IG_ERR_OK;
}
