/* SPDX-License-Identifier: Apache-2.0
 *
 * A run that is stopped and gone on with gives the bits of one that was not: killed at any moment,
 * asked to stop, out of disk, on another number of threads. And what must be refused is.
 */
#include "root_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "apply/folder/run_dir.h"
#include "run/train/run_train.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A run of seconds at most: every mechanism of a long one, dropout and accumulation too. */
static ig_run_config settings(const char *name)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.out = strdup(in_root(name));
    c.data.world_sentences = 60;
    c.data.dev_take = 20;
    c.tokens.vocab_size = 200;
    c.model.preset = IG_PRESET_TINY;
    c.optimisation.updates = 14;
    c.objective.batching.batch = 16;
    c.optimisation.accum = 2;
    c.optimisation.warmup = 3;
    c.objective.block = 48;
    c.threads = 1;
    c.save_every = 3;
    c.log_every = 2;
    c.keep = 2;
    c.measuring.eval_end = false;
    c.languages.lang_pos = true;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static void same_file(const char *a, const char *b)
{
    char *x, *y;
    int64_t n, m;
    assert_ok(ig_file_read(&x, &n, a, 1 << 28, &err), &err);
    assert_ok(ig_file_read(&y, &m, b, 1 << 28, &err), &err);
    if (n != m || memcmp(x, y, (size_t)n) != 0)
        fail_msg("%s and %s differ", a, b);
    ig_free(x);
    ig_free(y);
}

/* All of the log but the rate, which is a matter of the clock. */
static char *log_text(const char *dir)
{
    char path[200], *text;
    int64_t n;
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    assert_ok(ig_file_read(&text, &n, path, 1 << 24, &err), &err);
    char *to = text;
    for (char *p = text; *p != '\0';) {
        char *line_end = strchr(p, '\n'), *rate = strstr(p, ",\"tokens_per_second\"");
        char *stop = rate != NULL && rate < line_end ? rate : line_end;
        memmove(to, p, (size_t)(stop - p));
        to += stop - p;
        *to++ = '\n';
        p = line_end + 1;
    }
    *to = '\0';
    return text;
}

static void same_run(const char *a, const char *b)
{
    char x[200], y[200];
    snprintf(x, sizeof x, "%s/model/model.safetensors", a);
    snprintf(y, sizeof y, "%s/model/model.safetensors", b);
    same_file(x, y);
    char *p = log_text(a), *q = log_text(b);
    assert_string_equal(p, q);
    ig_free(p);
    ig_free(q);
}

static void train(ig_run_config *c)
{
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    assert_ok(ig_run_train(c, NULL, r, &err), &err);
    assert_true(r->finished);
    assert_int_equal(r->update, c->optimisation.updates);
    ig_run_result_free(r);
    ig_free(r);
}

/* The run that nothing disturbed, made once. */
static const char *reference(void)
{
    static bool made;
    if (!made) {
        ig_run_config c = settings("reference");
        train(&c);
        ig_run_config_free(&c);
        made = true;
    }
    return in_root("reference");
}

static pid_t start(ig_run_config *c)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ig_run_result *r;
        ig_err e;
        if (ig_alloc(&r, 1, sizeof *r, "result", &e) != IG_ERR_OK)
            _exit(99);
        _exit((int)ig_run_train(c, NULL, r, &e));
    }
    return child;
}

static void pause_for(long microseconds)
{
    const struct timespec t = {0, microseconds * 1000};
    nanosleep(&t, NULL);
}

/* Killed in the middle, again and again, each time a little later, until it gets through. */
static void killed_anywhere(void **state)
{
    (void)state;
    const char *want = reference();
    ig_run_config c = settings("killed");
    int kills = 0, status = -1;
    for (long wait = 3000; wait < 900000; wait += wait / 3) {
        pid_t child = start(&c);
        pause_for(wait);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status))
            break;
        kills++;
    }
    if (!WIFEXITED(status)) {
        train(&c);
        status = 0;
    }
    assert_int_equal(status, 0);
    assert_true(kills >= 3);
    same_run(want, c.out);
    ig_run_config_free(&c);
}

