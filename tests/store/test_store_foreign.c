/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are no store, are of another program or version, are damaged, or may not be written:
 * each is told and left as it was. Folders with odd names are folders.
 */
#include "store_fixture.h"

#include "store/store_internal.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Content of a file before and after. */
static void same_after_refusal(place *p, ig_code want, const char *say)
{
    char *before, *after;
    int64_t n, m;
    ig_err err = {0};
    ig_store *s;
    assert_ok(ig_file_read(&before, &n, p->path, 1 << 24, &err), &err);
    assert_int_equal(ig_store_open(&s, p->dir, true, &err), want);
    assert_null(s);
    if (strstr(err.msg, say) == NULL) {
        print_error("got '%s', want '%s'\n", err.msg, say);
        fail();
    }
    assert_string_equal(err.where, p->path);
    assert_null(strchr(err.msg, '\n'));
    assert_ok(ig_file_read(&after, &m, p->path, 1 << 24, &err), &err);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, (size_t)n);
    ig_free(before);
    ig_free(after);
}

static void sql(const char *path, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *why = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK) {
        print_error("%s\n", why);
        fail();
    }
    sqlite3_close(db);
}

static void foreign_files(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s;
    assert_int_equal(ig_store_open(&s, p->dir, false, &err), IG_ERR_IO);
    assert_non_null(strstr(err.msg, "no store of results here"));
    assert_int_equal(fault_count(p->dir), 0);

    char text[300];
    memset(text, 'a', sizeof text);
    write_fast(p->path, text, sizeof text);
    same_after_refusal(p, IG_ERR_INPUT, "found another kind of file");
    write_fast(p->path, "SQLite format 3", 16);
    same_after_refusal(p, IG_ERR_INPUT, "found another kind of file");
    unlink(p->path);

    sql(p->path, "CREATE TABLE recipes(name TEXT); INSERT INTO recipes VALUES('soup')");
    same_after_refusal(p, IG_ERR_INPUT, "another program");
    sql(p->path, "PRAGMA application_id = 42; PRAGMA user_version = 1");
    same_after_refusal(p, IG_ERR_INPUT, "another program");
    unlink(p->path);

    s = open_at(p->dir);
    ig_store_close(s);
    sql(p->path, "PRAGMA user_version = 999");
    same_after_refusal(p, IG_ERR_INPUT, "store of version 999; this program knows versions up to");
    unlink(p->path);

    assert_int_equal(mkdir(p->path, 0700), 0);
    assert_int_equal(ig_store_open(&s, p->dir, true, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "found a directory"));
    rmdir(p->path);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    assert_int_equal(ig_store_open(&s, p->dir, true, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "found a pipe"));
    unlink(p->path);

    /* An empty file, left by a process killed before its first write, counts as a new store. */
    write_fast(p->path, "", 0);
    s = open_at(p->dir);
    put_run(s, 1, IG_RUN_DONE);
    ig_store_close(s);
}

/* Every page damaged in turn: an error with a message or a result, never a crash; and a damaged
 * file is told to be one. */
static void damaged(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    assert_ok(ig_store_begin(s, &err), &err);
    ig_store_cell cells[40];
    char a[40][17];
    for (int k = 0; k < 40; k++) {
        put_run(s, k, IG_RUN_DONE);
        address_of(a[k], k);
        cells[k] = (ig_store_cell){"e", "0", "original", 0, k, a[k]};
        ig_row m[30];
        for (int i = 0; i < 30; i++)
            m[i] = (ig_row){"rho", "dev", "en-fake", "", 1, i, true, 1, 5, 0.5, 0};
        assert_ok(ig_store_put_rows(s, a[k], m, 30, &err), &err);
    }
    assert_ok(ig_store_put_cells(s, "e", cells, 40, &err), &err);
    assert_ok(ig_store_end(s, IG_ERR_OK, &err), &err);
    ig_store_close(s);
    char *good, *bad;
    int64_t n;
    assert_ok(ig_file_read(&good, &n, p->path, 1 << 24, &err), &err);
    bad = malloc((size_t)n);
    int told = 0;
    for (int64_t page = 0; page < n / 4096; page++)
        for (int how = 0; how < 3; how++) {
            memcpy(bad, good, (size_t)n);
            int64_t size = n;
            char *at = bad + 4096 * page + (page == 0 ? 100 : 0);
            if (how == 0)
                memset(at, 0xff, 600);
            else if (how == 1)
                memset(at, 0, 600);
            else
                size = 4096 * page + 100;
            write_fast(p->path, bad, size);
            ig_code code = ig_store_open(&s, p->dir, false, &err);
            if (code == IG_ERR_OK) {
                ig_store_result r;
                code = ig_store_read(&r, s, "e", false, &err);
                if (code == IG_ERR_OK)
                    ig_store_result_free(&r);
                ig_store_close(s);
            }
            assert_true(code == IG_ERR_OK || code == IG_ERR_INPUT || code == IG_ERR_IO);
            told += code == IG_ERR_INPUT && strstr(err.msg, "the store is damaged") != NULL;
        }
    assert_true(told > 5);
    free(bad);
    ig_free(good);
}

