/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler: keeps as many runs in the air as there are jobs, each in a process of its own, on
 * a GPU those of one shape in one process, until nothing is missing; see laboratory.h. It claims
 * nothing itself: the child that gets a run's lock has it, and who does not get it looks again
 * later, so several schedulers share the work.
 */
#include "lab/laboratory.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/threads/team.h"
#include "lab/estimate/cost.h"
#include "lab/runs/lab_clean.h"
#include "run/data/knn.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { KILLS_MAX = 3 };
static const double poll_elsewhere = 0.5, progress_every = 0.5, poll_children = 0.01;

typedef enum { PENDING, RUNNING, ELSEWHERE, DONE, FAILED } state;

typedef struct {
    state state;
    int n_kill;
    double look_at; /* ELSEWHERE: when to look again */
} claim;

/* A run in a worker's process. */
typedef struct {
    int item;
    bool announced, warned;
} hand;

typedef struct {
    ig_lab_process process;
    ig_lab_group group; /* as many jobs as may be together; group.n: 0: idle */
    hand *hand;         /* [group.n] in use */
} worker;

typedef struct {
    const ig_experiment *experiment;
    const ig_lab_options *options;
    ig_lab_result *result;
    ig_hash_cache *cache;
    ig_lab_list list;
    claim *claim;
    ig_costs costs;
    worker *worker;
    int n_worker, threads;
    int together; /* runs of a worker at most */
    double start, reported;
    double start_unix;                 /* seconds since 1970 */
    bool stopping, changed, read_only; /* read_only: the store, with nothing to do */
    ig_err no_room;                    /* code IG_ERR_OK: there is room */
} lab;

int ig_lab_ranks(const ig_experiment *e)
{
    int64_t most = 1;
    for (int i = 0; i < e->n_cell; i++)
        if (e->cell[i].config.ranks > most)
            most = e->cell[i].config.ranks;
    return (int)most;
}

void ig_lab_jobs(int *jobs, int *threads, const ig_lab_asked *a)
{
    const int all = ig_cpu_count(), cpus = all > a->ranks ? all / a->ranks : 1;
    const int n_missing = a->n_missing;
    const bool neither_given = *jobs == 0 && *threads == 0;
    if (a->gpu && (*jobs == 0 || *jobs > IG_LAB_TOGETHER))
        *jobs = IG_LAB_TOGETHER;
    if (*jobs == 0)
        *jobs = *threads > 0 && cpus / *threads > 0 ? cpus / *threads : neither_given ? cpus : 1;
    if (*jobs > n_missing)
        *jobs = n_missing > 0 ? n_missing : 1;
    if (*threads == 0)
        *threads = cpus / *jobs > 0 ? cpus / *jobs : 1;
}

static void say(const lab *l, ig_lab_event_kind kind, int i, double seconds, const char *message)
{
    if (l->options->event == NULL)
        return;
    const ig_lab_item *it = &l->list.item[i];
    const ig_lab_event e = {.kind = kind,
                            .cell = l->experiment->cell[it->cell].name,
                            .seed = it->seed,
                            .address = it->address,
                            .message = message,
                            .seconds = seconds};
    l->options->event(l->options->arg, &e);
}

/* Reads the state of all folders before anything starts. */
static ig_code look_at_all(lab *l, bool *trained, ig_err *err)
{
    int64_t n_removed = 0;
    for (int i = 0; i < l->list.n; i++) {
        ig_lab_state s = {0};
        (void)ig_lab_clean_run(&n_removed, l->list.item[i].dir, NULL, NULL);
        IG_TRY(ig_lab_folder_state(&s, l->list.item[i].dir, &l->experiment->measure,
                                   l->options->retry, err));
        l->claim[i].state = s.status == IG_RUN_DONE                           ? DONE
                            : s.status == IG_RUN_FAILED && !l->options->retry ? FAILED
                            : s.status == IG_RUN_RUNNING                      ? ELSEWHERE
                                                                              : PENDING;
        trained[i] = s.trained;
    }
    return IG_ERR_OK;
}

