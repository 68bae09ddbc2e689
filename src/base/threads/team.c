/* SPDX-License-Identifier: Apache-2.0
 *
 * The team: pthreads wait for a generation number to change, spin for a short while (calls follow
 * each other within microseconds while a large model trains) and then sleep on a condition. So does
 * the caller until all are done: on a CPU that other programs use, the thread it waits for may not
 * run for milliseconds. A team of more threads than there are CPUs does not spin, since the thread
 * it waits for may need the CPU. fork leaves the threads in the parent; the child's first use of a
 * team starts new ones.
 */
#define _GNU_SOURCE 1
#include "base/threads/team.h"

#include "base/memory.h"
#include "base/number_text.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { spin_rounds = 4000, spin_rounds_of_caller = 16 * spin_rounds };

/* The number of forks between the first process and this one. */
static _Atomic uint64_t n_fork;

struct ig_team {
    int size;
    int n_started; /* members */
    uint64_t fork; /* the process they were started in */
    int n_spin;    /* number of checks before a thread sleeps */
    pthread_t *thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    _Atomic uint64_t generation;
    _Atomic int n_busy;
    _Atomic bool caller_sleeps;
    int n_sleep; /* further calls in which the caller waits without spinning */
    int backoff; /* how many that were when spinning was last in vain, halved where it was not */
    _Atomic int64_t next;
    _Atomic bool quit;
    int64_t n_task;
    ig_task_fn *fn;
    void *arg;
};

typedef struct {
    ig_team *team;
    int index;
} member;

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

static void work(ig_team *t, int i_thread)
{
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (i >= t->n_task)
            return;
        t->fn(t->arg, i, i_thread);
    }
}

static void *member_main(void *p)
{
    IG_PLAIN_NUMBERS;
    member m = *(member *)p;
    ig_free(p);
    ig_team *t = m.team;
    uint64_t seen = 0;
    for (;;) {
        for (int k = 0; k < t->n_spin; k++) {
            if (atomic_load_explicit(&t->generation, memory_order_acquire) != seen)
                break;
            relax();
        }
        if (atomic_load_explicit(&t->generation, memory_order_acquire) == seen) {
            pthread_mutex_lock(&t->lock);
            while (atomic_load_explicit(&t->generation, memory_order_acquire) == seen)
                pthread_cond_wait(&t->wake, &t->lock);
            pthread_mutex_unlock(&t->lock);
        }
        seen++;
        if (atomic_load(&t->quit))
            return NULL;
        work(t, m.index);
        /* Either this sees that the caller sleeps, or the caller that no one is busy. */
        if (atomic_fetch_sub(&t->n_busy, 1) == 1 && atomic_load(&t->caller_sleeps)) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->done);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

static void next_generation(ig_team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add_explicit(&t->generation, 1, memory_order_release);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

int ig_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n;
}

static void count_fork(void)
{
    atomic_fetch_add(&n_fork, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

static ig_code start_members(ig_team *t, ig_err *err)
{
    t->fork = atomic_load(&n_fork);
    t->n_started = 0;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->done, NULL);
    for (int i = 1; i < t->size; i++) {
        member *m;
        IG_TRY(ig_alloc(&m, 1, sizeof *m, "team", err));
        *m = (member){t, i};
        const int e = pthread_create(&t->thread[i], NULL, member_main, m);
        if (e != 0) {
            ig_free(m);
            return ig_fail(err, IG_ERR_IO, "threads", 0, "cannot start thread %d of %d: %s", i + 1,
                           t->size, strerror(e));
        }
        t->n_started++;
    }
    return IG_ERR_OK;
}

/* Restarts the threads in a child, whatever the parent's were doing. If threads cannot be started,
 * the caller works with those that could. */
static void revive(ig_team *t)
{
    atomic_store(&t->generation, 0);
    atomic_store(&t->n_busy, 0);
    atomic_store(&t->caller_sleeps, false);
    (void)start_members(t, NULL);
}

ig_code ig_team_new(ig_team **out, int n_thread, ig_err *err)
{
    *out = NULL;
    if (n_thread == 0)
        n_thread = ig_cpu_count();
    if (n_thread < 1 || n_thread > 1024)
        return ig_fail(err, IG_ERR_USAGE, "threads", 0, "found %d, expected 0 to 1024", n_thread);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ig_team *t;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "team", err));
    t->size = n_thread;
    t->n_spin = n_thread > ig_cpu_count() ? 0 : spin_rounds;
    pthread_once(&once, watch_forks);
    ig_code code = ig_alloc(&t->thread, n_thread, sizeof *t->thread, "team", err);
    IG_THEN(code, start_members(t, err));
    IG_RETURN_NEW(code, out, t, ig_team_free);
}

void ig_team_free(ig_team *t)
{
    if (t == NULL)
        return;
    if (t->fork == atomic_load(&n_fork)) {
        atomic_store(&t->quit, true);
        next_generation(t);
        for (int i = 1; i <= t->n_started; i++)
            pthread_join(t->thread[i], NULL);
        pthread_cond_destroy(&t->wake);
        pthread_cond_destroy(&t->done);
        pthread_mutex_destroy(&t->lock);
    }
    IG_FREE(t->thread, t);
}

int ig_team_size(const ig_team *t)
{
    return t == NULL ? 1 : t->size;
}

/* Returns when all members are done. Where spinning was in vain, a number of calls go without it,
 * twice as many each time: a member then waits for the CPU that the caller spins on. */
static void wait_for_members(ig_team *t)
{
    const int n_spin = t->n_spin > 0 && t->n_sleep == 0 ? spin_rounds_of_caller : 0;
    for (int k = 0; k < n_spin; k++) {
        if (atomic_load_explicit(&t->n_busy, memory_order_acquire) == 0) {
            t->backoff /= 2;
            return;
        }
        relax();
    }
    if (n_spin > 0) {
        t->backoff = t->backoff < 16 ? 16 : t->backoff < 2048 ? 2 * t->backoff : 4096;
        t->n_sleep = t->backoff;
    }
    t->n_sleep -= t->n_sleep > 0;
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->caller_sleeps, true);
    while (atomic_load(&t->n_busy) > 0)
        pthread_cond_wait(&t->done, &t->lock);
    atomic_store(&t->caller_sleeps, false);
    pthread_mutex_unlock(&t->lock);
}

void ig_team_for(ig_team *t, int64_t n_task, ig_task_fn *fn, void *arg)
{
    if (t == NULL || t->size == 1 || n_task <= 1) {
        for (int64_t i = 0; i < n_task; i++)
            fn(arg, i, 0);
        return;
    }
    if (t->fork != atomic_load_explicit(&n_fork, memory_order_relaxed))
        revive(t);
    t->fn = fn;
    t->arg = arg;
    t->n_task = n_task;
    atomic_store_explicit(&t->next, 0, memory_order_relaxed);
    atomic_store_explicit(&t->n_busy, t->n_started, memory_order_relaxed);
    next_generation(t);
    work(t, 0);
    wait_for_members(t);
}
