/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of results: one SQLite file (WAL) beside the run folders it speaks of. The folders are
 * the truth (a finished run's run.json, manifest.json, measures.jsonl); the file is their index and
 * can be made again from them. So only the process that reports or schedules writes it: workers on
 * other machines write run folders only, and a store on a network file system is safe.
 *
 *   STORE/store.sqlite
 *   STORE/runs/<address>/        apply/folder/run_dir.h; the address is a hash of what decides the
 * result STORE/data/<address>/        vocabulary and shards, shared by the runs that have them in
 * common
 *
 * The schema is in docs/results.md, versioned (PRAGMA user_version) and migrated when opened; a
 * newer one than this program knows is refused.
 */
#pragma once

#include "base/sha256.h"
#include "store/row.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ig_store ig_store;

/* create: makes folder and file if missing; otherwise a missing store is IG_ERR_IO with the path.
 * Several processes may open it; writers wait for each other (busy timeout). */
ig_code ig_store_open(ig_store **s, const char *dir, bool create, ig_err *err);
void ig_store_close(ig_store *s);
/* False where folder or file may only be read: everything below that writes is then IG_ERR_IO. */
bool ig_store_writable(const ig_store *s);

/* Everything between these is one transaction, without which nothing should be written; nested
 * calls are errors. _end rolls back unless code is IG_ERR_OK and returns the first error. */
ig_code ig_store_begin(ig_store *s, ig_err *err);
ig_code ig_store_end(ig_store *s, ig_code code, ig_err *err);

typedef enum {
    IG_RUN_MISSING,
    IG_RUN_RUNNING,
    IG_RUN_STOPPED,
    IG_RUN_FAILED,
    IG_RUN_DONE
} ig_run_status;
const char *ig_run_status_name(ig_run_status s); /* missing, running, stopped, failed, done */

/* Strings are borrowed when written; owned by the result when read. */
typedef struct {
    const char *address; /* 16 hexadecimal digits */
    ig_run_status status;
    int64_t seed;
    const char *config;   /* JSON: the options that decide the result */
    const char *manifest; /* JSON: hashes of data and vocabulary, program, compiler, CPU, kernels */
    const char *message;  /* of a failed run; NULL */
    double seconds, tokens_per_second;
    int64_t updates, tokens, peak_memory;
    int64_t finished; /* seconds since 1970; 0: not */
    /* SHA-256 of its manifest.json, hexadecimal; NULL: of an earlier version. */
    const char *manifest_sha256;
    /* A run in a file of results has: the address of its settings, 16 digits, when it was finished
     * (NULL: unknown), and its line. */
    const char *settings, *date;
    uint64_t line;
} ig_store_run;
/* Inserts or replaces. */
ig_code ig_store_put_run(ig_store *s, const ig_store_run *r, ig_err *err);

/* That a run is cell `cell`, seed `seed` of an experiment. `experiment` is its name and variant
 * ("table1-mini", "table1-mini:world"). */
typedef struct {
    const char *experiment, *cell, *label;
    int order; /* of the cell in the file */
    int64_t seed;
    const char *address;
} ig_store_cell;
/* Replaces all cells of the experiment. */
ig_code ig_store_put_cells(ig_store *s, const char *experiment, const ig_store_cell *c, int n,
                           ig_err *err);

/* Replaces all rows of the run by these, which are sorted (ig_row_set_order). */
ig_code ig_store_put_rows(ig_store *s, const char *address, ig_row *m, int64_t n, ig_err *err);
/* An experiment's cells with their runs, and their metrics sorted by (cell order, seed, task,
 * split, languages, layer, step). Owned by the result; freed with ig_store_result_free. */
typedef struct {
    ig_store_cell cell;
    ig_store_run run; /* status IG_RUN_MISSING when the store has none of that address */
    int64_t first_metric, n_metric; /* into metric[] */
} ig_store_entry;
typedef struct {
    ig_store_entry *entry;
    int64_t n_entry;
    ig_row *metric;
    int64_t n_metric;
    ig_pool pool, row_pool; /* of texts */
} ig_store_result;
/* Moves all of `rows` into a result that has none. */
void ig_store_result_take(ig_store_result *r, ig_row_set *rows);
/* The rows of an entry; NULL: it has none. */
const ig_row *ig_store_rows(const ig_store_result *r, const ig_store_entry *e);
/* last_only: only metrics of finished models (a table), not of all checkpoints (a curve). */
ig_code ig_store_read(ig_store_result *out, ig_store *s, const char *experiment, bool last_only,
                      ig_err *err);
/* Reads the metrics of finished models, and only for these tasks (n_task −1: for all) those of all
 * checkpoints. */
ig_code ig_store_read_tasks(ig_store_result *out, ig_store *s, const char *experiment,
                            const char *const *task, int n_task, ig_err *err);
void ig_store_result_free(ig_store_result *r);

/* Returns the names of the experiments with cells in the store, sorted; their memory is the pool's.
 */
ig_code ig_store_experiments(const char ***name, int64_t *n, ig_pool *pool, ig_store *s,
                             ig_err *err);

/* The manifest that the store has of a run, freed with ig_free; NULL: none. */
ig_code ig_store_manifest(char **out, ig_store *s, const char *address, ig_err *err);
/* The cells of other experiments whose run is `from` have the run `to` from now on. */
ig_code ig_store_move_cells(ig_store *s, const char *from, const char *to, const char *experiment,
                            ig_err *err);

/* Finds a run in the store: its status (IG_RUN_MISSING: not there) and, if it is done, when it was
 * finished and the SHA-256 of its manifest, as given to _put_run; otherwise −1 and "". */
typedef struct {
    ig_run_status status;
    int64_t finished;
    char manifest_sha256[IG_SHA256_HEX];
} ig_store_known;
ig_code ig_store_find(ig_store_known *k, ig_store *s, const char *address, ig_err *err);