static int count(const lab *l, state s)
{
    int n = 0;
    for (int i = 0; i < l->list.n; i++)
        n += l->claim[i].state == s;
    return n;
}

/* A run that another process works on: finished by now, given up, or still in its hands. */
static ig_code look_elsewhere(lab *l, int i, double now, ig_err *err)
{
    ig_lab_state s = {0};
    IG_TRY(ig_lab_folder_state(&s, l->list.item[i].dir, &l->experiment->measure, false, err));
    claim *c = &l->claim[i];
    c->look_at = now + poll_elsewhere;
    if (s.status == IG_RUN_RUNNING)
        return IG_ERR_OK;
    l->changed = true;
    c->state = s.status == IG_RUN_DONE ? DONE : s.status == IG_RUN_FAILED ? FAILED : PENDING;
    if (c->state == DONE)
        say(l, IG_LAB_ELSEWHERE, i, 0, "");
    else if (c->state == FAILED)
        say(l, IG_LAB_FAILED, i, 0, s.message);
    return IG_ERR_OK;
}

static int run_of_address(const lab *l, const char *address)
{
    for (int i = 0; i < l->list.n; i++)
        if (strcmp(l->list.item[i].address, address) == 0)
            return i;
    return -1;
}

/* Returns whether the run that this one starts from is done. Where it never will be, this one
 * fails, too; it is pending again when the command is given again. */
static bool parent_is_done(lab *l, int i)
{
    const char *parent = l->list.item[i].parent;
    if (parent[0] == '\0')
        return true;
    const int k = run_of_address(l, parent);
    char dir[IG_PATH];
    if (k >= 0 && l->claim[k].state != FAILED)
        return l->claim[k].state == DONE;
    if (k < 0 && ig_folder_path(dir, l->options->store, NULL, "runs/%s", parent) == IG_ERR_OK &&
        ig_folder_has(dir, "DONE"))
        return true;
    l->claim[i].state = FAILED;
    l->changed = true;
    say(l, IG_LAB_FAILED, i, 0,
        k >= 0 ? "the run that it starts from has failed"
               : "the run that it starts from is not done, expected its cell in --only, too");
    return false;
}

static int next_pending(lab *l, int from)
{
    for (int i = from; i < l->list.n; i++)
        if (l->claim[i].state == PENDING && parent_is_done(l, i))
            return i;
    return -1;
}

static void take_in_hand(lab *l, worker *w, int i)
{
    w->group.job[w->group.n] = (ig_lab_job){.experiment = l->experiment,
                                            .item = &l->list.item[i],
                                            .store = l->options->store,
                                            .cache = l->cache,
                                            .threads = l->threads,
                                            .device = l->options->device,
                                            .save_seconds = l->options->save_every,
                                            .retry = l->options->retry,
                                            .retry_before = l->start_unix};
    w->hand[w->group.n++] = (hand){.item = i};
}

static bool is_bert(const lab *l, int i)
{
    return l->experiment->cell[l->list.item[i].cell].config.trainer == IG_TRAINER_BERT;
}

/* Starts a run, and those of its shape that may be together with it. */
static ig_code start(lab *l, worker *w, int first, ig_err *err)
{
    take_in_hand(l, w, first);
    for (int i = next_pending(l, first + 1); is_bert(l, first) && i >= 0;
         i = next_pending(l, i + 1))
        if (w->group.n < l->together && l->costs.shape[i] == l->costs.shape[first])
            take_in_hand(l, w, i);
    const ig_code code =
        ig_lab_process_start(&w->process, w->group.n, ig_lab_children, &w->group, err);
    for (int k = 0; k < w->group.n && code == IG_ERR_OK; k++)
        l->claim[w->hand[k].item].state = RUNNING;
    if (code != IG_ERR_OK)
        w->group.n = 0;
    l->changed = true;
    return code;
}

