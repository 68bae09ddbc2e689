/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs kernels on the host (emulated.h). As a shared library it is a module like that for CUDA.
 */
#include "emulated.h"

#include "model/device/cuda/kernels.inc"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local ig_cuda_index threadIdx, blockIdx, blockDim, gridDim;

typedef void kernel_fn(const char *args, int64_t table);
static kernel_fn *const kernel[IG_CUDA_N_KERNEL] = {
#define EMULATED_KERNEL(name, threads) [IG_CUDA_##name] = ig_kernel_##name,
    IG_CUDA_KERNELS(EMULATED_KERNEL)
#undef EMULATED_KERNEL
        [IG_CUDA_large_product] = ig_kernel_product};

#define CARD ((int64_t)1 << 30) /* bytes */
static int64_t used, most;      /* under the lock of the queues */
static int n_thread = 1;
static pthread_barrier_t barrier;
static const char *failure;
static void (*guard_open)(void), (*guard_close)(void);
static void *(*memory_alloc)(int64_t);
static void (*memory_free)(void *);

void ig_emulated_sync(void)
{
    if (blockDim.x > 1)
        pthread_barrier_wait(&barrier);
}

/* What one thread does of all blocks of a launch. */
typedef struct {
    const ig_cuda_launch *launch;
    const char *args;
    int thread, threads;
} task;

static void *run_thread(void *arg)
{
    const task *t = arg;
    const ig_cuda_launch *l = t->launch;
    threadIdx = (ig_cuda_index){t->thread, 0};
    blockDim = (ig_cuda_index){t->threads, 1};
    gridDim = (ig_cuda_index){l->n_block, l->n_replica};
    for (int y = 0; y < l->n_replica; y++)
        for (int x = 0; x < l->n_block; x++) {
            blockIdx = (ig_cuda_index){x, y};
            kernel[l->kernel](t->args, l->table);
            ig_emulated_sync();
        }
    return NULL;
}

static void run_launch(const ig_cuda_launch *l, const char *args)
{
    task t[IG_MOST_THREADS];
    pthread_t id[IG_MOST_THREADS];
    for (int i = 0; i < n_thread; i++)
        t[i] = (task){l, args, i, n_thread};
    if (n_thread == 1) {
        run_thread(&t[0]);
        return;
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)n_thread);
    for (int i = 0; i < n_thread; i++)
        if (pthread_create(&id[i], NULL, run_thread, &t[i]) != 0)
            abort();
    for (int i = 0; i < n_thread; i++)
        pthread_join(id[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void begin(void)
{
    if (guard_open != NULL)
        guard_open();
}

static void end(void)
{
    if (guard_close != NULL)
        guard_close();
}

static void run(const void *args, int64_t bytes, const ig_cuda_launch *launch, int64_t n)
{
    char *copy = malloc((size_t)bytes); /* a kernel that reads beyond it is seen */
    if (failure != NULL || copy == NULL) {
        free(copy);
        return;
    }
    memcpy(copy, args, (size_t)bytes);
    begin();
    for (int64_t i = 0; i < n; i++)
        run_launch(&launch[i], copy);
    end();
    free(copy);
}

static int64_t memory(int64_t *total)
{
    *total = CARD;
    return CARD - used;
}

/* Before each block of the heap stands its size. */
static void *alloc(int64_t bytes)
{
    if (memory_alloc != NULL)
        return memory_alloc(bytes);
    char *p = bytes > CARD - used ? NULL : aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64);
    if (p == NULL)
        return NULL;
    used += bytes;
    most = used > most ? used : most;
    memcpy(p, &bytes, sizeof bytes);
    return p + 64;
}

static void release(void *block)
{
    if (memory_free != NULL) {
        memory_free(block);
        return;
    }
    int64_t bytes;
    char *p = (char *)block - 64;
    memcpy(&bytes, p, sizeof bytes);
    used -= bytes;
    free(p);
}

int64_t emulated_most(void)
{
    const int64_t m = most;
    most = used;
    return m;
}

static void clear(void *block, int64_t bytes)
{
    begin();
    memset(block, 0, (size_t)bytes);
    end();
}

static void copy_bytes(void *to, const void *from, int64_t bytes)
{
    begin();
    memcpy(to, from, (size_t)bytes);
    end();
}

static const char *first_failure(void)
{
    return failure;
}

static const ig_cuda_driver driver = {.name = "emulated card",
                                      .runtime = "on the host",
                                      .memory = memory,
                                      .alloc = alloc,
                                      .free = release,
                                      .clear = clear,
                                      .upload = copy_bytes,
                                      .download = copy_bytes,
                                      .run = run,
                                      .failure = first_failure};

const ig_cuda_driver *emulated_driver(int threads)
{
    n_thread = threads;
    return &driver;
}

void emulated_fail(const char *why)
{
    failure = why;
}

void emulated_guard(void (*open)(void), void (*close)(void))
{
    guard_open = open;
    guard_close = close;
}

void emulated_memory(void *(*alloc_fn)(int64_t), void (*free_fn)(void *))
{
    memory_alloc = alloc_fn;
    memory_free = free_fn;
}

/* As in module.cu. */
extern const int64_t ig_cuda_layout;
const int64_t ig_cuda_layout = IG_CUDA_LAYOUT;
const ig_cuda_driver *ig_cuda_open(int card, const char **why);
const ig_cuda_driver *ig_cuda_open(int card, const char **why)
{
    *why = "this machine has one card, number 0";
    return card == 0 ? emulated_driver(1) : NULL;
}
