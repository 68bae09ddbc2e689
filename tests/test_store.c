/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of results on real SQLite files: what is put in comes out, transactions are whole,
 * several processes write at once, and what is not a store is told and left as it was.
 */
#include "store/store.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/store_internal.h"

#include "fault.h"

#include <fcntl.h>
#include <sys/stat.h>

typedef struct {
    char dir[256], path[300];
} place;

static int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    fault_folder(p->dir, sizeof p->dir);
    snprintf(p->path, sizeof p->path, "%s/store.sqlite", p->dir);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    place *p = *state;
    ig_err err;
    assert_ok(ig_dir_remove(p->dir, &err), &err);
    free(p);
    return 0;
}

static ig_store *open_at(const char *dir)
{
    ig_err err = {0};
    ig_store *s;
    assert_ok(ig_store_open(&s, dir, true, &err), &err);
    return s;
}

static void address_of(char a[17], int64_t k)
{
    snprintf(a, 17, "%016llx", (unsigned long long)k * 2654435761u);
}

static void put_run(ig_store *s, int64_t k, ig_run_status status)
{
    ig_err err = {0};
    char a[17];
    address_of(a, k);
    assert_ok(ig_store_put_run(s,
                               &(ig_store_run){.address = a,
                                               .status = status,
                                               .seed = k % 5,
                                               .config = "{\"layers\": 12}",
                                               .manifest = "{}",
                                               .seconds = 12.5,
                                               .tokens_per_second = (double)NAN,
                                               .updates = 100,
                                               .tokens = INT64_C(5000000000),
                                               .peak_memory = 7,
                                               .finished = 1},
                               &err),
              &err);
}