/* Why μ cannot be computed, said for a cell's first seed, is known before the first update. */
static void warn_no_mu(const lab *l, hand *h, const ig_lab_slot *s)
{
    const ig_lab_item *it = &l->list.item[h->item];
    if (h->warned || atomic_load(&s->n_step) == 0)
        return;
    h->warned = true;
    if (s->cost.no_mu[0] != '\0' && it->seed == l->experiment->cell[it->cell].seed[0])
        say(l, IG_LAB_NO_MU, h->item, 0, s->cost.no_mu);
}

/* Only the process that has the lock has started. */
static void announce(const lab *l, hand *h, const ig_lab_slot *s)
{
    warn_no_mu(l, h, s);
    const int claimed = h->announced ? 0 : atomic_load(&s->claimed);
    if (claimed == 0)
        return;
    h->announced = true;
    say(l, claimed == 2 ? IG_LAB_RESUMED : IG_LAB_BEGUN, h->item, 0, "");
}

/* A failure that the run's own process could not write down. */
static void write_failure(const lab *l, int i, const ig_err *why)
{
    int lock;
    bool busy;
    if (ig_run_dir_try_lock(&lock, &busy, l->list.item[i].dir, NULL) != IG_ERR_OK || busy)
        return;
    (void)ig_lab_write_failure(l->list.item[i].dir, why, 0, "", NULL);
    ig_run_dir_unlock(lock);
}

/* Signals that somebody sends; the others are mistakes of the program. */
static bool from_outside(int signal_number)
{
    return signal_number == SIGKILL || signal_number == SIGTERM || signal_number == SIGINT ||
           signal_number == SIGHUP || signal_number == SIGQUIT;
}

static void was_killed(lab *l, int i, int signal_number, const ig_err *why, double seconds)
{
    claim *c = &l->claim[i];
    char message[700];
    ig_lab_message(message, sizeof message, why->where, why->line, why->msg);
    if (l->stopping) {
        c->state = PENDING;
        say(l, IG_LAB_STOPPED, i, seconds, "");
    } else if (from_outside(signal_number) && ++c->n_kill < KILLS_MAX) {
        c->state = PENDING;
        say(l, IG_LAB_KILLED, i, seconds, message);
    } else {
        c->state = FAILED;
        write_failure(l, i, why);
        say(l, IG_LAB_FAILED, i, seconds, message);
    }
}

static void stop_all(lab *l)
{
    l->stopping = true;
    for (int k = 0; k < l->n_worker; k++)
        if (l->worker[k].group.n > 0)
            ig_lab_process_signal(&l->worker[k].process, SIGTERM);
}

/* A run of a process that has ended. */
static void settle(lab *l, int i, const ig_lab_slot *s, int signal_number, double seconds)
{
    claim *c = &l->claim[i];
    char message[700];
    ig_lab_message(message, sizeof message, s->err.where, s->err.line, s->err.msg);
    if (!s->ended)
        was_killed(l, i, signal_number, &s->err, seconds);
    else
        switch ((ig_lab_outcome)s->outcome) {
        case IG_LAB_OUT_DONE:
            c->state = DONE;
            if (atomic_load(&s->first_step) == 0 || l->costs.trained[i])
                ig_costs_finished(&l->costs, i, seconds);
            ig_knn_warning(message, sizeof message, l->list.item[i].dir);
            say(l, IG_LAB_DONE, i, seconds, message);
            break;
        case IG_LAB_OUT_FAILED:
            c->state = FAILED;
            say(l, IG_LAB_FAILED, i, seconds, message);
            break;
        case IG_LAB_OUT_NO_ROOM:
            c->state = PENDING;
            if (l->no_room.code == IG_ERR_OK)
                l->no_room = s->err;
            say(l, IG_LAB_STOPPED, i, seconds, message);
            break;
        case IG_LAB_OUT_STOPPED:
            was_killed(l, i, SIGTERM, &s->err, seconds);
            break;
        case IG_LAB_OUT_BUSY:
            c->state = ELSEWHERE;
            c->look_at = ig_clock() + poll_elsewhere;
            break;
        case IG_LAB_OUT_WAS_DONE:
            c->state = DONE;
            say(l, IG_LAB_ELSEWHERE, i, 0, "");
            break;
        case IG_LAB_OUT_WAS_FAILED:
            c->state = FAILED;
            say(l, IG_LAB_FAILED, i, 0, "another process tried it");
            break;
        }
}

