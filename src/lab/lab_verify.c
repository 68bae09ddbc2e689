/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole store against its own hashes (lab/runs/store_verify.h), and the rows of its index against
 * the folders: a report shows rows, and reads a folder again only where its DONE is another.
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "lab/laboratory.h"
#include "lab/runs/lab_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_store_verified *r;
    const char *store;
    ig_store_result rows; /* of one experiment */
} verifying;

static int by_metric(const void *a, const void *b)
{
    return ig_row_compare(a, b);
}

static bool same_metric(const ig_row *a, const ig_row *b)
{
    return ig_row_compare(a, b) == 0 && a->task_version == b->task_version && a->last == b->last &&
           a->n == b->n && a->value >= b->value && a->value <= b->value;
}

/* How many rows are not those of the folder, or lack. */
static int64_t count_others(ig_row_set *m, const ig_row *row, int64_t n)
{
    int64_t kept = 0, same = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (!isnan(m->row[i].value))
            m->row[kept++] = m->row[i];
    if (kept > 0)
        qsort(m->row, (size_t)kept, sizeof *m->row, by_metric);
    for (int64_t i = 0, k = 0; i < kept && k < n;) {
        const int order = ig_row_compare(&m->row[i], &row[k]);
        same += order == 0 && same_metric(&m->row[i], &row[k]);
        i += order <= 0;
        k += order >= 0;
    }
    return (kept > n ? kept : n) - same;
}

/* The row of the run: what decides coverage and averages. */
static bool same_manifest(const json_t *manifest, const char *text)
{
    json_t *row = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const bool same = row != NULL && json_equal(row, manifest);
    json_decref(row);
    return same;
}

/* Something of the folder is damaged: its rows may be what is right. */
static bool is_damaged(const ig_store_verified *r, const char *address)
{
    char path[64];
    size_t i;
    const json_t *d;
    const int n = snprintf(path, sizeof path, "runs/%.16s/", address);
    json_array_foreach(r->damaged, i, d)
    {
        const char *of = json_string_value(json_object_get(d, "path"));
        if (of != NULL && strncmp(of, path, (size_t)n) == 0)
            return true;
    }
    return false;
}

static ig_code verify_entry(const verifying *v, const ig_store_entry *e, ig_err *err)
{
    char dir[IG_PATH], message[200];
    json_t *m = NULL;
    ig_row_set of = {0};
    IG_TRY(ig_folder_path(dir, v->store, err, "runs/%.16s", e->cell.address));
    const struct timespec done = ig_lab_file_time(dir, "DONE");
    if (e->run.status != IG_RUN_DONE || done.tv_sec != e->run.finished ||
        is_damaged(v->r, e->cell.address))
        return IG_ERR_OK;
    ig_err why = {0};
    ig_code code = ig_folder_json(&m, dir, "manifest.json", &why);
    IG_THEN(code, ig_lab_run_metrics(&of, dir, json_object_get(m, "config"), &why));
    if (code == IG_ERR_OK) {
        const int64_t n = count_others(
            &of, v->rows.metric + (e->n_metric > 0 ? e->first_metric : 0), e->n_metric);
        if (n > 0 || !same_manifest(m, e->run.manifest)) {
            snprintf(message, sizeof message,
                     "%.40s:%lld: %lld values%s are not those of runs/%.16s; without this file "
                     "the next report makes it anew",
                     e->cell.cell, (long long)e->cell.seed, (long long)n,
                     n > 0 ? "" : ", but its manifest,", e->cell.address);
            code = ig_store_verified_add(v->r, "store.sqlite", message, err);
        }
    } else
        code = code == IG_ERR_MEMORY ? ig_fail(err, code, dir, 0, "%s", why.msg)
                                     : IG_ERR_OK; /* said of the folder */
    ig_row_set_free(&of);
    json_decref(m);
    return code;
}

static ig_code verify_rows(verifying *v, ig_store *s, ig_err *err)
{
    char **name = NULL;
    int64_t n = 0;
    ig_code code = ig_store_experiments(&name, &n, s, err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        code = ig_store_read(&v->rows, s, name[i], false, err);
        for (int64_t k = 0; k < v->rows.n_entry && code == IG_ERR_OK; k++)
            code = verify_entry(v, &v->rows.entry[k], err);
        ig_store_result_free(&v->rows);
    }
    ig_free(name);
    return code;
}

ig_code ig_lab_verify(ig_store_verified *r, const char *store, ig_err *err)
{
    verifying v = {.r = r, .store = store};
    ig_store *s = NULL;
    char path[IG_PATH];
    ig_err why = {0};
    IG_TRY(ig_store_verify(r, store, err));
    IG_TRY(ig_folder_path(path, store, err, "store.sqlite"));
    if (!ig_file_exists(path))
        return IG_ERR_OK; /* the next report makes it */
    ig_code code = ig_store_open(&s, store, false, &why);
    IG_THEN(code, verify_rows(&v, s, &why));
    ig_store_close(s);
    if (code == IG_ERR_MEMORY)
        return ig_fail(err, code, path, 0, "%s", why.msg);
    return code == IG_ERR_OK ? IG_ERR_OK : ig_store_verified_add(r, "store.sqlite", why.msg, err);
}
