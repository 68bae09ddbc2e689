/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of results on real SQLite files: what is put in comes out, transactions are whole, and
 * several processes write at once.
 */
#include "store_fixture.h"

#include "store/store_internal.h"

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
    ig_row m[] = {
        {"rho", "dev", "en-fake", "", 1, 8, true, 100, 1000, 0.1 + 0.2, 0},
        {"rho", "dev", "en-fake", "", 1, 0, true, 100, 1000, -0.0, 0},
        {"rho", "dev", "en-fake", "", 1, 8, false, 10, 500, 0.25, 0},
        {"mu", "dev", "en-fake", "", 1, -1, true, 100, 0, 1e-300, 0},
        {"f1", "dev", "en-fake", "", 1, 8, true, 100, 0, (double)NAN, 0},
        {"perplexity", "train", "", "", 2, -1, true, 100, 0, 217.25, 0},
    };
    assert_ok(ig_store_put_rows(s, a, m, 6, &err), &err);
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
    const ig_row *g = &r.metric[r.entry[0].first_metric];
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
    assert_ok(ig_store_put_rows(s, a, m, 1, &err), &err);
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
    ig_row m[] = {{"tau", "dev", "", "", 1, 2, true, 10, 0, 1, 0},
                  {"rho", "dev", "", "", 1, 2, true, 10, 0, 2, 0},
                  {"rho", "dev", "", "", 1, 1, true, 10, 0, 3, 0},
                  {"rho", "dev", "", "", 1, 1, false, 5, 0, 4, 0},
                  {"f1", "train", "", "", 1, 0, false, 5, 0, 5, 0},
                  {"f1", "dev", "en", "", 1, 0, false, 5, 0, 6, 0},
                  {"f1", "dev", "", "", 1, 0, false, 5, 0, 7, 0},
                  {"mu", "dev", "", "", 1, -1, true, 10, 0, 8, 0},
                  {"mu", "dev", "", "", 1, -1, false, 5, 0, 9, 0},
                  {"alpha", "dev", "", "", 1, 0, true, 10, 0, 10, 0},
                  {"alpha", "dev", "", "", 1, -1, false, 5, 0, 11, 0}};
    enum { N = sizeof m / sizeof *m };
    ig_store_cell cells[2];
    for (int k = 0; k < 2; k++) {
        put_run(s, k, IG_RUN_DONE);
        address_of(a[k], k);
        cells[k] = (ig_store_cell){"e", "0", "", 0, k, a[k]};
    }
    /* The first run makes the quantities known from the last on. */
    for (int i = 1; i <= N; i++)
        assert_ok(ig_store_put_rows(s, a[0], m, i, &err), &err);
    assert_ok(ig_store_put_rows(s, a[1], m, N, &err), &err);
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
    ig_row m[] = {{"rho", "dev", "", "", 1, 8, true, 100, 0, 1, 0},
                  {"rho", "dev", "", "", 1, 8, true, 100, 0, 2, 0}};
    assert_int_equal(ig_store_put_rows(s, a, m, 2, &err), IG_ERR_INPUT);
    assert_int_equal(ig_store_put_rows(s, b, m, 1, &err), IG_ERR_INPUT); /* no such run */
    assert_int_equal(ig_store_put_rows(s, "short", m, 1, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "'short'"));
    assert_int_equal(ig_store_put_run(s, &(ig_store_run){.address = "0123456789ABCDEF"}, &err),
                     IG_ERR_INPUT);
    assert_int_equal(ig_store_put_run(s, &(ig_store_run){0}, &err), IG_ERR_INPUT);
    const ig_store_cell twice[] = {{"e", "0", "", 0, 1, a}, {"e", "0", "", 0, 1, a}};
    assert_ok(ig_store_begin(s, &err), &err);
    const ig_code code = ig_store_put_cells(s, "e", twice, 2, &err);
    assert_int_equal(ig_store_end(s, code, &err), IG_ERR_INPUT);
    /* A failed transaction has changed nothing. */
    ig_store_result r;
    assert_ok(ig_store_read(&r, s, "e", false, &err), &err);
    assert_int_equal(r.n_entry, 0);
    ig_store_result_free(&r);
    ig_store_close(s);
}

static bool is_done(ig_store *s, int i)
{
    ig_store_known known;
    ig_err err = {0};
    char a[17];
    address_of(a, i);
    assert_ok(ig_store_find(&known, s, a, &err), &err);
    return known.status == IG_RUN_DONE;
}

/* Counts done runs at addresses 0 to most − 1. */
static int n_done(ig_store *s, int most)
{
    int n = 0;
    for (int i = 0; i < most; i++)
        n += is_done(s, i);
    return n;
}

static void transactions(void **state)
{
    place *p = *state;
    ig_err err = {0};
    ig_store *s = open_at(p->dir), *t = open_at(p->dir);
    assert_ok(ig_store_begin(s, &err), &err);
    assert_int_equal(ig_store_begin(s, &err), IG_ERR_USAGE);
    put_run(s, 1, IG_RUN_DONE);
    put_run(s, 2, IG_RUN_FAILED);
    put_run(s, 3, IG_RUN_DONE);
    /* Not seen by others before its end, and not at all when it is taken back. */
    assert_int_equal(n_done(t, 300), 0);
    assert_int_equal(ig_store_end(s, IG_ERR_STOPPED, &err), IG_ERR_STOPPED);
    assert_int_equal(n_done(s, 300), 0);
    assert_int_equal(ig_store_end(s, IG_ERR_OK, &err), IG_ERR_USAGE);
    assert_ok(ig_store_begin(s, &err), &err);
    put_run(s, 3, IG_RUN_DONE);
    put_run(s, 2, IG_RUN_FAILED);
    put_run(s, 1, IG_RUN_DONE);
    assert_ok(ig_store_end(s, IG_ERR_OK, &err), &err);
    assert_int_equal(n_done(t, 300), 2);
    assert_true(is_done(t, 1) && is_done(t, 3));
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
    assert_true(ig_is_no_space(&err));
    assert_string_equal(err.msg, "database or disk is full: No space left on device");
    ig_store_known known;
    address_of(a, 0);
    assert_ok(ig_store_find(&known, s, a, &err), &err);
    assert_int_equal(known.status, IG_RUN_DONE);
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
                ig_row m = {"mu", "dev", "", "", 1, -1, true, 1, 0, i, 0};
                ig_code code = ig_store_begin(s, &err);
                if (code == IG_ERR_OK)
                    code = ig_store_put_run(s, &(ig_store_run){.address = a, .status = IG_RUN_DONE},
                                            &err);
                if (code == IG_ERR_OK)
                    code = ig_store_put_rows(s, a, &m, 1, &err);
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
    ig_store *s = open_at(p->dir);
    assert_int_equal(n_done(s, 2 * EACH), 2 * EACH);
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
    fault_killed(die_in_transaction, p->dir);
    ig_store *s = open_at(p->dir);
    assert_int_equal(n_done(s, 300), 1);
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
    assert_int_equal(n_done(s, 300), 1);
    put_run(s, 2, IG_RUN_DONE);
    ig_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_folder(round_trip),    in_folder(order_of_metrics), in_folder(refusals),
        in_folder(transactions),  in_folder(killed),           in_folder(no_room),
        in_folder(two_processes), in_folder(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
