/* SPDX-License-Identifier: Apache-2.0
 *
 * The team: every task exactly once, in any number of threads, call after call; what tasks wrote
 * is there when the call returns (ThreadSanitizer watches this one).
 */
#include "test.h"

#include "base/threads/team.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_tasks = 1000, most_threads = 7 };

typedef struct {
    int64_t n[most_tasks];        /* plain: each task writes its own */
    int64_t by[most_threads][16]; /* plain: each thread its own row */
    _Atomic int bad;
    int size;
} work;

static void task(void *arg, int64_t i, int i_thread)
{
    work *w = arg;
    if (i_thread < 0 || i_thread >= w->size) {
        atomic_fetch_add(&w->bad, 1);
        return;
    }
    w->n[i] += i + 1;
    w->by[i_thread][0]++;
}

static void every_task_once(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 4, most_threads};
    static const int64_t counts[] = {0, 1, 2, 3, 17, most_tasks};
    for (int s = 0; s < 4; s++) {
        ig_err err;
        ig_team *t;
        assert_ok(ig_team_new(&t, sizes[s], &err), &err);
        assert_int_equal(ig_team_size(t), sizes[s]);
        for (int round = 0; round < 120; round++) {
            int64_t n = counts[round % 6], sum = 0;
            work w;
            memset(&w, 0, sizeof w);
            w.size = sizes[s];
            ig_team_for(t, n, task, &w);
            assert_int_equal(w.bad, 0);
            for (int64_t i = 0; i < most_tasks; i++)
                assert_int_equal(w.n[i], i < n ? i + 1 : 0);
            for (int i = 0; i < most_threads; i++)
                sum += w.by[i][0];
            assert_int_equal(sum, n);
        }
        ig_team_free(t);
    }
}

static void no_team_is_the_caller(void **state)
{
    (void)state;
    work w;
    memset(&w, 0, sizeof w);
    w.size = 1;
    assert_int_equal(ig_team_size(NULL), 1);
    ig_team_for(NULL, 5, task, &w);
    assert_int_equal(w.by[0][0], 5);
    ig_team_free(NULL);
}

static void sizes_out_of_range(void **state)
{
    (void)state;
    ig_team *t;
    ig_err err;
    assert_int_equal(ig_team_new(&t, -1, &err), IG_ERR_USAGE);
    assert_null(t);
    assert_int_equal(ig_team_new(&t, 5000, &err), IG_ERR_USAGE);
    assert_true(ig_cpu_count() >= 1);
    assert_ok(ig_team_new(&t, 0, &err), &err);
    assert_int_equal(ig_team_size(t), ig_cpu_count());
    ig_team_free(t);
}

/* A child has none of its parent's members: its teams work, again and again, and end. */
static void after_fork(void **state)
{
    (void)state;
    ig_err err;
    ig_team *t;
    int status = 0;
    if (SANITIZED) {
        skip_here("ThreadSanitizer knows no threads after fork");
        return;
    }
    assert_ok(ig_team_new(&t, 4, &err), &err);
    for (int used = 0; used < 2; used++) {
        work w;
        memset(&w, 0, sizeof w);
        w.size = 4;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60); /* a child that waits for a member is ended */
            for (int i = 0; i < 3; i++)
                ig_team_for(t, most_tasks, task, &w);
            ig_team_free(t);
            _exit(w.bad != 0 || w.n[most_tasks - 1] != 3 * most_tasks);
        }
        assert_true(waitpid(child, &status, 0) == child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        ig_team_for(t, most_tasks, task, &w);
        assert_int_equal(w.n[most_tasks - 1], most_tasks);
    }
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        ig_team_free(t); /* of a team that it never used */
        _exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    ig_team_free(t);
}

/* The second task, which a member takes, sleeps. */
static void late(void *arg, int64_t i, int i_thread)
{
    (void)arg, (void)i;
    if (i_thread > 0)
        usleep(100000);
    else
        usleep(2000); /* so that the member gets one */
}

static double seconds_of_caller(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A caller whose member does not come to an end gives its CPU to others. */
static void a_caller_that_waits_sleeps(void **state)
{
    (void)state;
    ig_err err;
    ig_team *t;
    assert_ok(ig_team_new(&t, 2, &err), &err);
    const double before = seconds_of_caller();
    for (int i = 0; i < 5; i++)
        ig_team_for(t, 2, late, NULL);
    assert_true(seconds_of_caller() - before < .1); /* of half a second */
    ig_team_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once),
        cmocka_unit_test(no_team_is_the_caller),
        cmocka_unit_test(sizes_out_of_range),
        cmocka_unit_test(after_fork),
        cmocka_unit_test(a_caller_that_waits_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
