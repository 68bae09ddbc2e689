/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of kernels, and how those of replicas run together: as long as all of them come to the
 * same kernel next, it is launched for all at once; where they differ, for those that agree with
 * the first. A replica that keeps others waiting for 50 ms is not waited for until it is back.
 */
#include "model/device/cuda/queue.h"

#include "base/assert.h"
#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum {
    most_replicas = 256,
    run_after = 64,          /* kernels that wait in the queue of a thread that is no replica */
    small_upload = 1 << 16,  /* bytes that go with the arguments */
    most_waiting = 16 << 20, /* bytes of arguments */
    patience = 50 * 1000000, /* ns */
    argument_unit = 16       /* bytes: how arguments are aligned */
};

typedef struct {
    int kernel, n_thread;
    int32_t n_block;
    int64_t at; /* its arguments in `bytes` */
} waiting;

typedef struct {
    waiting *op;
    char *bytes;
    int64_t n_op, have_op, n_byte, have_byte;
    float *room;
    int64_t n_room;
    bool waits, late;
    int64_t next, base; /* while it runs: the next op, and where its bytes are among all */
} queue;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ran;
    const ig_cuda_driver *driver;
    queue common; /* of threads that are no replicas */
    queue *replica[most_replicas];
    int n_replica, n_waiting, n_late;
    int64_t free, reserved; /* bytes, when nothing was reserved; reserved by all threads */
    char *args;             /* of everything that runs together */
    ig_cuda_launch *launch;
    int64_t have_args, have_launch;
    bool lost; /* memory was lacking */
    ig_cuda_counts counts;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .ran = PTHREAD_COND_INITIALIZER};

static _Thread_local queue *own;       /* NULL: the common one */
static _Thread_local int64_t reserved; /* bytes, by this thread */

static const int usual_threads[IG_CUDA_N_KERNEL] = {
#define USUAL(name, threads) [IG_CUDA_##name] = threads,
    IG_CUDA_KERNELS(USUAL)
#undef USUAL
        [IG_CUDA_large_product] = 256};

static queue *mine(void)
{
    return own != NULL ? own : &all.common;
}

static int64_t whole(int64_t n)
{
    return (n + argument_unit - 1) / argument_unit * argument_unit;
}

static void free_queue(queue *q)
{
    IG_FREE(q->op, q->bytes);
    if (q->room != NULL)
        all.driver->free(q->room);
    *q = (queue){0};
}

void ig_cuda_use(const ig_cuda_driver *driver)
{
    pthread_mutex_lock(&all.lock);
    IG_ASSERT(all.n_replica == 0);
    free_queue(&all.common);
    IG_FREE(all.args, all.launch);
    all.args = NULL;
    all.launch = NULL;
    all.have_args = all.have_launch = 0;
    all.counts = (ig_cuda_counts){0};
    all.lost = false;
    all.driver = driver;
    pthread_mutex_unlock(&all.lock);
}

const ig_cuda_driver *ig_cuda_in_use(void)
{
    return all.driver;
}

ig_cuda_counts ig_cuda_count(void)
{
    return all.counts;
}

/* The next kernel of the queues, from the first that has one on. Returns how many queues it is for:
 * their arguments' places go into table. */
static int take_next(queue *const *q, int n, ig_cuda_launch *launch, int64_t *table)
{
    int n_taken = 0;
    for (int i = 0; i < n; i++) {
        if (q[i]->next == q[i]->n_op)
            continue;
        const waiting *op = &q[i]->op[q[i]->next];
        if (n_taken == 0)
            *launch = (ig_cuda_launch){.kernel = op->kernel, .n_thread = op->n_thread};
        if (op->kernel != launch->kernel || op->n_thread != launch->n_thread)
            continue;
        launch->n_block = op->n_block > launch->n_block ? op->n_block : launch->n_block;
        table[n_taken++] = q[i]->base + op->at;
        q[i]->next++;
    }
    launch->n_replica = n_taken;
    return n_taken;
}