/* Killed after each checkpoint in turn: at least one whole part is thrown away every time. */
static void killed_after_each_checkpoint(void **state)
{
    (void)state;
    const char *want = reference();
    ig_run_config c = settings("each");
    for (int64_t next = 3; next <= 12; next += 3) {
        pid_t child = start(&c);
        int status;
        for (int tries = 0; tries < 30000; tries++) {
            int64_t *steps = NULL;
            int n;
            assert_ok(ig_run_checkpoints(&steps, &n, c.out, true, &err), &err);
            bool there = n > 0 && steps[n - 1] >= next;
            ig_free(steps);
            if (there)
                break;
            pause_for(300);
        }
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    train(&c);
    same_run(want, c.out);
    ig_run_config_free(&c);
}

/* After a stop at `update` of a run that keeps two of each third update: those, and where it goes
 * on.
 */
static void kept_of_a_stop(const char *dir, int64_t update)
{
    int64_t *steps, want[3];
    int n, n_want = 0;
    for (int64_t i = 1; i <= update; i++)
        if (i == update || (i % 3 == 0 && i > update - 6))
            want[n_want++] = i;
    assert_ok(ig_run_checkpoints(&steps, &n, dir, true, &err), &err);
    assert_int_equal(n, n_want);
    assert_memory_equal(steps, want, (size_t)n * sizeof *want);
    ig_free(steps);
}

/* The third argument of ig_run_train: stop after the present update, here each one. */
static void asked_to_stop(void **state)
{
    (void)state;
    const char *want = reference();
    static volatile sig_atomic_t stop = 1;
    ig_run_config c = settings("asked");
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    for (int i = 1; i < 14; i++) {
        assert_int_equal(ig_run_train(&c, &stop, r, &err), IG_ERR_STOPPED);
        assert_int_equal(r->update, i);
        assert_int_equal(r->resumed_from, i > 1 ? i - 1 : -1);
        kept_of_a_stop(c.out, i);
    }
    assert_ok(ig_run_train(&c, &stop, r, &err), &err); /* the last update finishes the run */
    same_run(want, c.out);
    ig_run_result_free(r);
    ig_free(r);
    ig_run_config_free(&c);
}

/* Asks to stop once so many updates are made. */
static volatile sig_atomic_t stop_now;
static void stop_after(void *arg, const ig_run_result *so_far)
{
    stop_now = so_far->update >= *(const int64_t *)arg;
}

/* Stopped where measures are due, before the first update, on the way and at the end: all is saved,
 * and the measures are there once it goes on, by a plan or in the log. */
static void stopped_while_measuring(void **state)
{
    (void)state;
    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                                          IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(perplexity),
                                  .at = {.kind = IG_CHECKPOINTS_EVERY, .every = 4}};
    static const int64_t places[] = {0, 4, 8, 12, 14};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    for (int by_plan = 0; by_plan < 2; by_plan++) {
        ig_run_config whole = settings(by_plan ? "plan" : "eval"),
                      c = settings(by_plan ? "plan-stopped" : "eval-stopped");
        int64_t at;
        ig_run_with with = {.lock = -1, .plan = by_plan ? &plan : NULL};
        whole.measuring.eval_end = c.measuring.eval_end = true;
        whole.measuring.eval_every = c.measuring.eval_every = 4;
        assert_ok(ig_run_train_with(&whole, &with, NULL, r, &err), &err);
        const double mu = ig_measure_value(&r->measure, "mu", -1);
        ig_run_result_free(r);
        with.update = stop_after;
        with.arg = &at;
        for (size_t i = by_plan ? 0 : 1; i < sizeof places / sizeof *places; i++) {
            at = places[i];
            /* Twice: what is owed is still owed. */
            for (int twice = 0; twice < 2; twice++) {
                assert_int_equal(ig_run_train_with(&c, &with, &stop_now, r, &err), IG_ERR_STOPPED);
                assert_int_equal(r->update, at);
                assert_non_null(strstr(err.msg, "while it was measured"));
                assert_true(!r->finished && !r->measured);
                ig_run_result_free(r);
            }
        }
        at = 15;
        assert_ok(ig_run_train_with(&c, &with, &stop_now, r, &err), &err);
        assert_true(r->finished && r->measured && ig_measure_value(&r->measure, "mu", -1) == mu);
        ig_run_result_free(r);
        same_run(whole.out, c.out);
        if (by_plan) {
            char a[200], b[200];
            snprintf(a, sizeof a, "%s/measures.jsonl", whole.out);
            snprintf(b, sizeof b, "%s/measures.jsonl", c.out);
            same_file(a, b);
        }
        ig_run_config_free(&whole);
        ig_run_config_free(&c);
    }
    ig_run_result_free(r);
    ig_free(r);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    const char *want = reference();
    const int threads[] = {2, 4};
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "threads%d", threads[i]);
        ig_run_config c = settings(name);
        c.threads = threads[i];
        train(&c);
        same_run(want, c.out);
        ig_run_config_free(&c);
    }
}

