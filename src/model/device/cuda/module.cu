/* SPDX-License-Identifier: Apache-2.0
 *
 * Drives a card by CUDA: the module that device_cuda.c loads. Runs go into one stream; arguments
 * travel in a ring of pinned buffers, so that the host prepares the next run while this one works.
 * Large products are cuBLASLt's (large_product.inc), where its library is on the machine.
 */
#include "model/device/cuda/kernels.inc"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { RING = 8 };

typedef struct {
    char *device, *pinned;
    int64_t have;
    cudaEvent_t done;
} slot;

static cudaStream_t stream;
static slot ring[RING];
static int next_slot, card;
static char first_failure[256]; /* "": none */

static bool ok(cudaError_t code, const char *what)
{
    if (code != cudaSuccess && first_failure[0] == '\0')
        snprintf(first_failure, sizeof first_failure, "%s: %s", what, cudaGetErrorString(code));
    return code == cudaSuccess;
}

#if __has_include(<cublasLt.h>)
#include "model/device/cuda/large_product.inc"
#else /* the kernel does all of them */
static bool large_open(void)
{
    return false;
}
static bool large_products(const char *args, const ig_cuda_launch *l, cudaStream_t of)
{
    (void)args, (void)l, (void)of;
    return false;
}
#endif

static const char *failure(void)
{
    ok(cudaGetLastError(), "a kernel");
    return first_failure[0] == '\0' ? NULL : first_failure;
}

static int64_t memory(int64_t *total)
{
    size_t left = 0, whole = 0;
    cudaSetDevice(card);
    ok(cudaMemGetInfo(&left, &whole), "memory");
    *total = (int64_t)whole;
    return (int64_t)left;
}

static void *alloc_block(int64_t bytes)
{
    void *p = NULL;
    cudaSetDevice(card);
    if (cudaMalloc(&p, (size_t)bytes) != cudaSuccess) {
        cudaGetLastError(); /* the caller reports that there is too little memory */
        return NULL;
    }
    return p;
}

static void free_block(void *block)
{
    cudaSetDevice(card);
    ok(cudaStreamSynchronize(stream), "a run");
    ok(cudaFree(block), "memory");
}

static void clear_block(void *block, int64_t bytes)
{
    cudaSetDevice(card);
    ok(cudaMemsetAsync(block, 0, (size_t)bytes, stream), "memory");
}

static void copy_bytes(void *to, const void *from, int64_t bytes, cudaMemcpyKind way)
{
    cudaSetDevice(card);
    ok(cudaMemcpyAsync(to, from, (size_t)bytes, way, stream), "a copy");
    ok(cudaStreamSynchronize(stream), "a run");
}

static void upload_bytes(void *to, const void *from, int64_t bytes)
{
    copy_bytes(to, from, bytes, cudaMemcpyHostToDevice);
}

static void download_bytes(void *to, const void *from, int64_t bytes)
{
    copy_bytes(to, from, bytes, cudaMemcpyDeviceToHost);
}

/* A slot whose last run is over, with room for that many bytes; NULL: there is no memory. */
static slot *take_slot(int64_t bytes)
{
    slot *s = &ring[next_slot];
    next_slot = (next_slot + 1) % RING;
    ok(cudaEventSynchronize(s->done), "a run");
    if (s->have >= bytes)
        return s;
    cudaFree(s->device);
    cudaFreeHost(s->pinned);
    s->device = s->pinned = NULL;
    s->have = 0;
    if (!ok(cudaMalloc((void **)&s->device, (size_t)(2 * bytes)), "arguments") ||
        !ok(cudaMallocHost((void **)&s->pinned, (size_t)(2 * bytes)), "arguments"))
        return NULL;
    s->have = 2 * bytes;
    return s;
}

static const void *const kernel[IG_CUDA_N_KERNEL] = {
#define MODULE_KERNEL(name, threads) (const void *)ig_kernel_##name,
    IG_CUDA_KERNELS(MODULE_KERNEL)
#undef MODULE_KERNEL
        (const void *)ig_kernel_product};

static void run(const void *args, int64_t bytes, const ig_cuda_launch *launch, int64_t n)
{
    cudaSetDevice(card);
    slot *s = take_slot(bytes);
    if (s == NULL || first_failure[0] != '\0')
        return;
    memcpy(s->pinned, args, (size_t)bytes);
    ok(cudaMemcpyAsync(s->device, s->pinned, (size_t)bytes, cudaMemcpyHostToDevice, stream),
       "arguments");
    for (int64_t i = 0; i < n; i++) {
        const ig_cuda_launch *l = &launch[i];
        const char *base = s->device;
        int64_t table = l->table;
        void *values[] = {(void *)&base, (void *)&table};
        const dim3 blocks((unsigned)l->n_block, (unsigned)l->n_replica);
        if (l->kernel == IG_CUDA_large_product && large_products((const char *)args, l, stream))
            continue;
        ok(cudaLaunchKernel(kernel[l->kernel], blocks, dim3((unsigned)l->n_thread), values, 0,
                            stream),
           "a launch");
    }
    ok(cudaEventRecord(s->done, stream), "a run");
}

static ig_cuda_driver driver;

extern "C" {
extern const int64_t ig_cuda_layout;
const int64_t ig_cuda_layout = IG_CUDA_LAYOUT;
const ig_cuda_driver *ig_cuda_open(int wanted, const char **why);
}

extern "C" const ig_cuda_driver *ig_cuda_open(int wanted, const char **why)
{
    int n_card = 0, version = 0;
    cudaDeviceProp p;
    first_failure[0] = '\0';
    *why = first_failure;
    card = wanted;
    if (!ok(cudaGetDeviceCount(&n_card), "CUDA"))
        return NULL;
    if (card >= n_card) {
        snprintf(first_failure, sizeof first_failure, "found %d cards", n_card);
        return NULL;
    }
    if (!ok(cudaSetDevice(card), "CUDA") || !ok(cudaGetDeviceProperties(&p, card), "CUDA") ||
        !ok(cudaRuntimeGetVersion(&version), "CUDA") ||
        !ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "CUDA"))
        return NULL;
    for (int i = 0; i < RING; i++)
        if (!ok(cudaEventCreateWithFlags(&ring[i].done, cudaEventDisableTiming), "CUDA"))
            return NULL;
    snprintf(driver.name, sizeof driver.name, "%.127s", p.name);
    snprintf(driver.runtime, sizeof driver.runtime, "CUDA %d.%d%s", version / 1000,
             version % 1000 / 10, large_open() ? " with cuBLASLt" : "");
    driver.memory = memory;
    driver.alloc = alloc_block;
    driver.free = free_block;
    driver.clear = clear_block;
    driver.upload = upload_bytes;
    driver.download = download_bytes;
    driver.run = run;
    driver.failure = failure;
    return &driver;
}