static void round_trip(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    assert_true(ig_store_writable(s));
    char a[17], b[17];
    address_of(a, 1);
    address_of(b, 2);
    assert_ok(ig_store_put_run(s,
                               &(ig_store_run){.address = a,
                                               .status = IG_RUN_FAILED,
                                               .seed = 3,
                                               .config = "{\"layers\": 12}",
                                               .message = "out of \"memory\" — ☠",
                                               .seconds = 12.5,
                                               .tokens_per_second = (double)NAN,
                                               .tokens = INT64_C(5000000000)},
                               &err),
              &err);
    const ig_store_cell cells[] = {{"", "8", "lang-pos", 1, 4, b},
                                   {"", "8", "lang-pos", 1, 3, a},
                                   {"", "0", "original", 0, 3, a}};
    assert_ok(ig_store_put_cells(s, "e", cells, 3, &err), &err);
    const ig_store_metric m[] = {
        {"rho", "dev", "en-fake", 1, 8, true, 100, 1000, 0.1 + 0.2},
        {"rho", "dev", "en-fake", 1, 0, true, 100, 1000, -0.0},
        {"rho", "dev", "en-fake", 1, 8, false, 10, 500, 0.25},
        {"mu", "dev", "en-fake", 1, -1, true, 100, 0, 1e-300},
        {"f1", "dev", "en-fake", 1, 8, true, 100, 0, (double)NAN},
        {"perplexity", "train", "", 2, -1, true, 100, 0, 217.25},
    };
    assert_ok(ig_store_put_metrics(s, a, m, 6, &err), &err);
    ig_store_close(s);

    assert_ok(ig_store_open(&s, p->dir, false, &err), &err);
    ig_store_result r;
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_int_equal(r.n_entry, 3);
    assert_string_equal(r.entry[0].cell.cell, "0");
    assert_string_equal(r.entry[1].cell.cell, "8");
    assert_int_equal(r.entry[1].cell.seed, 3);
    assert_int_equal(r.entry[2].cell.seed, 4);
    assert_string_equal(r.entry[2].cell.label, "lang-pos");
    assert_string_equal(r.entry[2].cell.experiment, "e");
    assert_int_equal(r.entry[2].run.status, IG_RUN_MISSING);
    assert_string_equal(r.entry[2].run.address, b);
    assert_int_equal(r.entry[2].n_metric, 0);
    const ig_store_run *run = &r.entry[0].run;
    assert_int_equal(run->status, IG_RUN_FAILED);
    assert_string_equal(run->message, "out of \"memory\" — ☠");
    assert_null(run->manifest);
    assert_true(run->seconds == 12.5 && isnan(run->tokens_per_second));
    assert_int_equal(run->tokens, INT64_C(5000000000));
    /* Without the NaN; by task, split, languages, layer, step. */
    assert_int_equal(r.entry[0].n_metric, 5);
    const ig_store_metric *g = &r.metric[r.entry[0].first_metric];
    assert_string_equal(g[0].task, "mu");
    assert_true(g[0].value == 1e-300 && g[0].layer == -1 && g[0].last);
    assert_string_equal(g[1].task, "perplexity");
    assert_true(g[1].task_version == 2 && strcmp(g[1].split, "train") == 0);
    assert_true(strcmp(g[2].task, "rho") == 0 && g[2].layer == 0);
    assert_true(g[3].layer == 8 && g[3].step == 10 && !g[3].last && g[3].n == 500);
    assert_true(g[4].layer == 8 && g[4].step == 100 && g[4].value == 0.1 + 0.2);
    assert_string_equal(g[4].languages, "en-fake");
    ig_store_result_free(&r);
    ig_store_result_free(&r);

    /* The finished model's only; another experiment has nothing. */
    assert_ok(ig_store_read(&r, s, "e", true, &err), &err);
    assert_int_equal(r.entry[0].n_metric, 4);
    ig_store_result_free(&r);
    /* And all checkpoints of some tasks. */
    static const char *const some[][2] = {{"mu", "nothing"}, {"rho", "mu"}, {"nothing", "f1"}};
    static const int with[] = {4, 5, 4};
    for (int i = 0; i < 3; i++) {
        assert_ok(ig_store_read_tasks(&r, s, "e", some[i], 2, &err), &err);
        assert_int_equal(r.entry[0].n_metric, with[i]);
        g = &r.metric[r.entry[0].first_metric];
        assert_true(strcmp(g[0].task, "mu") == 0 && strcmp(g[2].task, "rho") == 0);
        assert_int_equal(g[3].step, i == 1 ? 10 : 100);
        ig_store_result_free(&r);
    }
    assert_ok(ig_store_read_tasks(&r, s, "e", NULL, 0, &err), &err);
    assert_int_equal(r.entry[0].n_metric, 4);
    ig_store_result_free(&r);
    assert_ok(ig_store_read(&r, s, "f", true, &err), &err);
    assert_true(r.n_entry == 0 && r.n_metric == 0);
    ig_store_result_free(&r);

    /* A run put again keeps its metrics; metrics put again replace them; so do cells. */
    put_run(s, 1, IG_RUN_DONE);
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_true(r.entry[0].run.status == IG_RUN_DONE && r.entry[0].n_metric == 5);
    assert_null(r.entry[0].run.message);
    ig_store_result_free(&r);
    assert_ok(ig_store_put_metrics(s, a, m, 1, &err), &err);
    assert_ok(ig_store_put_cells(s, "e", cells, 1, &err), &err);
    assert_ok(ig_store_put_cells(s, "f", cells + 1, 1, &err), &err);
    assert_ok(ig_store_read(&r, s, "f", false, &err), &err);
    assert_true(r.n_entry == 1 && r.n_metric == 1);
    ig_store_result_free(&r);
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_true(r.n_entry == 1 && r.entry[0].run.status == IG_RUN_MISSING);
    ig_store_result_free(&r);
    ig_store_close(s);
}

/* Results come in their order whatever order quantities were first seen in. */
static void order_of_metrics(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    char a[2][17];
    const ig_store_metric m[] = {
        {"tau", "dev", "", 1, 2, true, 10, 0, 1},    {"rho", "dev", "", 1, 2, true, 10, 0, 2},
        {"rho", "dev", "", 1, 1, true, 10, 0, 3},    {"rho", "dev", "", 1, 1, false, 5, 0, 4},
        {"f1", "train", "", 1, 0, false, 5, 0, 5},   {"f1", "dev", "en", 1, 0, false, 5, 0, 6},
        {"f1", "dev", "", 1, 0, false, 5, 0, 7},     {"mu", "dev", "", 1, -1, true, 10, 0, 8},
        {"mu", "dev", "", 1, -1, false, 5, 0, 9},    {"alpha", "dev", "", 1, 0, true, 10, 0, 10},
        {"alpha", "dev", "", 1, -1, false, 5, 0, 11}};
    enum { N = sizeof m / sizeof *m };
    ig_store_cell cells[2];
    for (int k = 0; k < 2; k++) {
        put_run(s, k, IG_RUN_DONE);
        address_of(a[k], k);
        cells[k] = (ig_store_cell){"e", "0", "", 0, k, a[k]};
    }
    /* The first run makes the quantities known from the last on. */
    for (int i = 1; i <= N; i++)
        assert_ok(ig_store_put_metrics(s, a[0], m, i, &err), &err);
    assert_ok(ig_store_put_metrics(s, a[1], m, N, &err), &err);
    assert_ok(ig_store_put_cells(s, "e", cells, 2, &err), &err);
    const double want[] = {11, 10, 7, 6, 5, 9, 8, 4, 3, 2, 1};
    ig_store_result r;
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_int_equal(r.n_metric, 2 * N);
    for (int i = 0; i < 2 * N; i++)
        assert_true(r.metric[i].value == want[i % N]);
    ig_store_result_free(&r);
    ig_store_close(s);
}