/* No file may grow beyond a limit: writing fails as on a full disk. The limit is then lifted. */
static void full_disk(void **state)
{
    (void)state;
    const char *want = reference();
    ig_run_config c = settings("full");
    const rlim_t limits[] = {100, 2000, 9000, 60000, 100000};
    for (int i = 0; i < 5; i++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const struct rlimit limit = {limits[i], limits[i]};
            ig_run_result *r;
            ig_err e = {0};
            signal(SIGXFSZ, SIG_IGN);
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
                ig_alloc(&r, 1, sizeof *r, "result", &e) != IG_ERR_OK)
                _exit(99);
            ig_code code = ig_run_train(&c, NULL, r, &e);
            _exit(code == IG_ERR_IO && strstr(e.msg, "File too large") != NULL ? 50 : (int)code);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 50);
        int64_t *steps;
        int n;
        assert_ok(ig_run_checkpoints(&steps, &n, c.out, false, &err), &err);
        assert_int_equal(n, 0); /* nothing half-written has its final name */
        ig_free(steps);
    }
    train(&c);
    same_run(want, c.out);
    ig_run_config_free(&c);
}

static void kept_checkpoints(void **state)
{
    (void)state;
    ig_run_config c = settings("kept");
    c.save_log_spaced = true;
    train(&c);
    int64_t *steps;
    int n;
    assert_ok(ig_run_checkpoints(&steps, &n, c.out, false, &err), &err);
    const int64_t all[] = {0, 1, 2, 5, 10, 12, 14};
    assert_int_equal(n, 7);
    assert_memory_equal(steps, all, sizeof all);
    ig_free(steps);
    assert_ok(ig_run_checkpoints(&steps, &n, c.out, true, &err), &err);
    assert_int_equal(n, 2);
    ig_free(steps);
    char path[IG_PATH];
    assert_ok(ig_run_latest(path, c.out, &err), &err);
    assert_non_null(strstr(path, "step-00000014"));
    ig_run_config_free(&c);
    for (int64_t i = 0; i < 30; i++)
        assert_int_equal(ig_run_log_spaced(i),
                         i == 0 || i == 1 || i == 2 || i == 5 || i == 10 || i == 20);
    assert_true(ig_run_log_spaced(5000) && !ig_run_log_spaced(15000));
}

/* A byte of any file of the newest checkpoint: the run goes on from the one before, and comes to
 * the same bits; when all are damaged it is an error, and nothing is lost. */
