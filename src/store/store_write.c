/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes to the store: runs, the cells of an experiment, rows, within ig_store_begin and _end.
 */
#include "store/store.h"

#include "store/store_internal.h"

#include <string.h>

/* NULL is null. */
static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
    sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

static ig_code check_address(const ig_store *s, const char *address, ig_err *err)
{
    if (address == NULL || strlen(address) != 16 || strspn(address, "0123456789abcdef") != 16)
        return ig_fail(err, IG_ERR_INPUT, s->path, 0,
                       "found the address '%.40s' of a run, expected 16 hexadecimal digits",
                       address != NULL ? address : "");
    return IG_ERR_OK;
}

ig_code ig_store_put_run(ig_store *s, const ig_store_run *r, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(check_address(s, r->address, err));
    /* Not REPLACE, which would delete the row and its metrics with it. */
    IG_TRY(ig_store_keep(
        s, &st, IG_STORE_PUT_RUN,
        "INSERT INTO run(address, status, seed, config, manifest, message, seconds,"
        " tokens_per_second, updates, tokens, peak_memory, finished,"
        " manifest_sha256)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        " ON CONFLICT(address) DO UPDATE SET status = ?2, seed = ?3, config = ?4, manifest = ?5,"
        " message = ?6, seconds = ?7, tokens_per_second = ?8, updates = ?9, tokens = ?10,"
        " peak_memory = ?11, finished = ?12, manifest_sha256 = ?13",
        err));
    bind_text(st, 1, r->address);
    bind_text(st, 2, ig_run_status_name(r->status));
    sqlite3_bind_int64(st, 3, r->seed);
    bind_text(st, 4, r->config);
    bind_text(st, 5, r->manifest);
    bind_text(st, 6, r->message);
    /* SQLite keeps NaN as NULL. */
    sqlite3_bind_double(st, 7, r->seconds);
    sqlite3_bind_double(st, 8, r->tokens_per_second);
    sqlite3_bind_int64(st, 9, r->updates);
    sqlite3_bind_int64(st, 10, r->tokens);
    sqlite3_bind_int64(st, 11, r->peak_memory);
    sqlite3_bind_int64(st, 12, r->finished);
    bind_text(st, 13, r->manifest_sha256);
    return ig_store_step(s, st, err);
}

ig_code ig_store_put_cells(ig_store *s, const char *experiment, const ig_store_cell *c, int n,
                           ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_prepare(s, &st, "DELETE FROM cell WHERE experiment = ?1", err));
    bind_text(st, 1, experiment);
    ig_code code = ig_store_step(s, st, err);
    sqlite3_finalize(st);
    IG_TRY(code);
    IG_TRY(ig_store_prepare(s, &st,
                            "INSERT INTO cell(experiment, position, seed, name, label, address)"
                            " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                            err));
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        bind_text(st, 1, experiment);
        sqlite3_bind_int64(st, 2, c[i].order);
        sqlite3_bind_int64(st, 3, c[i].seed);
        bind_text(st, 4, c[i].cell);
        bind_text(st, 5, c[i].label);
        bind_text(st, 6, c[i].address);
        code = check_address(s, c[i].address, err);
        IG_THEN(code, ig_store_step(s, st, err));
    }
    sqlite3_finalize(st);
    return code;
}

typedef struct {
    sqlite3_stmt *find, *add, *put;
} metric_statements;

static ig_code quantity_id(ig_store *s, const metric_statements *q, sqlite3_int64 *id,
                           const ig_row *m, ig_err *err)
{
    sqlite3_stmt *const both[] = {q->find, q->add};
    for (int i = 0; i < 2; i++) {
        bind_text(both[i], 1, m->task);
        sqlite3_bind_int(both[i], 2, m->task_version);
        bind_text(both[i], 3, m->split);
        bind_text(both[i], 4, m->languages);
        sqlite3_bind_int(both[i], 5, m->layer);
        bind_text(both[i], 6, ig_row_tags(m));
        const int rc = sqlite3_step(both[i]);
        if (rc == SQLITE_ROW)
            *id = sqlite3_column_int64(both[i], 0);
        const ig_code code =
            rc == SQLITE_ROW || rc == SQLITE_DONE ? IG_ERR_OK : ig_store_fail(s, rc, err);
        sqlite3_reset(both[i]);
        if (code != IG_ERR_OK || rc == SQLITE_ROW)
            return code;
    }
    *id = sqlite3_last_insert_rowid(s->db);
    return IG_ERR_OK;
}

