/* SPDX-License-Identifier: Apache-2.0
 *
 * The schema of the store, as the steps that lead to it: step k brings a store of version k to
 * version k + 1, so a new store walks all of them and none is ever changed. docs/results.md
 * describes the tables.
 */
#include "store/store_internal.h"

#include <stdio.h>

#define AS_TEXT(x) #x
#define NUMBER(x) AS_TEXT(x)

static const char *const steps[] = {
    /* 0 → 1 */
    "CREATE TABLE run("
    " address TEXT PRIMARY KEY NOT NULL CHECK(length(address) = 16),"
    " status TEXT NOT NULL CHECK(status IN ('missing', 'running', 'stopped', 'failed', 'done')),"
    " seed INTEGER NOT NULL,"
    " config TEXT, manifest TEXT, message TEXT,"
    " seconds REAL, tokens_per_second REAL,"
    " updates INTEGER NOT NULL, tokens INTEGER NOT NULL, peak_memory INTEGER NOT NULL,"
    " finished INTEGER NOT NULL) WITHOUT ROWID, STRICT;"
    "CREATE TABLE cell("
    " experiment TEXT NOT NULL, position INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " name TEXT NOT NULL, label TEXT NOT NULL, address TEXT NOT NULL,"
    " PRIMARY KEY(experiment, position, seed)) WITHOUT ROWID, STRICT;"
    "CREATE TABLE metric("
    " address TEXT NOT NULL REFERENCES run(address) ON DELETE CASCADE ON UPDATE CASCADE,"
    " task TEXT NOT NULL, task_version INTEGER NOT NULL, split TEXT NOT NULL,"
    " languages TEXT NOT NULL, layer INTEGER NOT NULL, step INTEGER NOT NULL,"
    " last INTEGER NOT NULL CHECK(last IN (0, 1)), n INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(address, task, split, languages, layer, step)) WITHOUT ROWID, STRICT;"
    "CREATE TABLE artefact("
    " address TEXT NOT NULL, kind TEXT NOT NULL, step INTEGER NOT NULL, path TEXT NOT NULL,"
    " sha256 TEXT,"
    " PRIMARY KEY(address, kind, step, path)) WITHOUT ROWID, STRICT;"
    "PRAGMA application_id = " NUMBER(IG_STORE_APPLICATION) ";",
    /* 1 → 2: a quantity is described once, not in every row, and the finished model's values are
     * adjacent: a third of the size, a third of the time to read a table. */
    "CREATE TABLE run_2("
    " id INTEGER PRIMARY KEY,"
    " address TEXT NOT NULL UNIQUE CHECK(length(address) = 16),"
    " status TEXT NOT NULL CHECK(status IN ('missing', 'running', 'stopped', 'failed', 'done')),"
    " seed INTEGER NOT NULL,"
    " config TEXT, manifest TEXT, message TEXT,"
    " seconds REAL, tokens_per_second REAL,"
    " updates INTEGER NOT NULL, tokens INTEGER NOT NULL, peak_memory INTEGER NOT NULL,"
    " finished INTEGER NOT NULL) STRICT;"
    "INSERT INTO run_2(address, status, seed, config, manifest, message, seconds,"
    " tokens_per_second, updates, tokens, peak_memory, finished)"
    " SELECT address, status, seed, config, manifest, message, seconds, tokens_per_second, updates,"
    " tokens, peak_memory, finished FROM run ORDER BY address;"
    "CREATE TABLE quantity("
    " id INTEGER PRIMARY KEY,"
    " task TEXT NOT NULL, task_version INTEGER NOT NULL, split TEXT NOT NULL,"
    " languages TEXT NOT NULL, layer INTEGER NOT NULL,"
    " UNIQUE(task, split, languages, layer, task_version)) STRICT;"
    "INSERT INTO quantity(task, task_version, split, languages, layer)"
    " SELECT DISTINCT task, task_version, split, languages, layer FROM metric"
    " ORDER BY task, split, languages, layer, task_version;"
    "CREATE TABLE metric_2("
    " run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " last INTEGER NOT NULL CHECK(last IN (0, 1)),"
    " quantity INTEGER NOT NULL REFERENCES quantity(id),"
    " step INTEGER NOT NULL, n INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(run, last, quantity, step)) WITHOUT ROWID, STRICT;"
    "INSERT INTO metric_2(run, last, quantity, step, n, value)"
    " SELECT run_2.id, last, quantity.id, step, n, value"
    " FROM metric JOIN run_2 USING(address)"
    " JOIN quantity USING(task, task_version, split, languages, layer);"
    "DROP TABLE metric;"
    "DROP TABLE run;"
    "ALTER TABLE run_2 RENAME TO run;"
    "ALTER TABLE metric_2 RENAME TO metric;"
    "CREATE VIEW result AS"
    " SELECT cell.experiment, cell.name AS cell, cell.label, cell.seed, cell.address, run.status,"
    " task, task_version, split, languages, layer, step, last, n, value"
    " FROM cell JOIN run USING(address) JOIN metric ON metric.run = run.id"
    " JOIN quantity ON quantity.id = metric.quantity;",
    /* 2 → 3: settings of a fine-tuning and its scores are tags; they were part of the task's name
     * ("nli/lr=1e-5@select=last"). */
    "DROP VIEW result;"
    "CREATE TABLE quantity_3("
    " id INTEGER PRIMARY KEY,"
    " task TEXT NOT NULL, task_version INTEGER NOT NULL, split TEXT NOT NULL, tags TEXT NOT NULL,"
    " languages TEXT NOT NULL, layer INTEGER NOT NULL,"
    " UNIQUE(task, split, tags, languages, layer, task_version)) STRICT;"
    "INSERT INTO quantity_3(id, task, task_version, split, tags, languages, layer)"
    " SELECT id, task, task_version, substr(split, 1, at - 1),"
    " replace(replace(substr(split, at + 1), '/', ';'), '@', ';'), languages, layer"
    " FROM (SELECT *, min(instr(split || '/', '/'), instr(split || '@', '@')) AS at FROM quantity);"
    "CREATE TABLE metric_3("
    " run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " last INTEGER NOT NULL CHECK(last IN (0, 1)),"
    " quantity INTEGER NOT NULL REFERENCES quantity_3(id),"
    " step INTEGER NOT NULL, n INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(run, last, quantity, step)) WITHOUT ROWID, STRICT;"
    "INSERT INTO metric_3 SELECT run, last, quantity, step, n, value FROM metric;"
    "DROP TABLE metric;"
    "DROP TABLE quantity;"
    "ALTER TABLE quantity_3 RENAME TO quantity;"
    "ALTER TABLE metric_3 RENAME TO metric;"
    "CREATE VIEW result AS"
    " SELECT cell.experiment, cell.name AS cell, cell.label, cell.seed, cell.address, run.status,"
    " task, task_version, split, tags, languages, layer, step, last, n, value"
    " FROM cell JOIN run USING(address) JOIN metric ON metric.run = run.id"
    " JOIN quantity ON quantity.id = metric.quantity;",
    /* 3 → 4: nobody read the files of runs, which manifests list. Scores after fine-tuning are a
     * row for each of its seeds, which were means. Runs that have means are taken from their
     * folders again. */
    "DROP TABLE IF EXISTS artefact;"
    "UPDATE run SET finished = 0 WHERE id IN (SELECT run FROM metric"
    " JOIN quantity ON quantity.id = metric.quantity"
    " WHERE split NOT IN ('train', 'dev') AND layer < 0 AND tags NOT LIKE '%tuning=%'"
    " AND (task IN ('accuracy', 'uas', 'las', 'majority', 'random') OR task LIKE 'f1.%'));",
    /* 4 → 5: a run that was measured twice within a second has the same time. */
    "ALTER TABLE run ADD COLUMN manifest_sha256 TEXT;",
};
_Static_assert(sizeof steps / sizeof *steps == IG_STORE_VERSION, "a step for every version");

ig_code ig_store_migrate(ig_store *s, ig_err *err)
{
    int64_t version = 0;
    IG_TRY(ig_store_begin(s, err));
    ig_code code = ig_store_integer(s, &version, "PRAGMA user_version", err);
    for (; code == IG_ERR_OK && version < IG_STORE_VERSION; version++) {
        code = ig_store_exec(s, steps[version], err);
        if (code == IG_ERR_OK) {
            char now[64];
            snprintf(now, sizeof now, "PRAGMA user_version = %d", (int)version + 1);
            code = ig_store_exec(s, now, err);
        }
    }
    return ig_store_end(s, code, err);
}
