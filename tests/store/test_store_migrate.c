/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of earlier versions, made here by the SQL that made them, brought to the present one: with
 * everything in them, all or nothing, once even when two processes do it.
 */
#include "base/memory.h"
#include "store/store.h"
#include "store/store_internal.h"

#include "fault.h"

static char dir[256], path[300];

static int setup(void **state)
{
    (void)state;
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/store.sqlite", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ig_err err;
    assert_ok(ig_dir_remove(dir, &err), &err);
    return 0;
}

static void sql(const char *text)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK) {
        print_error("%s\n", why);
        fail();
    }
    sqlite3_close(db);
}

static int64_t number(const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* As the first version of the program made it. */
static const char version_1[] =
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
    "PRAGMA application_id = 1769170804; PRAGMA user_version = 1;"
    "INSERT INTO run VALUES"
    " ('00000000000000bb', 'done', 1, '{\"a\": 1}', '{}', NULL, 12.5, NULL, 100, 5, 7, 9),"
    " ('00000000000000aa', 'failed', 0, NULL, NULL, 'no memory', NULL, NULL, 0, 0, 0, 0);"
    "INSERT INTO cell VALUES('e', 0, 0, '0', 'original', '00000000000000aa'),"
    " ('e', 0, 1, '0', 'original', '00000000000000bb'),"
    " ('e', 1, 1, '8', 'lang-pos', '00000000000000cc');"
    "INSERT INTO metric VALUES"
    " ('00000000000000bb', 'rho', 1, 'dev', 'en-fake', 8, 100, 1, 2000, 0.75),"
    " ('00000000000000bb', 'rho', 1, 'dev', 'en-fake', 8, 10, 0, 500, 0.25),"
    " ('00000000000000bb', 'rho', 2, 'dev', 'en-fake', 0, 100, 1, 2000, 0.5),"
    " ('00000000000000bb', 'mu', 1, 'dev', 'en-fake', -1, 100, 1, 0, 0.125),"
    " ('00000000000000bb', 'uas', 1, 'ud', 'en', -1, 100, 1, 7, 0.1),"
    " ('00000000000000bb', 'uas', 1, 'ud@select=last@best=2', 'en', -1, 100, 1, 7, 0.2),"
    " ('00000000000000bb', 'uas', 1, 'ud/lr=1e-5/epochs=3', 'en', -1, 100, 1, 7, 0.3),"
    " ('00000000000000bb', 'uas', 1, 'ud/lr=1e-5@of=uas', 'en', -1, 100, 1, 7, 0.4);"
    "INSERT INTO artefact VALUES('00000000000000bb', 'model', 100, 'model', NULL);";

static void check_content(void)
{
    ig_err err = {0};
    ig_store *s;
    ig_store_result r;
    assert_ok(ig_store_open(&s, dir, false, &err), &err);
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_int_equal(r.n_entry, 3);
    assert_int_equal(r.entry[0].run.status, IG_RUN_FAILED);
    assert_string_equal(r.entry[0].run.message, "no memory");
    assert_null(r.entry[0].run.config);
    assert_int_equal(r.entry[0].n_metric, 0);
    const ig_store_entry *e = &r.entry[1];
    assert_int_equal(e->run.status, IG_RUN_DONE);
    assert_string_equal(e->run.config, "{\"a\": 1}");
    assert_true(e->run.seconds == 12.5 && isnan(e->run.tokens_per_second));
    assert_true(e->run.updates == 100 && e->run.tokens == 5 && e->run.peak_memory == 7);
    /* It has means over the seeds of fine-tuning, and is taken from its folder again. */
    assert_int_equal(e->run.finished, 0);
    assert_int_equal(e->n_metric, 8);
    const ig_row *m = &r.metric[e->first_metric];
    assert_string_equal(m[0].task, "mu");
    assert_true(m[0].value == 0.125 && m[0].layer == -1);
    assert_true(m[1].layer == 0 && m[1].task_version == 2 && m[1].value == 0.5);
    assert_true(m[2].step == 10 && !m[2].last && m[2].n == 500 && m[2].value == 0.25);
    assert_true(m[3].step == 100 && m[3].last && m[3].value == 0.75);
    assert_string_equal(m[3].languages, "en-fake");
    /* A grid's way and which score is meant were after the task's name. */
    static const char *const tags[] = {"", "lr=1e-5;epochs=3", "lr=1e-5;of=uas",
                                       "select=last;best=2"};
    static const double value[] = {.1, .3, .4, .2};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(m[4 + i].split, "ud");
        assert_string_equal(m[4 + i].tags, tags[i]);
        assert_true(m[4 + i].value == value[i]);
    }
    assert_int_equal(r.entry[2].run.status, IG_RUN_MISSING);
    assert_string_equal(r.entry[2].cell.label, "lang-pos");
    ig_store_result_free(&r);
    /* Removing an entry removes everything that refers to it. */
    assert_ok(ig_store_put_rows(s, "00000000000000bb", NULL, 0, &err), &err);
    ig_store_close(s);
    assert_int_equal(number("SELECT count(*) FROM metric"), 0);
    assert_int_equal(number("SELECT count(*) FROM sqlite_schema WHERE name = 'artefact'"), 0);
    assert_int_equal(number("PRAGMA user_version"), IG_STORE_VERSION);
    assert_int_equal(number("SELECT count(*) FROM sqlite_schema WHERE name GLOB '*_[23]'"), 0);
}

