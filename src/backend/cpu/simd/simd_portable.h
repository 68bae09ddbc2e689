/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors that the kernels of this folder are written in, on any architecture: arithmetic of
 * 128-bit vector types (an attribute that GCC and Clang share) and loops over four lanes. Products
 * are rounded before they are added (no fused multiply-add is assumed). See simd_avx512.h.
 */
#pragma once

#include <math.h>
#include <stdint.h>

enum { W = 4, TILE_MR = 6 };

typedef float vf __attribute__((vector_size(16)));
typedef uint32_t vi __attribute__((vector_size(16)));

#include "backend/cpu/simd/simd_common.inc"

static inline vf vf_set1(float x)
{
    return (vf){x, x, x, x};
}
static inline vf vf_loadn(const float *p, int n)
{
    vf x = {0, 0, 0, 0};
    if (n >= W)
        return vf_load(p);
    for (int i = 0; i < n; i++)
        x[i] = p[i];
    return x;
}
static inline void vf_storen(float *p, vf x, int n)
{
    if (n >= W)
        vf_store(p, x);
    else
        for (int i = 0; i < n; i++)
            p[i] = x[i];
}
static inline vf vf_sqrt(vf a)
{
    return (vf){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}
static inline vf vf_fma(vf a, vf b, vf c)
{
    return a * b + c;
}
static inline vf vf_fnma(vf a, vf b, vf c)
{
    return c - a * b;
}
static inline vf vf_select(vi mask, vf a, vf b)
{
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
}
static inline vf vf_max(vf a, vf b)
{
    return vf_select((vi)(a > b), a, b);
}
static inline vf vf_min(vf a, vf b)
{
    return vf_select((vi)(a < b), a, b);
}
static inline vf vf_abs(vf a)
{
    return (vf)((vi)a & (vi){0x7FFFFFFFu, 0x7FFFFFFFu, 0x7FFFFFFFu, 0x7FFFFFFFu});
}
static inline int vf_any_above(vf a, vf b)
{
    vi above = (vi)(a > b);
    return (above[0] | above[1] | above[2] | above[3]) != 0;
}
/* Good for |a| < 2²². */
static inline vf vf_round(vf a)
{
    const vf big = {0x1.8p23f, 0x1.8p23f, 0x1.8p23f, 0x1.8p23f};
    return (a + big) - big;
}
static inline vf vf_ldexp(vf a, vf n)
{
    const vf big = {0x1.8p23f, 0x1.8p23f, 0x1.8p23f, 0x1.8p23f};
    const vi bias = {127u, 127u, 127u, 127u};
    return a * (vf)(((vi)(n + big) + bias) << 23);
}
static inline vf vf_where_negative(vf x, vf a, vf b)
{
    return vf_select((vi)(x < (vf){0, 0, 0, 0}), a, b);
}
static inline vf vf_firstn(vf x, int n, vf y)
{
    for (int i = n; i < W; i++)
        x[i] = y[i];
    return x;
}
static inline vf vf_reciprocal(vf x)
{
    return (vf){1, 1, 1, 1} / x;
}
/* Neighbours 2i and 2i + 1 change places. */
static inline vf vf_swap(vf a)
{
    return (vf){a[1], a[0], a[3], a[2]};
}
static inline float vf_sum(vf a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}
static inline float vf_top(vf a)
{
    float x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
    return x > y ? x : y;
}
/* All bits set in the lanes that are kept. */
typedef vi vk;
static inline vk vk_draw(const uint16_t *number, vi threshold)
{
    vi n = {number[0], number[1], number[2], number[3]};
    return (vk)(n >= threshold);
}
static inline uint32_t vk_bits(vk k)
{
    return (k[0] & 1u) | (k[1] & 2u) | (k[2] & 4u) | (k[3] & 8u);
}
static inline vk vk_from_bits(uint32_t bits)
{
    const vi lane = {1, 2, 4, 8};
    return (vk)(((vi){bits, bits, bits, bits} & lane) == lane);
}
static inline vf vf_mark(vf a, vk k)
{
    const vi sign = {0x80000000u, 0x80000000u, 0x80000000u, 0x80000000u};
    return (vf)((vi)a | (~k & sign));
}
static inline vk vk_unmarked(vf a)
{
    const vi sign = {0x80000000u, 0x80000000u, 0x80000000u, 0x80000000u};
    return (vk)((vi)a < sign);
}
static inline vf vf_keep(vf a, vk k, vf scale)
{
    return vf_select(k, a * scale, (vf){0, 0, 0, 0});
}

static inline void transpose_rows(float *dst, int64_t ld_dst, const float *src, int64_t ld_src,
                                  int n)
{
    vf r[W];
    for (int i = 0; i < W; i++)
        r[i] = vf_load(src + (i < n ? i : n - 1) * ld_src);
    for (int i = 0; i < W; i++)
        vf_store(dst + i * ld_dst, (vf){r[0][i], r[1][i], r[2][i], r[3][i]});
}
static inline void transpose_4x4(float *dst, int64_t ld_dst, const float *src, int64_t ld_src)
{
    transpose_rows(dst, ld_dst, src, ld_src, W);
}

static inline vi vi_set1(uint32_t x)
{
    return (vi){x, x, x, x};
}
static inline vi vi_add(vi a, vi b)
{
    return a + b;
}
static inline vi vi_xor3(vi a, vi b, vi c)
{
    return a ^ b ^ c;
}
static inline void vi_multiply(vi a, vi m, vi *high, vi *low)
{
    for (int i = 0; i < W; i++) {
        uint64_t p = (uint64_t)a[i] * m[i];
        (*high)[i] = (uint32_t)(p >> 32);
        (*low)[i] = (uint32_t)p;
    }
}
static inline void vi_carry(vi *a, vi end, vi *b, vi step)
{
    vi over = (vi)(*a >= end);
    *a -= over & end;
    *b += over & step;
}
static inline void vi_store_blocks(uint16_t *p, vi w0, vi w1, vi w2, vi w3)
{
    const vi word[4] = {w0, w1, w2, w3};
    for (int i = 0; i < W; i++)
        for (int j = 0; j < 4; j++) {
            p[8 * i + 2 * j] = (uint16_t)word[j][i];
            p[8 * i + 2 * j + 1] = (uint16_t)(word[j][i] >> 16);
        }
}
