/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing a store. A file that is not a store is recognised by its first hundred bytes
 * (SQLite's file format, §1.3), before SQLite opens it, so nothing that is not ours is ever
 * touched.
 */
#include "store/store.h"

#include "base/file.h"
#include "base/memory.h"
#include "store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 100 };

const char *ig_run_status_name(ig_run_status s)
{
    static const char *const names[] = {"missing", "running", "stopped", "failed", "done"};
    return names[s];
}

static ig_code not_a_store(const char *path, const char *what, ig_err *err)
{
    ig_fail(err, IG_ERR_INPUT, path, 0, "not a store of results: %s", what);
    return ig_hint(err, "it was left as it is; give another folder, or move it away");
}

static bool has_journal(const char *path)
{
    char journal[4096];
    int n = snprintf(journal, sizeof journal, "%s-journal", path);
    return n > 0 && n < (int)sizeof journal && ig_file_exists(journal);
}

/* *have: there is a file, and it may be a store. An empty file remains if a process was killed
 * while it made the store; so does one with the journal of its first transaction. */
static ig_code look(bool *have, const char *path, ig_err *err)
{
    struct stat st;
    unsigned char h[HEADER];
    *have = false;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT)
            return IG_ERR_OK;
        return ig_fail(err, IG_ERR_IO, path, 0, "cannot stat: %s", strerror(errno));
    }
    if (!S_ISREG(st.st_mode))
        return not_a_store(path,
                           S_ISDIR(st.st_mode) ? "found a directory, expected a file"
                                               : "found a pipe or a device, expected a file",
                           err);
    *have = true;
    if (st.st_size == 0)
        return IG_ERR_OK;
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return ig_fail(err, IG_ERR_IO, path, 0, "cannot open: %s", strerror(errno));
    size_t n = fread(h, 1, sizeof h, f);
    const bool failed = ferror(f) != 0;
    fclose(f);
    if (failed)
        return ig_fail(err, IG_ERR_IO, path, 0, "cannot read");
    if (n < sizeof h || memcmp(h, "SQLite format 3", 16) != 0)
        return not_a_store(path, "found another kind of file, expected one of SQLite", err);
    const uint32_t application =
        (uint32_t)h[68] << 24 | (uint32_t)h[69] << 16 | (uint32_t)h[70] << 8 | (uint32_t)h[71];
    if (application != IG_STORE_APPLICATION && !has_journal(path))
        return not_a_store(path, "found an SQLite file of another program", err);
    return IG_ERR_OK;
}

static ig_code connect(ig_store *s, const char *name, int flags, ig_err *err)
{
    int rc = sqlite3_open_v2(name, &s->db, flags, NULL);
    if (rc != SQLITE_OK)
        return ig_store_fail(s, rc, err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, IG_STORE_BUSY_MS);
    return IG_ERR_OK;
}

/* For a folder that may not be written, where SQLite cannot make the memory file that goes with a
 * write-ahead log: without a log there is nothing in it, and the file alone is the store. */
