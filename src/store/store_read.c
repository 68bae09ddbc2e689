/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the cells of an experiment with their runs and metrics, within one read transaction, so
 * that concurrent writes are seen completely or not at all.
 */
#include "store/store.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/strings/append.h"
#include "store/store_internal.h"

#include <math.h>
#include <string.h>

/* A column's text; NULL where it is null. */
static ig_code text_at(ig_pool *pool, const char **out, sqlite3_stmt *st, int column, ig_err *err)
{
    const unsigned char *text = sqlite3_column_text(st, column);
    *out = NULL;
    if (text == NULL)
        return IG_ERR_OK;
    return ig_pool_text(pool, out, (const char *)text, (size_t)sqlite3_column_bytes(st, column),
                        err);
}

/* As text_at; the same text as the row before shares its memory. */
static ig_code again_at(ig_pool *pool, const char **out, const char *before, sqlite3_stmt *st,
                        int column, ig_err *err)
{
    const unsigned char *text = sqlite3_column_text(st, column);
    if (before != NULL && text != NULL && strcmp(before, (const char *)text) == 0) {
        *out = before;
        return IG_ERR_OK;
    }
    return text_at(pool, out, st, column, err);
}

static double real_at(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL ? (double)NAN
                                                          : sqlite3_column_double(st, column);
}

static ig_code status_at(const ig_store *s, ig_run_status *out, sqlite3_stmt *st, int column,
                         ig_err *err)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    *out = IG_RUN_MISSING;
    if (text == NULL)
        return IG_ERR_OK;
    for (int k = IG_RUN_MISSING; k <= IG_RUN_DONE; k++)
        if (strcmp(text, ig_run_status_name((ig_run_status)k)) == 0) {
            *out = (ig_run_status)k;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_INPUT, s->path, 0, "found the status '%.40s' of a run", text);
}

typedef struct {
    ig_store_result *r;
    ig_store *s;
    ig_pool *pool;
    int64_t *run; /* [n_entry] id; 0: none */
    int64_t entry_room, run_room, metric_room;
} reading;

/* A text that must be there. */
static ig_code need_text(reading *g, const char **out, const char *before, sqlite3_stmt *st,
                         int column, ig_err *err)
{
    IG_TRY(again_at(g->pool, out, before, st, column, err));
    return *out != NULL ? IG_ERR_OK
                        : ig_fail(err, IG_ERR_INPUT, g->s->path, 0,
                                  "the store is damaged: a text of %s is missing",
                                  sqlite3_column_name(st, column));
}

static ig_code read_entry(reading *g, ig_store_entry *e, const ig_store_entry *before,
                          sqlite3_stmt *st, ig_err *err)
{
    IG_TRY(need_text(g, &e->cell.experiment, before->cell.experiment, st, 0, err));
    IG_TRY(need_text(g, &e->cell.cell, before->cell.cell, st, 1, err));
    IG_TRY(need_text(g, &e->cell.label, before->cell.label, st, 2, err));
    e->cell.order = sqlite3_column_int(st, 3);
    e->cell.seed = e->run.seed = sqlite3_column_int64(st, 4);
    IG_TRY(need_text(g, &e->cell.address, NULL, st, 5, err));
    e->run.address = e->cell.address;
    IG_TRY(status_at(g->s, &e->run.status, st, 6, err));
    IG_TRY(text_at(g->pool, &e->run.config, st, 7, err));
    IG_TRY(again_at(g->pool, &e->run.manifest, before->run.manifest, st, 8, err));
    IG_TRY(text_at(g->pool, &e->run.message, st, 9, err));
    e->run.seconds = real_at(st, 10);
    e->run.tokens_per_second = real_at(st, 11);
    e->run.updates = sqlite3_column_int64(st, 12);
    e->run.tokens = sqlite3_column_int64(st, 13);
    e->run.peak_memory = sqlite3_column_int64(st, 14);
    e->run.finished = sqlite3_column_int64(st, 15);
    return text_at(g->pool, &e->run.manifest_sha256, st, 16, err);
}