/* Runs everything in these queues, under the lock. */
static void run(queue *const *q, int n)
{
    int64_t n_op = 0, n_byte = 0, n_launch = 0, n_table = 0;
    for (int i = 0; i < n; i++)
        n_op += q[i]->n_op;
    n_byte = whole(n_op * (int64_t)sizeof(int64_t));
    for (int i = 0; i < n; i++) {
        q[i]->base = n_byte;
        q[i]->next = 0;
        n_byte += q[i]->n_byte;
    }
    ig_code code = ig_grow(&all.args, &all.have_args, n_byte, 1, "arguments of kernels", NULL);
    IG_THEN(code,
            ig_grow(&all.launch, &all.have_launch, n_op, sizeof *all.launch, "launches", NULL));
    all.lost |= code != IG_ERR_OK;
    if (code == IG_ERR_OK && n_op > 0) {
        int64_t *table = (int64_t *)(void *)all.args;
        for (int i = 0; i < n; i++)
            if (q[i]->n_byte > 0)
                memcpy(all.args + q[i]->base, q[i]->bytes, (size_t)q[i]->n_byte);
        while (n_table < n_op) {
            ig_cuda_launch *l = &all.launch[n_launch++];
            const int64_t at = n_table;
            n_table += take_next(q, n, l, table + n_table);
            l->table = at * (int64_t)sizeof *table;
        }
        all.counts.n_launch += n_launch;
        all.counts.n_kernel += n_op;
        all.driver->run(all.args, n_byte, all.launch, n_launch);
    }
    for (int i = 0; i < n; i++)
        q[i]->n_op = q[i]->n_byte = 0;
}

static void run_one(queue *q)
{
    run(&q, 1);
}

/* Runs all replicas that wait. */
static void run_waiting(void)
{
    queue *q[most_replicas] = {NULL};
    int n = 0;
    for (int i = 0; i < all.n_replica; i++)
        if (all.replica[i]->waits)
            q[n++] = all.replica[i];
    run(q, n);
    for (int i = 0; i < n; i++)
        q[i]->waits = false;
    all.n_waiting = 0;
    pthread_cond_broadcast(&all.ran);
}

/* Those that do not wait yet are not waited for until they do. */
static void leave_behind(void)
{
    for (int i = 0; i < all.n_replica; i++)
        all.replica[i]->late |= !all.replica[i]->waits;
    all.n_late = all.n_replica - all.n_waiting;
}

static struct timespec patience_from_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += patience;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* Lets the calling thread's ops run, together with those of other replicas; under the lock. */
static void run_mine(void)
{
    queue *q = mine();
    if (q == &all.common || q->n_op == 0) {
        run_one(q);
        return;
    }
    q->waits = true;
    all.n_late -= q->late;
    q->late = false;
    if (++all.n_waiting == all.n_replica - all.n_late) {
        run_waiting();
        return;
    }
    const struct timespec until = patience_from_now();
    while (q->waits)
        if (pthread_cond_timedwait(&all.ran, &all.lock, &until) == ETIMEDOUT && q->waits) {
            leave_behind();
            run_waiting();
        }
}

void ig_cuda_put(const ig_cuda_op *op)
{
    queue *q = mine();
    if (op->n_block == 0)
        return;
    IG_ASSERT(op->n_block <= INT32_MAX);
    pthread_mutex_lock(&all.lock);
    const int64_t size = whole(op->n_args + op->n_more[0] + op->n_more[1]);
    if (q->n_op >= (own == NULL ? run_after : INT32_MAX) || q->n_byte + size > most_waiting)
        run_one(q);
    ig_code code = ig_grow(&q->op, &q->have_op, q->n_op + 1, sizeof *q->op, "kernels", NULL);
    IG_THEN(code, ig_grow(&q->bytes, &q->have_byte, q->n_byte + size, 1, "arguments", NULL));
    all.lost |= code != IG_ERR_OK;
    if (code == IG_ERR_OK) {
        q->op[q->n_op++] =
            (waiting){op->kernel, op->n_thread > 0 ? op->n_thread : usual_threads[op->kernel],
                      (int32_t)op->n_block, q->n_byte};
        char *to = q->bytes + q->n_byte;
        memcpy(to, op->args, (size_t)op->n_args);
        to += op->n_args;
        for (int i = 0; i < 2; i++) {
            if (op->n_more[i] > 0)
                memcpy(to, op->more[i], (size_t)op->n_more[i]);
            to += op->n_more[i];
        }
        memset(to, 0, (size_t)(q->bytes + q->n_byte + size - to));
        q->n_byte += size;
    }
    pthread_mutex_unlock(&all.lock);
}

float *ig_cuda_room(int64_t n)
{
    queue *q = mine();
    pthread_mutex_lock(&all.lock);
    if (q->n_room < n) {
        run_one(q);
        if (q->room != NULL)
            all.driver->free(q->room);
        q->room = all.driver->alloc((n + n / 4) * (int64_t)sizeof(float));
        q->n_room = q->room != NULL ? n + n / 4 : 0;
        all.lost |= q->room == NULL;
    }
    pthread_mutex_unlock(&all.lock);
    return q->room;
}

void *ig_cuda_alloc(int64_t bytes)
{
    pthread_mutex_lock(&all.lock);
    void *p = all.driver->alloc(bytes);
    if (p != NULL)
        all.driver->clear(p, bytes);
    pthread_mutex_unlock(&all.lock);
    return p;
}

