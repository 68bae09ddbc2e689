/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the files of the store: the connection, statements with errors in the
 * project's form, and the schema.
 */
#pragma once

#include "store/store.h"

#include <sqlite3.h>

/* Statements that are needed once for each of ten thousand runs, and prepared once. */
typedef enum {
    IG_STORE_FIND,
    IG_STORE_PUT_RUN,
    IG_STORE_RUN_ID,
    IG_STORE_CLEAR_METRICS,
    IG_STORE_FIND_QUANTITY,
    IG_STORE_ADD_QUANTITY,
    IG_STORE_PUT_METRIC,
    IG_STORE_N_KEPT
} ig_store_kept;

struct ig_store {
    sqlite3 *db;
    char *path;                          /* of store.sqlite */
    sqlite3_stmt *kept[IG_STORE_N_KEPT]; /* NULL: not prepared */
    bool read_only, in_transaction;
};

/* How long a statement waits for another process that writes. */
enum { IG_STORE_BUSY_MS = 60000 };

/* "isgt" at byte 68 of the file: an SQLite file of this program. */
#define IG_STORE_APPLICATION 0x69736774
/* Version of the schema that this program writes. */
#define IG_STORE_VERSION 5

/* Reports SQLite's message for `rc` as an error with the path of the store. */
ig_code ig_store_fail(const ig_store *s, int rc, ig_err *err);
/* Statements without results. */
ig_code ig_store_exec(ig_store *s, const char *sql, ig_err *err);
/* A statement to be stepped; *st is NULL after an error. */
ig_code ig_store_prepare(ig_store *s, sqlite3_stmt **st, const char *sql, ig_err *err);
/* The same; it stays the store's, and is reset by who has stepped it. */
ig_code ig_store_keep(ig_store *s, sqlite3_stmt **st, ig_store_kept which, const char *sql,
                      ig_err *err);
/* Steps a statement that gives no rows, and resets it. */
ig_code ig_store_step(ig_store *s, sqlite3_stmt *st, ig_err *err);
/* An integer that a statement gives (PRAGMA user_version). */
ig_code ig_store_integer(ig_store *s, int64_t *out, const char *sql, ig_err *err);

/* Migrates the schema to IG_STORE_VERSION, all or nothing; the version is read under the write
 * lock, so that two processes do it once. */
ig_code ig_store_migrate(ig_store *s, ig_err *err);
