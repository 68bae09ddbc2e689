/* SPDX-License-Identifier: Apache-2.0
 *
 * What is put into the store: runs, the cells of an experiment, metrics, artefacts. Each call is a
 * transaction of its own unless one is open.
 */
#include "store/store.h"
#include "store/store_internal.h"

#include <math.h>
#include <string.h>

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
    if (text != NULL)
        sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(st, at);
}

/* SQLite keeps NaN as NULL; so would bind_double, but said here. */
static void bind_real(sqlite3_stmt *st, int at, double x)
{
    if (isnan(x))
        sqlite3_bind_null(st, at);
    else
        sqlite3_bind_double(st, at, x);
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
    bool own;
    IG_TRY(check_address(s, r->address, err));
    IG_TRY(ig_store_enter(s, &own, err));
    /* Not REPLACE, which would delete the row and its metrics with it. */
    ig_code code = ig_store_prepare(
        s, &st,
        "INSERT INTO run(address, status, seed, config, manifest, message, seconds,"
        " tokens_per_second, updates, tokens, peak_memory, finished)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        " ON CONFLICT(address) DO UPDATE SET status = ?2, seed = ?3, config = ?4, manifest = ?5,"
        " message = ?6, seconds = ?7, tokens_per_second = ?8, updates = ?9, tokens = ?10,"
        " peak_memory = ?11, finished = ?12",
        err);
    if (code == IG_ERR_OK) {
        bind_text(st, 1, r->address);
        bind_text(st, 2, ig_run_status_name(r->status));
        sqlite3_bind_int64(st, 3, r->seed);
        bind_text(st, 4, r->config);
        bind_text(st, 5, r->manifest);
        bind_text(st, 6, r->message);
        bind_real(st, 7, r->seconds);
        bind_real(st, 8, r->tokens_per_second);
        sqlite3_bind_int64(st, 9, r->updates);
        sqlite3_bind_int64(st, 10, r->tokens);
        sqlite3_bind_int64(st, 11, r->peak_memory);
        sqlite3_bind_int64(st, 12, r->finished);
        code = ig_store_step(s, st, err);
        sqlite3_finalize(st);
    }
    return ig_store_leave(s, own, code, err);
}

static ig_code insert_cells(ig_store *s, const char *experiment, const ig_store_cell *c, int n,
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
        code = check_address(s, c[i].address, err);
        if (code != IG_ERR_OK)
            break;
        bind_text(st, 1, experiment);
        sqlite3_bind_int64(st, 2, c[i].order);
        sqlite3_bind_int64(st, 3, c[i].seed);
        bind_text(st, 4, c[i].cell);
        bind_text(st, 5, c[i].label);
        bind_text(st, 6, c[i].address);
        code = ig_store_step(s, st, err);
    }
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_put_cells(ig_store *s, const char *experiment, const ig_store_cell *c, int n,
                           ig_err *err)
{
    bool own;
    IG_TRY(ig_store_enter(s, &own, err));
    return ig_store_leave(s, own, insert_cells(s, experiment, c, n, err), err);
}

static ig_code insert_metrics(ig_store *s, const char *address, const ig_store_metric *m, int64_t n,
                              ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_prepare(s, &st, "DELETE FROM metric WHERE address = ?1", err));
    bind_text(st, 1, address);
    ig_code code = ig_store_step(s, st, err);
    sqlite3_finalize(st);
    IG_TRY(code);
    IG_TRY(ig_store_prepare(s, &st,
                            "INSERT INTO metric(address, task, task_version, split, languages,"
                            " layer, step, last, n, value)"
                            " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                            err));
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        if (isnan(m[i].value))
            continue;
        bind_text(st, 1, address);
        bind_text(st, 2, m[i].task);
        sqlite3_bind_int(st, 3, m[i].task_version);
        bind_text(st, 4, m[i].split);
        bind_text(st, 5, m[i].languages);
        sqlite3_bind_int(st, 6, m[i].layer);
        sqlite3_bind_int64(st, 7, m[i].step);
        sqlite3_bind_int(st, 8, m[i].last);
        sqlite3_bind_int64(st, 9, m[i].n);
        sqlite3_bind_double(st, 10, m[i].value);
        code = ig_store_step(s, st, err);
    }
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_put_metrics(ig_store *s, const char *address, const ig_store_metric *m, int64_t n,
                             ig_err *err)
{
    bool own;
    IG_TRY(check_address(s, address, err));
    IG_TRY(ig_store_enter(s, &own, err));
    return ig_store_leave(s, own, insert_metrics(s, address, m, n, err), err);
}

ig_code ig_store_put_artefact(ig_store *s, const char *address, const char *kind, int64_t step,
                              const char *path, const char *sha256, ig_err *err)
{
    sqlite3_stmt *st;
    bool own;
    IG_TRY(check_address(s, address, err));
    IG_TRY(ig_store_enter(s, &own, err));
    ig_code code = ig_store_prepare(s, &st,
                                    "INSERT INTO artefact(address, kind, step, path, sha256)"
                                    " VALUES(?1, ?2, ?3, ?4, ?5)"
                                    " ON CONFLICT DO UPDATE SET sha256 = ?5",
                                    err);
    if (code == IG_ERR_OK) {
        bind_text(st, 1, address);
        bind_text(st, 2, kind);
        sqlite3_bind_int64(st, 3, step);
        bind_text(st, 4, path);
        bind_text(st, 5, sha256);
        code = ig_store_step(s, st, err);
        sqlite3_finalize(st);
    }
    return ig_store_leave(s, own, code, err);
}
