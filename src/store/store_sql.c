/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements and transactions of the store, and the codes of SQLite's errors.
 */
#include "store/store_internal.h"

#include <errno.h>
#include <string.h>

ig_code ig_store_fail(const ig_store *s, int rc, ig_err *err)
{
    const char *why = s->db != NULL ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    /* For a full disk SQLite stores no errno; ig_is_no_space compares the system's text. */
    const int system = (rc & 0xff) == SQLITE_FULL ? ENOSPC
                       : s->db != NULL            ? sqlite3_system_errno(s->db)
                                                  : 0;
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return ig_fail(err, IG_ERR_MEMORY, s->path, 0, "not enough memory for the store");
    case SQLITE_NOTADB:
        return ig_fail(err, IG_ERR_INPUT, s->path, 0, "not a store of results: %s", why);
    case SQLITE_CORRUPT:
        ig_fail(err, IG_ERR_INPUT, s->path, 0, "the store is damaged: %s", why);
        return ig_hint(err,
                       "move it away: it is made again from the folders of the runs beside it");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ig_fail(err, IG_ERR_IO, s->path, 0,
                       "another process has been writing to the store for %d s",
                       IG_STORE_BUSY_MS / 1000);
    case SQLITE_READONLY:
        return ig_fail(err, IG_ERR_IO, s->path, 0, "the store may be read here, not written");
    case SQLITE_CONSTRAINT:
        return ig_fail(err, IG_ERR_INPUT, s->path, 0, "the store refuses this: %s", why);
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return ig_fail(err, IG_ERR_IO, s->path, 0, "%s%s%s", why, system != 0 ? ": " : "",
                       system != 0 ? strerror(system) : "");
    default:
        return ig_fail(err, IG_ERR_INPUT, s->path, 0, "unexpected in a store of results: %s", why);
    }
}

ig_code ig_store_exec(ig_store *s, const char *sql, ig_err *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? IG_ERR_OK : ig_store_fail(s, rc, err);
}

ig_code ig_store_prepare(ig_store *s, sqlite3_stmt **st, const char *sql, ig_err *err)
{
    int rc = sqlite3_prepare_v2(s->db, sql, -1, st, NULL);
    return rc == SQLITE_OK ? IG_ERR_OK : ig_store_fail(s, rc, err);
}

ig_code ig_store_keep(ig_store *s, sqlite3_stmt **st, ig_store_kept which, const char *sql,
                      ig_err *err)
{
    if (s->kept[which] == NULL)
        IG_TRY(ig_store_prepare(s, &s->kept[which], sql, err));
    *st = s->kept[which];
    return IG_ERR_OK;
}

ig_code ig_store_step(ig_store *s, sqlite3_stmt *st, ig_err *err)
{
    int rc = sqlite3_step(st);
    ig_code code = rc == SQLITE_DONE || rc == SQLITE_ROW ? IG_ERR_OK : ig_store_fail(s, rc, err);
    sqlite3_reset(st);
    return code;
}

ig_code ig_store_integer(ig_store *s, int64_t *out, const char *sql, ig_err *err)
{
    sqlite3_stmt *st;
    IG_TRY(ig_store_prepare(s, &st, sql, err));
    int rc = sqlite3_step(st);
    ig_code code = IG_ERR_OK;
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(st, 0);
    else
        code = ig_store_fail(s, rc, err);
    sqlite3_finalize(st);
    return code;
}

ig_code ig_store_begin(ig_store *s, ig_err *err)
{
    if (s->in_transaction)
        return ig_fail(err, IG_ERR_USAGE, s->path, 0, "a transaction is open already");
    /* At once for writing: one that begins by reading could not become a writer when another has
     * written in between. */
    IG_TRY(ig_store_exec(s, "BEGIN IMMEDIATE", err));
    s->in_transaction = true;
    return IG_ERR_OK;
}

ig_code ig_store_end(ig_store *s, ig_code code, ig_err *err)
{
    if (!s->in_transaction)
        return code != IG_ERR_OK ? code
                                 : ig_fail(err, IG_ERR_USAGE, s->path, 0, "no transaction is open");
    IG_THEN(code, ig_store_exec(s, "COMMIT", err));
    /* Some errors have taken everything back already; a second time does no harm. */
    if (code != IG_ERR_OK && sqlite3_get_autocommit(s->db) == 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_transaction = false;
    return code;
}
