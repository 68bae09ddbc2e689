/* SPDX-License-Identifier: Apache-2.0
 *
 * The language that kernels are written in: what CUDA and C have in common, so that the same text
 * runs on a GPU and, thread by thread, on the host. Kernels are right for any number of threads in
 * a block: loops go by strides of it, and sums over threads by the functions below.
 */
#pragma once

#include "model/device/cuda/driver.h"
#include "tensor/dropout.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __CUDACC__
#define IG_KERNEL(name) extern "C" __global__ void ig_kernel_##name(const char *args, int64_t table)
#define IG_DEVICE static __device__ inline
#define IG_UNROLL _Pragma("unroll")
#else
typedef struct {
    int x, y;
} ig_cuda_index;
extern _Thread_local ig_cuda_index threadIdx, blockIdx, blockDim, gridDim;
void ig_emulated_sync(void); /* waits until all threads of the block have come here */
#define IG_KERNEL(name)                                                                            \
    void ig_kernel_##name(const char *args, int64_t table);                                        \
    void ig_kernel_##name(const char *args, int64_t table)
#define IG_DEVICE static inline
#define IG_UNROLL
#define __shared__ static
#define __syncthreads ig_emulated_sync
#endif

enum { IG_MOST_THREADS = 256 };

/* The arguments of this block's replica. */
#define IG_ARGS(type)                                                                              \
    const type *a =                                                                                \
        (const type *)(const void *)(args +                                                        \
                                     ((const int64_t *)(const void *)(args + table))[blockIdx.y])
/* The block's i of n, by threads; and i of n by the threads of all blocks. */
#define IG_EACH(i, n) for (int64_t i = ig_thread(); i < (n); i += ig_threads())
#define IG_EACH_OF_ALL(i, n)                                                                       \
    for (int64_t i = (int64_t)blockIdx.x * ig_threads() + ig_thread(); i < (n);                    \
         i += (int64_t)gridDim.x * ig_threads())

IG_DEVICE int ig_thread(void)
{
    return (int)threadIdx.x;
}

IG_DEVICE int ig_threads(void)
{
    return (int)blockDim.x;
}

IG_DEVICE int64_t ig_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

IG_DEVICE int64_t ig_parts(int64_t n, int64_t each)
{
    return (n + each - 1) / each;
}

/* The sum of all threads' x, for each of them, in an order that their number decides. */
IG_DEVICE double ig_block_sum(double x)
{
    __shared__ double room[IG_MOST_THREADS];
    const int t = ig_thread();
    __syncthreads(); /* the last sum has been read */
    room[t] = x;
    __syncthreads();
    for (int n = ig_threads(); n > 1; n = (n + 1) / 2) {
        const int half = (n + 1) / 2;
        if (t + half < n)
            room[t] += room[t + half];
        __syncthreads();
    }
    return room[0];
}

/* The largest x; and of equal ones that of the lowest `at`, which *at becomes. */
IG_DEVICE float ig_block_most(float x, int *at)
{
    __shared__ float value[IG_MOST_THREADS];
    __shared__ int place[IG_MOST_THREADS];
    const int t = ig_thread();
    __syncthreads();
    value[t] = x;
    place[t] = *at;
    __syncthreads();
    for (int n = ig_threads(); n > 1; n = (n + 1) / 2) {
        const int half = (n + 1) / 2;
        if (t + half < n && (value[t + half] > value[t] ||
                             (value[t + half] == value[t] && place[t + half] < place[t]))) {
            value[t] = value[t + half];
            place[t] = place[t + half];
        }
        __syncthreads();
    }
    *at = place[0];
    return value[0];
}

/* As ig_philox (base/rng.h). */
IG_DEVICE void ig_draw(ig_rng_key key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                       uint32_t out[4])
{
    uint32_t k0 = key.k[0], k1 = key.k[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Bit i: column 8 · group + i of a row is kept. */
IG_DEVICE uint32_t ig_kept8(const ig_dropout *d, uint32_t row, uint32_t group)
{
    const uint32_t threshold = ig_dropout_threshold(d);
    uint32_t out[4], bits = 0;
    if (threshold == 0)
        return 0xff;
    ig_draw(d->key, group, row, d->site, d->step, out);
    for (int i = 0; i < 8; i++)
        bits |= (uint32_t)((out[i / 2] >> (i % 2 * 16) & 0xffffu) >= threshold) << i;
    return bits;
}

/* Returns whether column c of a call's row r is kept: by the bits of the forward pass, or drawn. */
IG_DEVICE bool ig_kept_at(const ig_dropout *d, const uint16_t *kept, int64_t words, int64_t r,
                          int64_t c)
{
    if (kept != NULL)
        return kept[r * words + c / 16] >> c % 16 & 1;
    return ig_kept8(d, ig_dropout_row(d, r), (uint32_t)(c / 8)) >> c % 8 & 1;
}

/* act(z) and its derivative: GELU (Hendrycks & Gimpel, arXiv:1606.08415), its approximation by
 * tanh, SiLU. */
IG_DEVICE float ig_activate(ig_activation act, float z, float *slope)
{
    if (act == IG_ACT_GELU) {
        const float cdf = 0.5f * erfcf(-z * 0.70710678f);
        *slope = cdf + z * 0.39894228f * expf(-0.5f * z * z);
        return z * cdf;
    }
    const bool silu = act == IG_ACT_SILU;
    const float w = silu ? z : 1.5957691216f * (z + 0.044715f * z * z * z);
    const float e = expf(-fabsf(w)), high = 1 / (1 + e), low = e / (1 + e);
    const float s = w > 0 ? high : low; /* and 1 − s without cancellation */
    *slope = s + z * high * low * (silu ? 1 : 1.5957691216f * (1 + 3 * 0.044715f * z * z));
    return z * s;
}