/* In a child that may not write: as another user when this one is root. */
static void read_only_child(const place *p, bool may_open)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ig_err err = {0};
        ig_store *s;
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(9);
        ig_code code = ig_store_open(&s, p->dir, false, &err);
        if (!may_open)
            _exit(code == IG_ERR_IO && strstr(err.msg, "may not be written here") != NULL ? 0 : 1);
        if (code != IG_ERR_OK) {
            print_error("%s: %s\n", err.where, err.msg);
            _exit(2);
        }
        ig_store_result r;
        if (ig_store_writable(s) || ig_store_read(&r, s, "e", true, &err) != IG_ERR_OK ||
            r.n_entry != 1 || r.entry[0].run.status != IG_RUN_DONE)
            _exit(3);
        ig_store_result_free(&r);
        char a[17];
        address_of(a, 2);
        code = ig_store_put_run(s, &(ig_store_run){.address = a, .status = IG_RUN_DONE}, &err);
        if (code != IG_ERR_IO || strstr(err.msg, "may be read here, not written") == NULL)
            _exit(4);
        ig_store_close(s);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A process that has the store open, with a run in its log, until it is killed. */
static pid_t writer(const place *p)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ig_store *s = open_at(p->dir);
        put_run(s, 1, IG_RUN_DONE);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void read_only(void **state)
{
    place *p = *state;
    ig_err err = {0};
    int status;
    ig_store *s = open_at(p->dir);
    put_run(s, 1, IG_RUN_RUNNING);
    char a[17];
    address_of(a, 1);
    const ig_store_cell cell = {"e", "0", "original", 0, 1, a};
    assert_ok(ig_store_put_cells(s, "e", &cell, 1, &err), &err);
    ig_store_close(s);
    chmod(p->path, 0444);
    /* While a writer has it open, … */
    pid_t pid = writer(p);
    chmod(p->dir, 0555);
    read_only_child(p, true);
    /* … when it was killed and its log is what was left, … */
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(fault_count(p->dir), 3);
    read_only_child(p, true);
    /* … and alone. */
    chmod(p->dir, 0755);
    chmod(p->path, 0644);
    ig_store_close(open_at(p->dir));
    assert_int_equal(fault_count(p->dir), 1);
    chmod(p->path, 0444);
    chmod(p->dir, 0555);
    read_only_child(p, true);
    /* A file that may be written in a folder that may not. */
    chmod(p->path, 0666);
    read_only_child(p, true);
    /* An older one would have to be changed. */
    chmod(p->dir, 0755);
    sql(p->path, "PRAGMA user_version = 0");
    chmod(p->dir, 0555);
    read_only_child(p, false);
    chmod(p->dir, 0755);
}

/* Names with the letters that are special in an SQLite URI. */
static void odd_names(void **state)
{
    place *p = *state;
    ig_err err = {0};
    char dir[320];
    snprintf(dir, sizeof dir, "%s/a?b=c&d#e%%20 ü", p->dir);
    ig_store *s = open_at(dir);
    put_run(s, 1, IG_RUN_DONE);
    char a[17];
    address_of(a, 1);
    const ig_store_cell cell = {"e", "0", "original", 0, 1, a};
    assert_ok(ig_store_put_cells(s, "e", &cell, 1, &err), &err);
    ig_store_close(s);
    place q = {0};
    snprintf(q.dir, sizeof q.dir, "%.255s", dir);
    chmod(dir, 0555);
    chmod(p->dir, 0755);
    read_only_child(&q, true);
    chmod(dir, 0755);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_folder(damaged),
        in_folder(foreign_files),
        in_folder(read_only),
        in_folder(odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
