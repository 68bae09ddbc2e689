/* SPDX-License-Identifier: Apache-2.0
 *
 * Killed at any moment — a run, the scheduler, both at once — the same command goes on, and ends
 * with the bits of one that nobody disturbed.
 */
#include "lab_fixture.h"

#include "base/rng.h"

#define LONGER                                                                                     \
    "base: {preset: bert-tiny, updates: 100, batch: 16, block: 48, warmup: 3, vocab_size: 200,\n"  \
    "       world_sentences: 60, dev_take: 20}\n" TINY_CELLS "seeds: 2\n" TINY_MEASURE

static const char *reference(const ig_experiment *e)
{
    static bool made;
    static char store[300];
    if (!made) {
        ig_lab_result r;
        snprintf(store, sizeof store, "%s", in_root("reference"));
        assert_ok(lab_run(e, store, (ig_lab_options){0}, &r), &err);
        made = true;
    }
    return store;
}

/* Processes of the scheduler's runs. */
static int children(pid_t parent, pid_t *child, int max)
{
    char path[64];
    int n = 0;
    long id;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 0;
    while (n < max && fscanf(f, "%ld", &id) == 1)
        child[n++] = (pid_t)id;
    fclose(f);
    return n;
}

/* A zombie has gone too: whoever inherited it has not asked for it yet. */
static bool is_gone(pid_t process)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *f = fopen(path, "r");
    const bool there = f != NULL && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
    if (f != NULL)
        fclose(f);
    return !there || state == 'Z';
}

static bool has_gone(pid_t process)
{
    for (int i = 0; i < 60000; i++) {
        if (is_gone(process))
            return true;
        pause_ms(2);
    }
    return false;
}

enum { KILL_RUN = 1, KILL_SCHEDULER = 2, KILL_BOTH = 3 };

/* Waits until the scheduler has a run at work, or has ended: how long that takes says nothing on a
 * busy machine. Gives the run, 0 when the scheduler has ended. */
static pid_t at_work(pid_t scheduler, int which, int *status)
{
    while (waitpid(scheduler, status, WNOHANG) == 0) {
        pid_t child[8];
        const int n = children(scheduler, child, 8);
        if (n > 0 && !is_gone(child[which % n]))
            return child[which % n];
        pause_ms(1);
    }
    return 0;
}

/* Lets the scheduler live for a while, kills, and does so again until it gets through. The first
 * `least` times it is hit when a run has only begun; later, and later each time, so that it ends.
 * Gives how often it was hit. */
static int disturb(const ig_experiment *e, const char *store, int whom, uint64_t seed, int least)
{
    const ig_lab_options often = {.save_every = 0.02};
    ig_rng random = ig_rng_make(seed, IG_STREAM_TEST, 0, 0);
    int hits = 0, status = 0;
    for (int round = 0; round < 40; round++) {
        pid_t s = lab_start(e, store, often);
        for (int again = 0; again < 2; again++) {
            if (hits >= least)
                pause_ms(20 + (int)ig_rng_below(&random, 100) + 20 * round * round);
            const pid_t run = at_work(s, again, &status);
            if (run == 0) {
                assert_true(WIFEXITED(status));
                assert_int_equal(WEXITSTATUS(status), 0);
                return hits;
            }
            if (whom & KILL_RUN)
                hits += kill(run, SIGKILL) == 0;
            if (whom & KILL_SCHEDULER) {
                hits += whom == KILL_SCHEDULER;
                kill(s, SIGKILL);
                break;
            }
        }
        waitpid(s, &status, 0);
        if (whom == KILL_RUN) {
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
    }
    return hits;
}

static void killed(const char *name, int whom, int least)
{
    ig_experiment e = read_experiment(LONGER);
    ig_lab_result r;
    const char *store = in_root(name);
    const char *want = reference(&e);
    const int hits = disturb(&e, store, whom, (uint64_t)whom, least);
    assert_ok(lab_run(&e, store, (ig_lab_options){0}, &r), &err);
    assert_int_equal(r.n_done, 4);
    same_results(&e, want, store);
    if (hits < least)
        fail_msg("%s: hit %d times, expected %d at least", name, hits, least);
    /* Nothing half-written is left anywhere. */
    char command[500];
    snprintf(command, sizeof command, "test -z \"$(find %s -name '*.tmp-*' -o -name '.step-*')\"",
             store);
    assert_int_equal(system(command), 0);
    ig_experiment_free(&e);
}

static void killed_scheduler(void **state)
{
    (void)state;
    killed("scheduler", KILL_SCHEDULER, 3);
}

static void killed_both(void **state)
{
    (void)state;
    killed("both", KILL_BOTH, 3);
}

/* Runs of an hour do not outlive the scheduler: nobody works on behind the back of the next one. */
static void nobody_is_left(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(
        "base: {preset: bert-tiny, updates: 1000000, batch: 16, block: 48, vocab_size: 200,\n"
        "       world_sentences: 60, dev_take: 20}\n" TINY_CELLS);
    pid_t s = lab_start(&e, in_root("hour"), (ig_lab_options){0}), child[8];
    int n = 0;
    for (int i = 0; i < 60000 && (n = children(s, child, 8)) < 2; i++)
        pause_ms(2);
    assert_int_equal(n, 2);
    pause_ms(100);
    kill(s, SIGKILL);
    assert_int_equal(exit_code(s), -1);
    for (int i = 0; i < n; i++)
        if (!has_gone(child[i])) {
            kill(child[i], SIGKILL);
            fail_msg("a run goes on without its scheduler");
        }
    ig_experiment_free(&e);
}

/* A run that is killed from outside is begun again by the same scheduler. */
static void killed_run(void **state)
{
    (void)state;
    killed("run", KILL_RUN, 1);
    assert_true(n_events(in_root("run-events"), "killed") >= 1);
    assert_int_equal(n_events(in_root("run-events"), "failed"), 0);
}

/* One that is killed again and again has failed: it would go on for ever. */
static void killed_every_time(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(LONGER);
    pid_t s =
        lab_start(&e, in_root("hopeless"), (ig_lab_options){.jobs = 1, .selector = "apart:0"});
    int status = -1, kills = 0;
    while (waitpid(s, &status, WNOHANG) == 0) {
        pid_t child[8];
        if (children(s, child, 8) > 0)
            kills += kill(child[0], SIGKILL) == 0;
        pause_ms(5);
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(kills >= 3);
    ig_lab_state *state_of;
    int n;
    assert_ok(ig_lab_status(&state_of, &n, &e, in_root("hopeless"), &err), &err);
    assert_int_equal(state_of[2].status, IG_RUN_FAILED);
    assert_non_null(strstr(state_of[2].message, "ended by signal 9"));
    ig_free(state_of);
    ig_experiment_free(&e);
}

/* A scheduler that waits for another continues its work when that one is killed. */
static void taken_over(void **state)
{
    (void)state;
    ig_experiment e = read_experiment(LONGER);
    const char *store = in_root("over");
    const char *want = reference(&e);
    pid_t a = lab_start(&e, store, (ig_lab_options){.save_every = 0.02});
    pause_ms(60);
    pid_t b = lab_start(&e, store, (ig_lab_options){.save_every = 0.02});
    pause_ms(150);
    kill(a, SIGKILL);
    (void)exit_code(a);
    assert_int_equal(exit_code(b), 0);
    same_results(&e, want, store);
    ig_experiment_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_left),    cmocka_unit_test(killed_scheduler),
        cmocka_unit_test(killed_both),       cmocka_unit_test(killed_run),
        cmocka_unit_test(killed_every_time), cmocka_unit_test(taken_over),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