static ig_code connect_immutable(ig_store *s, ig_err *err)
{
    struct stat st;
    char *uri;
    const size_t n = strlen(s->path);
    IG_TRY(ig_alloc(&uri, (int64_t)(3 * n + 64), 1, "path of the store", err));
    char *p = uri;
    memcpy(p, s->path, n);
    memcpy(p + n, "-wal", 5);
    if (stat(uri, &st) == 0 && st.st_size > 0) {
        ig_free(uri);
        ig_fail(err, IG_ERR_IO, s->path, 0,
                "the store has changes that were not yet written into it, and may not be written "
                "here");
        return ig_hint(err, "open it once with the right to write: isoglot report does");
    }
    p += sprintf(p, "file:");
    for (const char *c = s->path; *c != '\0'; c++)
        p += sprintf(p, strchr("?#%", *c) != NULL ? "%%%02X" : "%c", (unsigned char)*c);
    sprintf(p, "?immutable=1");
    sqlite3_close(s->db);
    s->db = NULL;
    ig_code code = connect(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    ig_free(uri);
    return code;
}

/* The change to a write-ahead log wants the file alone for a moment and does not wait by itself. */
static ig_code write_ahead(ig_store *s, ig_err *err)
{
    for (int waited = 0;; waited += 20) {
        int rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc == SQLITE_OK)
            return IG_ERR_OK;
        if ((rc & 0xff) != SQLITE_BUSY || waited >= IG_STORE_BUSY_MS)
            return ig_store_fail(s, rc, err);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static ig_code check_version(ig_store *s, int64_t *version, ig_err *err)
{
    ig_err first = {0};
    ig_code code = ig_store_integer(s, version, "PRAGMA user_version", &first);
    const int rc = sqlite3_errcode(s->db) & 0xff;
    if (code != IG_ERR_OK && s->read_only && (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY)) {
        IG_TRY(connect_immutable(s, err));
        code = ig_store_integer(s, version, "PRAGMA user_version", err);
    } else if (err != NULL && code != IG_ERR_OK)
        *err = first;
    IG_TRY(code);
    if (*version > IG_STORE_VERSION || *version < 0)
        return ig_fail(err, IG_ERR_INPUT, s->path, 0,
                       "a store of version %lld; this program knows versions up to %d",
                       (long long)*version, IG_STORE_VERSION);
    return IG_ERR_OK;
}

static ig_code open_store(ig_store *s, const char *dir, bool create, ig_err *err)
{
    bool have;
    int64_t version = 0;
    if (create)
        IG_TRY(ig_dir_make(dir, err));
    IG_TRY(ig_path_join(&s->path, dir, "store.sqlite", err));
    IG_TRY(look(&have, s->path, err));
    if (!have && !create) {
        ig_fail(err, IG_ERR_IO, s->path, 0, "no store of results here");
        ig_hint(err, "isoglot run makes one; --store names another folder");
        return IG_ERR_IO;
    }
    s->read_only = have && (access(s->path, W_OK) != 0 || access(dir, W_OK) != 0);
    IG_TRY(connect(s, s->path,
                   s->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                   err));
    IG_TRY(check_version(s, &version, err));
    if (s->read_only) {
        if (version < IG_STORE_VERSION)
            return ig_fail(err, IG_ERR_IO, s->path, 0,
                           "a store of version %lld must be brought to version %d, and may not be "
                           "written here",
                           (long long)version, IG_STORE_VERSION);
        return IG_ERR_OK;
    }
    /* A file whose first transaction was rolled back is ours only if nothing else is in it. */
    if (version == 0) {
        int64_t n = 0;
        IG_TRY(ig_store_integer(s, &n,
                                "SELECT count(*) FROM sqlite_schema WHERE (SELECT user_version "
                                "FROM pragma_user_version) = 0",
                                err));
        if (n > 0)
            return not_a_store(s->path, "found an SQLite file of another program", err);
    }
    if (version < IG_STORE_VERSION)
        IG_TRY(ig_store_migrate(s, err));
    IG_TRY(write_ahead(s, err));
    /* With a write-ahead log a power cut may take back the last transactions but damages nothing,
     * and the folders of the runs have them. */
    return ig_store_exec(s, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", err);
}

ig_code ig_store_open(ig_store **out, const char *dir, bool create, ig_err *err)
{
    ig_store *s;
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "store", err));
    ig_code code = open_store(s, dir, create, err);
    if (code != IG_ERR_OK) {
        ig_store_close(s);
        return code;
    }
    *out = s;
    return IG_ERR_OK;
}

void ig_store_close(ig_store *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < IG_STORE_N_KEPT; i++)
        sqlite3_finalize(s->kept[i]);
    sqlite3_close(s->db);
    IG_FREE(s->path, s);
}

bool ig_store_writable(const ig_store *s)
{
    return !s->read_only;
}