static void refusals(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    put_run(s, 1, IG_RUN_DONE);
    char a[17], b[17];
    address_of(a, 1);
    address_of(b, 2);
    const ig_store_metric m[] = {{"rho", "dev", "", 1, 8, true, 100, 0, 1},
                                 {"rho", "dev", "", 1, 8, true, 100, 0, 2}};
    assert_int_equal(ig_store_put_metrics(s, a, m, 2, &err), IG_ERR_INPUT);
    assert_int_equal(ig_store_put_metrics(s, b, m, 1, &err), IG_ERR_INPUT); /* no such run */
    assert_int_equal(ig_store_put_metrics(s, "short", m, 1, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "'short'"));
    assert_int_equal(ig_store_put_run(s, &(ig_store_run){.address = "0123456789ABCDEF"}, &err),
                     IG_ERR_INPUT);
    assert_int_equal(ig_store_put_run(s, &(ig_store_run){0}, &err), IG_ERR_INPUT);
    const ig_store_cell twice[] = {{"e", "0", "", 0, 1, a}, {"e", "0", "", 0, 1, a}};
    assert_int_equal(ig_store_put_cells(s, "e", twice, 2, &err), IG_ERR_INPUT);
    /* What failed has changed nothing. */
    ig_store_result r;
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_int_equal(r.n_entry, 0);
    ig_store_result_free(&r);
    ig_store_close(s);
}

static void transactions(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir), *t = open_at(p->dir);
    char **done;
    int64_t n;
    assert_ok(ig_store_begin(s, &err), &err);
    assert_int_equal(ig_store_begin(s, &err), IG_ERR_USAGE);
    put_run(s, 1, IG_RUN_DONE);
    put_run(s, 2, IG_RUN_FAILED);
    put_run(s, 3, IG_RUN_DONE);
    /* Not seen by others before its end, and not at all when it is taken back. */
    assert_ok(ig_store_done(&done, &n, t, &err), &err);
    assert_int_equal(n, 0);
    ig_free(done);
    assert_int_equal(ig_store_end(s, IG_ERR_STOPPED, &err), IG_ERR_STOPPED);
    assert_ok(ig_store_done(&done, &n, s, &err), &err);
    assert_int_equal(n, 0);
    ig_free(done);
    assert_int_equal(ig_store_end(s, IG_ERR_OK, &err), IG_ERR_USAGE);
    assert_ok(ig_store_begin(s, &err), &err);
    put_run(s, 3, IG_RUN_DONE);
    put_run(s, 2, IG_RUN_FAILED);
    put_run(s, 1, IG_RUN_DONE);
    assert_ok(ig_store_end(s, IG_ERR_OK, &err), &err);
    assert_ok(ig_store_done(&done, &n, t, &err), &err);
    assert_int_equal(n, 2);
    char a[17];
    address_of(a, 1);
    assert_string_equal(done[0], a);
    address_of(a, 3);
    assert_string_equal(done[1], a);
    ig_free(done);
    ig_store_close(s);
    ig_store_close(t);
}

/* SQLite says that there is no room in words of its own; a page count at its limit is a full disk
 * to it. What was there is there still. */
static void no_room(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    ig_code code = IG_ERR_OK;
    char a[17];
    assert_ok(ig_store_exec(s, "PRAGMA max_page_count = 20", &err), &err);
    for (int i = 0; i < 2000 && code == IG_ERR_OK; i++) {
        address_of(a, i);
        code = ig_store_put_run(s, &(ig_store_run){.address = a, .status = IG_RUN_DONE}, &err);
    }
    assert_int_equal(code, IG_ERR_IO);
    assert_true(ig_is_no_room(&err));
    assert_string_equal(err.msg, "database or disk is full: No space left on device");
    ig_run_status status;
    int64_t finished;
    address_of(a, 0);
    assert_ok(ig_store_find(&status, &finished, s, a, &err), &err);
    assert_int_equal(status, IG_RUN_DONE);
    ig_store_close(s);
}