static ig_code insert_sorted(ig_store *s, const metric_statements *q, sqlite3_int64 run,
                             const ig_row_set *rows, ig_err *err)
{
    sqlite3_int64 id = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        /* The steps of a quantity are adjacent. */
        const ig_row *m = &rows->row[i];
        ig_row before = i > 0 ? m[-1] : *m;
        before.step = m->step;
        if (i == 0 || m->task_version != before.task_version || ig_row_compare(&before, m) != 0)
            IG_TRY(quantity_id(s, q, &id, m, err));
        sqlite3_bind_int64(q->put, 1, run);
        sqlite3_bind_int(q->put, 2, m->last);
        sqlite3_bind_int64(q->put, 3, id);
        sqlite3_bind_int64(q->put, 4, m->step);
        sqlite3_bind_int64(q->put, 5, m->n);
        sqlite3_bind_double(q->put, 6, m->value);
        IG_TRY(ig_store_step(s, q->put, err));
    }
    return IG_ERR_OK;
}

/* The number of a run; its metrics are taken away. */
static ig_code begin_metrics(ig_store *s, sqlite3_int64 *run, const char *address, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_keep(s, &st, IG_STORE_RUN_ID, "SELECT id FROM run WHERE address = ?1", err));
    bind_text(st, 1, address);
    const int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *run = sqlite3_column_int64(st, 0);
    ig_code code = rc == SQLITE_ROW ? IG_ERR_OK
                   : rc == SQLITE_DONE
                       ? ig_fail(err, IG_ERR_INPUT, s->path, 0,
                                 "metrics of run %.16s, which the store does not have", address)
                       : ig_store_fail(s, rc, err);
    sqlite3_reset(st);
    IG_TRY(code);
    IG_TRY(ig_store_keep(s, &st, IG_STORE_CLEAR_METRICS, "DELETE FROM metric WHERE run = ?1", err));
    sqlite3_bind_int64(st, 1, *run);
    return ig_store_step(s, st, err);
}

ig_code ig_store_put_rows(ig_store *s, const char *address, ig_row *m, int64_t n, ig_err *err)
{
    ig_row_set rows = {.row = m, .n = n};
    metric_statements q;
    sqlite3_int64 run = 0;
    IG_TRY(check_address(s, address, err));
    IG_TRY(ig_store_keep(s, &q.find, IG_STORE_FIND_QUANTITY,
                         "SELECT id FROM quantity WHERE task = ?1 AND task_version = ?2"
                         " AND split = ?3 AND languages = ?4 AND layer = ?5 AND tags = ?6",
                         err));
    IG_TRY(ig_store_keep(s, &q.add, IG_STORE_ADD_QUANTITY,
                         "INSERT INTO quantity(task, task_version, split, languages, layer, tags)"
                         " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                         err));
    IG_TRY(ig_store_keep(s, &q.put, IG_STORE_PUT_METRIC,
                         "INSERT INTO metric(run, last, quantity, step, n, value)"
                         " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                         err));
    IG_TRY(begin_metrics(s, &run, address, err));
    IG_TRY(ig_row_set_order(&rows, 0, s->path, err));
    return insert_sorted(s, &q, run, &rows, err);
}

ig_code ig_store_move_cells(ig_store *s, const char *from, const char *to, const char *experiment,
                            ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(check_address(s, to, err));
    IG_TRY(ig_store_prepare(
        s, &st, "UPDATE cell SET address = ?2 WHERE address = ?1 AND experiment <> ?3", err));
    bind_text(st, 1, from);
    bind_text(st, 2, to);
    bind_text(st, 3, experiment);
    const ig_code code = ig_store_step(s, st, err);
    sqlite3_finalize(st);
    return code;
}