static ig_code read_entries(reading *g, const char *experiment, ig_err *err)
{
    sqlite3_stmt *st;
    ig_store_result *r = g->r;
    ig_store_entry before = {0};
    int rc;
    IG_TRY(ig_store_prepare(
        g->s, &st,
        "SELECT cell.experiment, cell.name, cell.label, cell.position, cell.seed, cell.address,"
        " status, config, manifest, message, seconds, tokens_per_second, updates, tokens,"
        " peak_memory, finished, manifest_sha256, run.id"
        " FROM cell LEFT JOIN run USING(address) WHERE cell.experiment = ?1"
        " ORDER BY cell.position, cell.seed",
        err));
    sqlite3_bind_text(st, 1, experiment, -1, SQLITE_STATIC);
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && (rc = sqlite3_step(st)) != SQLITE_DONE) {
        if (rc != SQLITE_ROW)
            code = ig_store_fail(g->s, rc, err);
        IG_THEN(code, ig_grow(&r->entry, &g->entry_room, r->n_entry + 1, sizeof *r->entry,
                              "results", err));
        IG_THEN(code,
                ig_grow(&g->run, &g->run_room, r->n_entry + 1, sizeof *g->run, "results", err));
        IG_THEN(code, read_entry(g, &r->entry[r->n_entry], &before, st, err));
        if (code == IG_ERR_OK) {
            g->run[r->n_entry] = sqlite3_column_int64(st, 17);
            before = r->entry[r->n_entry++];
        }
    }
    sqlite3_finalize(st);
    return code;
}

static ig_code read_row(reading *g, sqlite3_stmt *st, ig_err *err)
{
    ig_store_result *r = g->r;
    const ig_row none = {0};
    IG_TRY(
        ig_grow(&r->metric, &g->metric_room, r->n_metric + 1, sizeof *r->metric, "results", err));
    ig_row *to = &r->metric[r->n_metric];
    const ig_row *before = r->n_metric > 0 ? to - 1 : &none;
    *to = (ig_row){.task_version = sqlite3_column_int(st, 4),
                   .layer = sqlite3_column_int(st, 5),
                   .last = sqlite3_column_int(st, 6) != 0,
                   .step = sqlite3_column_int64(st, 7),
                   .n = sqlite3_column_int64(st, 8),
                   .value = sqlite3_column_double(st, 9)};
    IG_TRY(need_text(g, &to->task, before->task, st, 0, err));
    IG_TRY(need_text(g, &to->split, before->split, st, 1, err));
    IG_TRY(need_text(g, &to->languages, before->languages, st, 2, err));
    IG_TRY(need_text(g, &to->tags, before->tags, st, 3, err));
    r->n_metric++;
    return IG_ERR_OK;
}

/* The query of one run's rows: those of its finished model, and of these tasks (n_task −1: of all)
 * those of its checkpoints. */
static ig_code prepare_rows(const reading *g, sqlite3_stmt **st, const char *const *task,
                            int n_task, ig_err *err)
{
    sqlite3_str *sql = sqlite3_str_new(g->s->db);
    sqlite3_str_appendall(sql, "SELECT task, split, languages, tags, task_version, layer, last,"
                               " step, n, value FROM metric"
                               " LEFT JOIN quantity ON quantity.id = quantity WHERE run = ?1");
    if (n_task == 0)
        sqlite3_str_appendall(sql, " AND last = 1");
    for (int i = 0; i < n_task; i++)
        sqlite3_str_appendf(sql, "%s%Q", i == 0 ? " AND (last = 1 OR task IN (" : ", ", task[i]);
    sqlite3_str_appendall(sql, n_task > 0 ? "))" : "");
    char *text = sqlite3_str_finish(sql);
    const ig_code code = text != NULL ? ig_store_prepare(g->s, st, text, err)
                                      : ig_store_fail(g->s, SQLITE_NOMEM, err);
    sqlite3_free(text);
    return code;
}

static ig_code read_rows(reading *g, sqlite3_stmt *st, int64_t run, ig_store_entry *e, ig_err *err)
{
    ig_store_result *r = g->r;
    ig_code code = IG_ERR_OK;
    int rc;
    e->first_metric = r->n_metric;
    sqlite3_bind_int64(st, 1, run);
    while (code == IG_ERR_OK && (rc = sqlite3_step(st)) != SQLITE_DONE)
        code = rc == SQLITE_ROW ? read_row(g, st, err) : ig_store_fail(g->s, rc, err);
    sqlite3_reset(st);
    ig_row_set rows = {.row = r->metric, .n = r->n_metric};
    IG_THEN(code, ig_row_set_order(&rows, e->first_metric, g->s->path, err));
    r->n_metric = rows.n;
    e->n_metric = r->n_metric - e->first_metric;
    return code;
}