/* Two processes make the store at once and write to it at once: every run arrives. */
static void two_processes(void **state)
{
    place *p = *state;
    enum { EACH = 120 };
    pid_t pid[2];
    for (int k = 0; k < 2; k++) {
        pid[k] = fork();
        assert_true(pid[k] >= 0);
        if (pid[k] == 0) {
            ig_err err = {0};
            ig_store *s;
            char a[17];
            if (ig_store_open(&s, p->dir, true, &err) != IG_ERR_OK)
                _exit(1);
            for (int i = 0; i < EACH; i++) {
                address_of(a, 2 * i + k);
                const ig_store_metric m = {"mu", "dev", "", 1, -1, true, 1, 0, i};
                ig_code code = ig_store_begin(s, &err);
                if (code == IG_ERR_OK)
                    code = ig_store_put_run(s, &(ig_store_run){.address = a, .status = IG_RUN_DONE},
                                            &err);
                if (code == IG_ERR_OK)
                    code = ig_store_put_metrics(s, a, &m, 1, &err);
                if (ig_store_end(s, code, &err) != IG_ERR_OK)
                    _exit(2);
            }
            ig_store_close(s);
            _exit(0);
        }
    }
    for (int k = 0; k < 2; k++) {
        int status;
        assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    char **done;
    int64_t n;
    assert_ok(ig_store_done(&done, &n, s, &err), &err);
    assert_int_equal(n, 2 * EACH);
    ig_free(done);
    ig_store_close(s);
}

static void die_in_transaction(void *arg)
{
    ig_err err = {0};
    ig_store *s;
    if (ig_store_open(&s, arg, true, &err) == IG_ERR_OK) {
        put_run(s, 1, IG_RUN_DONE);
        ig_store_begin(s, &err);
        for (int k = 2; k < 3000; k++)
            put_run(s, k, IG_RUN_DONE);
        kill(getpid(), SIGKILL);
    }
}

/* Killed in the middle of a transaction: what was ended is there, the rest is not. */
static void killed(void **state)
{
    place *p = *state;
    ig_err err = {0};
    fault_killed(die_in_transaction, p->dir);
    ig_store *s = open_at(p->dir);
    char **done;
    int64_t n;
    assert_ok(ig_store_done(&done, &n, s, &err), &err);
    assert_int_equal(n, 1);
    ig_free(done);
    ig_store_close(s);
}

static void full_disk(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir);
    put_run(s, 1, IG_RUN_DONE);
    ig_code code = ig_store_begin(s, &err);
    assert_ok(code, &err);
    fault_file_size(1 << 17);
    char *config = calloc(1, 100001), a[17];
    memset(config, 'x', 100000);
    for (int k = 2; k < 300 && code == IG_ERR_OK; k++) {
        address_of(a, k);
        code = ig_store_put_run(
            s, &(ig_store_run){.address = a, .status = IG_RUN_DONE, .config = config}, &err);
    }
    code = ig_store_end(s, code, &err);
    fault_file_size(-1);
    assert_int_equal(code, IG_ERR_IO);
    assert_string_equal(err.where, p->path);
    free(config);
    /* The store goes on to work, with what it had. */
    char **done;
    int64_t n;
    assert_ok(ig_store_done(&done, &n, s, &err), &err);
    assert_int_equal(n, 1);
    ig_free(done);
    put_run(s, 2, IG_RUN_DONE);
    ig_store_close(s);
}

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

    /* What is left when a process is killed before its first write is taken for nothing. */
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
        ig_store_metric m[30];
        for (int i = 0; i < 30; i++)
            m[i] = (ig_store_metric){"rho", "dev", "en-fake", 1, i, true, 1, 5, 0.5};
        assert_ok(ig_store_put_metrics(s, a[k], m, 30, &err), &err);
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

#define in_folder(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_folder(round_trip),    in_folder(order_of_metrics), in_folder(refusals),
        in_folder(transactions),  in_folder(killed),           in_folder(no_room),
        in_folder(two_processes), in_folder(full_disk),        in_folder(damaged),
        in_folder(foreign_files), in_folder(read_only),        in_folder(odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