void ig_cuda_free(void *block)
{
    if (block == NULL)
        return;
    pthread_mutex_lock(&all.lock);
    run_one(mine()); /* it may still use the block */
    all.driver->free(block);
    pthread_mutex_unlock(&all.lock);
}

void ig_cuda_upload(void *to, const void *from, int64_t bytes)
{
    if (bytes > 0 && bytes <= small_upload) {
        const ig_cuda_upload_args a = {to, bytes};
        ig_cuda_put(&(ig_cuda_op){.kernel = IG_CUDA_upload,
                                  .n_block = (bytes + 1023) / 1024,
                                  .args = &a,
                                  .n_args = sizeof a,
                                  .more = {from},
                                  .n_more = {bytes}});
        return;
    }
    pthread_mutex_lock(&all.lock);
    if (bytes > 0) {
        run_one(mine());
        all.driver->upload(to, from, bytes);
    }
    pthread_mutex_unlock(&all.lock);
}

void ig_cuda_download(void *to, const void *from, int64_t bytes)
{
    pthread_mutex_lock(&all.lock);
    if (bytes > 0) {
        run_mine();
        all.driver->download(to, from, bytes);
    }
    pthread_mutex_unlock(&all.lock);
}

ig_code ig_cuda_check(ig_err *err)
{
    pthread_mutex_lock(&all.lock);
    const char *why = all.driver->failure(), *name = all.driver->name;
    const bool lost = all.lost;
    pthread_mutex_unlock(&all.lock);
    if (why != NULL)
        return ig_fail(err, IG_ERR_DEVICE, name, 0, "%s", why);
    return lost ? ig_fail(err, IG_ERR_MEMORY, name, 0, "not enough memory") : IG_ERR_OK;
}

/* --- memory that is set aside ----------------------------------------------------------------- */

/* Under the lock. */
static void give_back(void)
{
    all.reserved -= reserved;
    reserved = 0;
    pthread_cond_broadcast(&all.ran);
}

static ig_code too_little(int64_t bytes, ig_err *err)
{
    ig_fail(err, IG_ERR_MEMORY, "device", 0,
            "about %.2f GB of memory are needed on %s, %.2f GB of it are free",
            (double)bytes * 1e-9, all.driver->name, (double)all.free * 1e-9);
    return ig_hint(err, "a smaller batch needs less; several of them make an update: accum");
}

ig_code ig_cuda_reserve(int64_t bytes, const volatile sig_atomic_t *stop, ig_err *err)
{
    ig_code code = IG_ERR_OK;
    pthread_mutex_lock(&all.lock);
    give_back();
    for (bool waits = true; waits && code == IG_ERR_OK;) {
        int64_t total;
        if (all.reserved == 0)
            all.free = all.driver->memory(&total);
        waits = all.reserved > 0 && bytes > all.free - all.reserved && bytes <= all.free;
        const struct timespec until = patience_from_now();
        if (waits)
            pthread_cond_timedwait(&all.ran, &all.lock, &until);
        else if (bytes > all.free)
            code = too_little(bytes, err);
        if (waits && stop != NULL && *stop != 0)
            code =
                ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped while others had the device's memory");
    }
    if (code == IG_ERR_OK) {
        reserved = bytes;
        all.reserved += bytes;
    }
    pthread_mutex_unlock(&all.lock);
    return code;
}

/* --- replicas --------------------------------------------------------------------------------- */

ig_code ig_cuda_join(ig_err *err)
{
    queue *q;
    IG_ASSERT(own == NULL);
    IG_TRY(ig_alloc(&q, 1, sizeof *q, "replica", err));
    pthread_mutex_lock(&all.lock);
    const bool full = all.n_replica == most_replicas;
    if (!full) {
        all.replica[all.n_replica++] = q;
        own = q;
    }
    pthread_mutex_unlock(&all.lock);
    if (!full)
        return IG_ERR_OK;
    ig_free(q);
    return ig_fail(err, IG_ERR_USAGE, "replicas", 0, "expected at most %d", most_replicas);
}

void ig_cuda_leave(void)
{
    queue *q = own;
    if (q == NULL)
        return;
    pthread_mutex_lock(&all.lock);
    run_one(q);
    int i = 0;
    while (all.replica[i] != q)
        i++;
    all.replica[i] = all.replica[--all.n_replica];
    all.n_late -= q->late;
    if (all.n_waiting > 0 && all.n_waiting == all.n_replica - all.n_late)
        run_waiting();
    free_queue(q);
    give_back();
    pthread_mutex_unlock(&all.lock);
    ig_free(q);
    own = NULL;
}