static void has_ended(lab *l, worker *w, int signal_number)
{
    const double seconds = ig_clock() - w->process.start;
    for (int k = 0; k < w->group.n; k++)
        settle(l, w->hand[k].item, &w->process.slot[k], signal_number, seconds);
    ig_lab_process_close(&w->process);
    w->group.n = 0;
    l->changed = true;
    /* The next ones would find no room either. */
    if (l->no_room.code != IG_ERR_OK && !l->stopping)
        stop_all(l);
}

/* Returns what a running one takes from now on, and whether its updates say so. */
static double left_of(lab *l, const hand *h, const ig_lab_slot *s, double elapsed, bool *sure)
{
    const double left = ig_costs_running(&l->costs, h->item, s, elapsed, &l->experiment->measure);
    if (atomic_load(&s->train_seconds) < 1)
        *sure = false;
    return isnan(left) ? fmax(0, ig_costs_whole(&l->costs, h->item) - elapsed) : left;
}

/* Returns the seconds until all is done, and whether every running one could be included. */
static double time_left(lab *l, bool *sure)
{
    double sum = 0, longest = 0;
    int hands = 0;
    const double now = ig_clock();
    ig_costs_clear(&l->costs);
    *sure = true;
    for (int k = 0; k < l->n_worker; k++) {
        const worker *w = &l->worker[k];
        for (int i = 0; i < w->group.n; i++) {
            const double left =
                left_of(l, &w->hand[i], &w->process.slot[i], now - w->process.start, sure);
            hands++;
            sum += left;
            longest = left > longest ? left : longest;
        }
    }
    for (int i = 0; i < l->list.n; i++) {
        if (l->claim[i].state == PENDING)
            sum += ig_costs_whole(&l->costs, i);
        if (l->claim[i].state == ELSEWHERE) {
            sum += ig_costs_whole(&l->costs, i) / 2;
            hands++;
        }
    }
    if (hands < l->n_worker * l->together)
        hands = l->n_worker * l->together;
    const double left = sum / (hands > 0 ? hands : 1);
    return isnan(left) ? (double)NAN : left > longest ? left : longest;
}

static void show(ig_lab_progress *p, const lab *l, const ig_lab_item *it, const ig_lab_slot *s)
{
    const int k = p->n_running++;
    p->running[k].cell = l->experiment->cell[it->cell].name;
    p->running[k].seed = it->seed;
    p->running[k].step = atomic_load(&s->step);
    p->running[k].n_step = atomic_load(&s->n_step);
    p->running[k].loss = atomic_load(&s->loss);
    p->running[k].tokens_per_second = atomic_load(&s->tokens_per_second);
}