/* n_task −1: of all tasks. */
static ig_code read_metrics(reading *g, const char *const *task, int n_task, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(prepare_rows(g, &st, task, n_task, err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < g->r->n_entry && code == IG_ERR_OK; i++)
        code = read_rows(g, st, g->run[i], &g->r->entry[i], err);
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_read_tasks(ig_store_result *out, ig_store *s, const char *experiment,
                            const char *const *task, int n_task, ig_err *err)
{
    reading g = {.r = out, .s = s, .pool = &out->pool};
    *out = (ig_store_result){0};
    const bool own = !s->in_transaction;
    ig_code code = own ? ig_store_exec(s, "BEGIN", err) : IG_ERR_OK;
    if (code == IG_ERR_OK) {
        code = read_entries(&g, experiment, err);
        IG_THEN(code, read_metrics(&g, task, n_task, err));
        if (own)
            sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    }
    ig_free(g.run);
    if (code != IG_ERR_OK)
        ig_store_result_free(out);
    return code;
}

ig_code ig_store_read(ig_store_result *out, ig_store *s, const char *experiment, bool last_only,
                      ig_err *err)
{
    return ig_store_read_tasks(out, s, experiment, NULL, last_only ? 0 : -1, err);
}

void ig_store_result_free(ig_store_result *r)
{
    ig_pool_free(&r->pool);
    ig_pool_free(&r->row_pool);
    IG_FREE(r->entry, r->metric);
    *r = (ig_store_result){0};
}

void ig_store_result_take(ig_store_result *r, ig_row_set *rows)
{
    r->metric = rows->row;
    r->n_metric = rows->n;
    r->row_pool = rows->pool;
    *rows = (ig_row_set){0};
}

const ig_row *ig_store_rows(const ig_store_result *r, const ig_store_entry *e)
{
    return e->n_metric > 0 ? r->metric + e->first_metric : NULL;
}

ig_code ig_store_experiments(const char ***out, int64_t *n, ig_pool *pool, ig_store *s, ig_err *err)
{
    sqlite3_stmt *st;
    int64_t room = 0;
    int rc;
    *n = 0;
    IG_TRY(ig_store_integer(s, &room, "SELECT count(DISTINCT experiment) FROM cell", err));
    IG_TRY(ig_pool_alloc(pool, out, room, sizeof **out, err));
    IG_TRY(
        ig_store_prepare(s, &st, "SELECT DISTINCT experiment FROM cell ORDER BY experiment", err));
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && *n < room && (rc = sqlite3_step(st)) != SQLITE_DONE)
        code = rc == SQLITE_ROW && sqlite3_column_text(st, 0) != NULL
                   ? text_at(pool, &(*out)[(*n)++], st, 0, err)
                   : ig_store_fail(s, rc, err);
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_find(ig_store_known *k, ig_store *s, const char *address, ig_err *err)
{
    *k = (ig_store_known){.status = IG_RUN_MISSING, .finished = -1};
    sqlite3_stmt *st;
    IG_TRY(ig_store_keep(s, &st, IG_STORE_FIND,
                         "SELECT status, finished, manifest_sha256 FROM run WHERE address = ?1",
                         err));
    sqlite3_bind_text(st, 1, address, -1, SQLITE_STATIC);
    const int rc = sqlite3_step(st);
    ig_code code = rc == SQLITE_ROW || rc == SQLITE_DONE ? IG_ERR_OK : ig_store_fail(s, rc, err);
    if (rc == SQLITE_ROW)
        code = status_at(s, &k->status, st, 0, err);
    if (k->status == IG_RUN_DONE) {
        const char *hex = (const char *)sqlite3_column_text(st, 2);
        k->finished = sqlite3_column_int64(st, 1);
        snprintf(k->manifest_sha256, sizeof k->manifest_sha256, "%s", hex != NULL ? hex : "");
    }
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return code;
}

ig_code ig_store_manifest(char **out, ig_store *s, const char *address, ig_err *err)
{
    sqlite3_stmt *st;
    *out = NULL;
    IG_TRY(ig_store_prepare(s, &st, "SELECT manifest FROM run WHERE address = ?1", err));
    sqlite3_bind_text(st, 1, address, -1, SQLITE_STATIC);
    const int rc = sqlite3_step(st);
    const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
    ig_code code = rc == SQLITE_ROW || rc == SQLITE_DONE ? IG_ERR_OK : ig_store_fail(s, rc, err);
    if (text != NULL)
        code = ig_copy_text(out, text, "a manifest", err);
    sqlite3_finalize(st);
    return code;
}