static void damaged_checkpoint(void **state)
{
    (void)state;
    static const char *const file[] = {"model.safetensors", "trainer.state", "config.json"};
    const char *want = reference();
    char path[300], *data;
    int64_t n;
    for (size_t i = 0; i < 2 * sizeof file / sizeof *file; i++) {
        ig_run_config c = settings("damaged");
        ig_run_result *r;
        train(&c);
        snprintf(path, sizeof path, "%s/checkpoints/step-00000014/%s", c.out, file[i / 2]);
        assert_ok(ig_file_read(&data, &n, path, 1 << 28, &err), &err);
        data[n / 2] = i % 2 == 0 ? data[n / 2] : '\0';
        write_fast(path, data, i % 2 == 0 ? n / 2 : n);
        ig_free(data);
        assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
        assert_ok(ig_run_train(&c, NULL, r, &err), &err);
        assert_int_equal(r->resumed_from, 12);
        snprintf(path, sizeof path, "%s/checkpoints/damaged-00000014", c.out);
        assert_true(ig_dir_exists(path));
        same_run(want, c.out);
        /* All of them. */
        for (int step = 12; step <= 14; step += 2) {
            snprintf(path, sizeof path, "%s/checkpoints/step-%08d/trainer.state", c.out, step);
            write_fast(path, "nothing", 7);
        }
        assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_INPUT);
        assert_string_equal(err.where, path);
        snprintf(path, sizeof path, "%s/checkpoints/step-00000014", c.out);
        assert_true(ig_dir_exists(path));
        ig_run_result_free(r);
        ig_free(r);
        assert_ok(ig_dir_remove(c.out, &err), &err);
        ig_run_config_free(&c);
    }
}

static void another_run(void **state)
{
    (void)state;
    ig_run_config c = settings("reference");
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    (void)reference();
    c.optimisation.lr = 1e-3;
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "lr is 0.002 there, 0.001 here"));
    c.optimisation.lr = 2e-3;
    c.languages.lang_pos = false;
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "lang-pos is true there, false here"));
    ig_run_config_free(&c);

    c = settings("other-files");
    assert_ok(ig_dir_make(c.out, &err), &err);
    assert_ok(ig_file_write(in_root("other-files/letter.txt"), "x", 1, &err), &err);
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_USAGE);
    ig_run_config_free(&c);

    c = settings("locked");
    int lock;
    assert_ok(ig_run_dir_lock(&lock, c.out, &err), &err);
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "another process"));
    /* It has begun, and its record is still to come: the files are not a stranger's. */
    char file[IG_PATH];
    snprintf(file, sizeof file, "%s/log.jsonl", c.out);
    fclose(fopen(file, "w"));
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.msg, "another process"));
    ig_run_dir_unlock(lock);
    ig_run_config_free(&c);
    ig_run_result_free(r);
    ig_free(r);
}

/* A rate that no training survives: told with update and tensor; what was good stays on disk. */
static void non_finite(void **state)
{
    (void)state;
    ig_run_config c = settings("diverged");
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    c.optimisation.lr = 100;
    c.optimisation.adam.weight_decay = 10;
    c.optimisation.updates = 60;
    c.optimisation.warmup = 0;
    c.optimisation.schedule = IG_SCHEDULE_CONSTANT;
    assert_int_equal(ig_run_train(&c, NULL, r, &err), IG_ERR_NUMERIC);
    assert_non_null(strstr(err.msg, "update "));
    assert_non_null(strstr(err.msg, ".weight"));
    ig_run_result_free(r);
    ig_free(r);
    ig_run_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_anywhere),       cmocka_unit_test(killed_after_each_checkpoint),
        cmocka_unit_test(asked_to_stop),         cmocka_unit_test(stopped_while_measuring),
        cmocka_unit_test(any_number_of_threads), cmocka_unit_test(full_disk),
        cmocka_unit_test(kept_checkpoints),      cmocka_unit_test(damaged_checkpoint),
        cmocka_unit_test(another_run),           cmocka_unit_test(non_finite),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