static void report_progress(lab *l)
{
    const double now = ig_clock();
    bool sure;
    if (!l->changed && now - l->reported < progress_every)
        return;
    const double left = time_left(l, &sure);
    if (isnan(l->result->estimated) && sure && !isnan(left) && count(l, RUNNING) > 0) {
        l->result->estimated_after = now - l->start;
        l->result->estimated = l->result->estimated_after + left;
    }
    if (l->options->progress != NULL) {
        ig_lab_progress p = {.n_run = l->list.n,
                             .n_done = count(l, DONE),
                             .n_failed = count(l, FAILED),
                             .n_elsewhere = count(l, ELSEWHERE),
                             .seconds = now - l->start,
                             .left = left};
        const int room = (int)(sizeof p.running / sizeof *p.running);
        for (int k = 0; k < l->n_worker; k++) {
            const worker *w = &l->worker[k];
            for (int i = 0; i < w->group.n && p.n_running < room; i++)
                show(&p, l, &l->list.item[w->hand[i].item], &w->process.slot[i]);
        }
        l->options->progress(l->options->arg, &p);
    }
    l->reported = now;
    l->changed = false;
}

static void check_stop(lab *l)
{
    const ig_lab_options *o = l->options;
    if (l->stopping)
        return;
    if ((o->stop == NULL || *o->stop == 0) &&
        (o->max_time <= 0 || ig_clock() - l->start < o->max_time))
        return;
    stop_all(l);
}

/* Fills idle workers. */
static ig_code begin_what_can_be(lab *l, ig_err *err)
{
    const double now = ig_clock();
    bool room = false;
    for (int k = 0; k < l->n_worker; k++)
        room |= l->worker[k].group.n == 0;
    for (int i = 0; room && i < l->list.n; i++)
        if (l->claim[i].state == ELSEWHERE && now >= l->claim[i].look_at)
            IG_TRY(look_elsewhere(l, i, now, err));
    for (int k = 0; k < l->n_worker; k++) {
        const int i = l->worker[k].group.n == 0 ? next_pending(l, 0) : -1;
        if (i >= 0)
            IG_TRY(start(l, &l->worker[k], i, err));
    }
    return IG_ERR_OK;
}

static ig_code loop(lab *l, ig_err *err)
{
    const struct timespec pause = {0, (long)(poll_children * 1e9)};
    for (;;) {
        check_stop(l);
        for (int k = 0; k < l->n_worker; k++) {
            worker *w = &l->worker[k];
            int killed;
            if (w->group.n == 0)
                continue;
            const bool ended = ig_lab_process_ended(&w->process, false, &killed);
            for (int i = 0; i < w->group.n; i++)
                announce(l, &w->hand[i], &w->process.slot[i]);
            if (ended)
                has_ended(l, w, killed);
        }
        if (!l->stopping)
            IG_TRY(begin_what_can_be(l, err));
        report_progress(l);
        const int running = count(l, RUNNING);
        if (running == 0 &&
            (l->stopping || l->options->worker || count(l, ELSEWHERE) + count(l, PENDING) == 0))
            return IG_ERR_OK;
        nanosleep(&pause, NULL);
    }
}

/* On a GPU there is one, since processes on it would take turns. */
static ig_code make_workers(lab *l, ig_err *err)
{
    const bool gpu = ig_lab_on_gpu(l->options);
    int jobs = l->options->jobs;
    l->threads = l->options->threads;
    ig_lab_jobs(&jobs, &l->threads,
                &(ig_lab_asked){.ranks = ig_lab_ranks(l->experiment),
                                .n_missing = count(l, PENDING) + count(l, ELSEWHERE),
                                .gpu = gpu});
    l->together = gpu ? jobs : 1;
    l->n_worker = gpu ? 1 : jobs;
    IG_TRY(ig_alloc(&l->worker, l->n_worker, sizeof *l->worker, "jobs", err));
    for (int k = 0; k < l->n_worker; k++) {
        worker *w = &l->worker[k];
        IG_TRY(ig_alloc(&w->group.job, l->together, sizeof *w->group.job, "jobs", err));
        IG_TRY(ig_alloc(&w->hand, l->together, sizeof *w->hand, "jobs", err));
    }
    return IG_ERR_OK;
}