static void version_1_to_now(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store *s;
    sql(version_1);
    assert_ok(ig_store_open(&s, dir, false, &err), &err);
    ig_store_close(s);
    assert_int_equal(number("SELECT count(*) FROM result WHERE task = 'rho' AND cell = '0'"), 3);
    check_content();
}

/* A store that was made anew and one that was brought here have the same tables. */
static void same_schema(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store *s;
    const char *text = "SELECT count(*) * 1000000 + sum(length(sql)) FROM sqlite_schema";
    sql(version_1);
    assert_ok(ig_store_open(&s, dir, true, &err), &err);
    ig_store_close(s);
    const int64_t brought = number(text);
    unlink(path);
    assert_ok(ig_store_open(&s, dir, true, &err), &err);
    ig_store_close(s);
    assert_int_equal(brought, number(text));
}

/* Where it cannot be finished, nothing has changed. */
static void all_or_nothing(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_store *s;
    char *before, *after;
    int64_t n, m;
    sql(version_1);
    sql("WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 5000)"
        " INSERT INTO metric SELECT '00000000000000aa', 'f1', 1, 'dev', 'en-fake', 3, i, 0, 1, 0.5"
        " FROM k");
    assert_ok(ig_file_read(&before, &n, path, 1 << 24, &err), &err);
    fault_file_size(n + 8192);
    assert_int_equal(ig_store_open(&s, dir, true, &err), IG_ERR_IO);
    fault_file_size(-1);
    assert_ok(ig_file_read(&after, &m, path, 1 << 24, &err), &err);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, (size_t)n);
    ig_free(before);
    ig_free(after);
    assert_int_equal(number("PRAGMA user_version"), 1);
    assert_int_equal(number("SELECT count(*) FROM metric"), 5008);
    sql("DELETE FROM metric WHERE task = 'f1'");
    check_content();
}

static void two_at_once(void **state)
{
    (void)state;
    pid_t pid[3];
    sql(version_1);
    for (int k = 0; k < 3; k++) {
        pid[k] = fork();
        assert_true(pid[k] >= 0);
        if (pid[k] == 0) {
            ig_err err = {0};
            ig_store *s;
            ig_code code = ig_store_open(&s, dir, true, &err);
            if (code != IG_ERR_OK)
                print_error("%s\n", err.msg);
            ig_store_close(s);
            _exit(code);
        }
    }
    for (int k = 0; k < 3; k++) {
        int status;
        assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    check_content();
}

#define in_folder(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_folder(version_1_to_now),
        in_folder(same_schema),
        in_folder(all_or_nothing),
        in_folder(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