static ig_code prepare(lab *l, ig_err *err)
{
    IG_TRY(ig_hash_cache_new(&l->cache, err));
    IG_TRY(ig_lab_list_make(&l->list, l->experiment,
                            &(ig_lab_listed){l->options->store, l->options->selector,
                                             IG_LAB_WORK_ORDER, ig_lab_on_gpu(l->options)},
                            l->cache, err));
    IG_TRY(ig_alloc(&l->claim, l->list.n, sizeof *l->claim, "runs", err));
    IG_OWNED bool *trained = NULL;
    IG_TRY(ig_alloc(&trained, l->list.n, sizeof *trained, "runs", err));
    IG_TRY(look_at_all(l, trained, err));
    IG_TRY(ig_costs_new(&l->costs, &l->list, l->experiment, trained, err));
    return make_workers(l, err);
}

static double seconds_since_1970(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A store that cannot store results is reported before hours of work, not after them; where there
 * is nothing to do it need not. */
static ig_code check_store(lab *l, ig_err *err)
{
    ig_store *s;
    if (l->options->worker)
        return IG_ERR_OK;
    IG_TRY(ig_store_open(&s, l->options->store, true, err));
    l->read_only = !ig_store_writable(s);
    ig_store_close(s);
    return !l->read_only || count(l, PENDING) + count(l, ELSEWHERE) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, l->options->store, 0,
                         "the store may be read here, not written");
}

static ig_code collect(const lab *l, ig_err *err)
{
    ig_store *s;
    IG_TRY(ig_store_open(&s, l->options->store, true, err));
    ig_code code = ig_lab_collect(s, l->experiment, l->options->store, false, err);
    ig_store_close(s);
    return code;
}

ig_code ig_lab_run(ig_lab_result *r, const ig_experiment *e, const ig_lab_options *o, ig_err *err)
{
    *r = (ig_lab_result){.estimated = (double)NAN, .estimated_after = (double)NAN};
    lab l = {.experiment = e,
             .options = o,
             .result = r,
             .start = ig_clock(),
             .start_unix = seconds_since_1970()};
    ig_code code = ig_dir_make(o->store, err);
    IG_THEN(code, prepare(&l, err));
    IG_THEN(code, check_store(&l, err));
    IG_THEN(code, loop(&l, err));
    for (int k = 0; k < l.n_worker && l.worker != NULL; k++) {
        if (l.worker[k].group.n > 0)
            ig_lab_process_close(&l.worker[k].process);
        IG_FREE(l.worker[k].group.job, l.worker[k].hand);
    }
    if (l.claim != NULL) {
        r->n_done = count(&l, DONE);
        r->n_failed = count(&l, FAILED);
    }
    r->n_run = l.list.n;
    r->n_missing = r->n_run - r->n_done - r->n_failed;
    r->n_skipped = l.list.n_skipped;
    r->stopped = l.stopping && r->n_missing > 0;
    ig_err why = {0};
    if (code == IG_ERR_OK && !o->worker && !l.read_only)
        why.code = collect(&l, &why);
    /* A run that failed for lack of space is reported first; the results of others may not fit
     * either. */
    if (code == IG_ERR_OK && (l.no_room.code != IG_ERR_OK || why.code != IG_ERR_OK)) {
        const ig_err *first = l.no_room.code != IG_ERR_OK ? &l.no_room : &why;
        code = first->code;
        if (err != NULL)
            *err = *first;
        if (ig_is_no_space(first))
            ig_hint(err, "%d of %d runs are done; with room again, the same command resumes",
                    r->n_done, r->n_run);
    }
    r->seconds = ig_clock() - l.start;
    if (code == IG_ERR_OK && r->stopped)
        code = ig_fail(err, IG_ERR_STOPPED, o->store, 0,
                       "stopped with %d of %d runs done; those that ran are saved", r->n_done,
                       r->n_run);
    ig_costs_free(&l.costs);
    IG_FREE(l.worker, l.claim);
    ig_lab_list_free(&l.list);
    ig_hash_cache_free(l.cache);
    return code;
}
