/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors that the kernels of this folder are written in, on NEON (Advanced SIMD of AArch64,
 * which every such CPU has); see simd_avx512.h.
 */
#pragma once

#include <arm_neon.h>
#include <stdint.h>

enum {
    W = 4,
    TILE_MR = 12 /* 12 × 2 accumulators of 32 registers */
};
#define TILE_HAS_12_ROWS

typedef float32x4_t vf;
typedef uint32x4_t vi;

#include "backend/cpu/simd/simd_common.inc"

static inline vi first_lanes(int n)
{
    const int32x4_t lane = {0, 1, 2, 3};
    return vcgtq_s32(vdupq_n_s32(n), lane);
}

static inline vf vf_set1(float x)
{
    return vdupq_n_f32(x);
}
static inline vf vf_loadn(const float *p, int n)
{
    if (n >= W)
        return vld1q_f32(p);
    vf x = vdupq_n_f32(0.0f);
    if (n > 0)
        x = vld1q_lane_f32(p, x, 0);
    if (n > 1)
        x = vld1q_lane_f32(p + 1, x, 1);
    if (n > 2)
        x = vld1q_lane_f32(p + 2, x, 2);
    return x;
}
static inline void vf_storen(float *p, vf x, int n)
{
    if (n >= W) {
        vst1q_f32(p, x);
        return;
    }
    if (n > 0)
        vst1q_lane_f32(p, x, 0);
    if (n > 1)
        vst1q_lane_f32(p + 1, x, 1);
    if (n > 2)
        vst1q_lane_f32(p + 2, x, 2);
}
static inline vf vf_sqrt(vf a)
{
    return vsqrtq_f32(a);
}
static inline vf vf_fma(vf a, vf b, vf c)
{
    return vfmaq_f32(c, a, b);
}
static inline vf vf_fnma(vf a, vf b, vf c)
{
    return vfmsq_f32(c, a, b);
}
/* FMAX gives NaN where either is NaN, and so a comparison chooses. */
static inline vf vf_max(vf a, vf b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
static inline vf vf_min(vf a, vf b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
static inline vf vf_abs(vf a)
{
    return vabsq_f32(a);
}
static inline int vf_any_above(vf a, vf b)
{
    return vmaxvq_u32(vcgtq_f32(a, b)) != 0;
}
static inline vf vf_round(vf a)
{
    return vrndnq_f32(a);
}
static inline vf vf_ldexp(vf a, vf n)
{
    int32x4_t e = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32(e, 23)));
}
static inline vf vf_where_negative(vf x, vf a, vf b)
{
    return vbslq_f32(vcltzq_f32(x), a, b);
}
static inline vf vf_firstn(vf x, int n, vf y)
{
    return vbslq_f32(first_lanes(n), x, y);
}
static inline vf vf_reciprocal(vf x)
{
    return vdivq_f32(vdupq_n_f32(1.0f), x);
}
static inline vf vf_swap(vf a)
{
    return vrev64q_f32(a);
}
static inline float vf_sum(vf a)
{
    return vaddv_f32(vadd_f32(vget_low_f32(a), vget_high_f32(a)));
}
static inline float vf_top(vf a)
{
    return vmaxvq_f32(a);
}
/* All bits set in the lanes that are kept. */
typedef vi vk;
static inline vk vk_draw(const uint16_t *number, vi threshold)
{
    return vcgeq_u32(vmovl_u16(vld1_u16(number)), threshold);
}
static inline uint32_t vk_bits(vk k)
{
    const vi lane = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(k, lane));
}
static inline vk vk_from_bits(uint32_t bits)
{
    const vi lane = {1, 2, 4, 8};
    return vtstq_u32(vdupq_n_u32(bits), lane);
}
static inline vf vf_mark(vf a, vk k)
{
    const vi sign = vdupq_n_u32(0x80000000u);
    return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), vbicq_u32(sign, k)));
}
static inline vk vk_unmarked(vf a)
{
    return vcgezq_s32(vreinterpretq_s32_f32(a));
}
static inline vf vf_keep(vf a, vk k, vf scale)
{
    return vreinterpretq_f32_u32(vandq_u32(k, vreinterpretq_u32_f32(vmulq_f32(a, scale))));
}

static inline void transpose_rows(float *dst, int64_t ld_dst, const float *src, int64_t ld_src,
                                  int n)
{
    vf x[W];
    for (int i = 0; i < W; i++)
        x[i] = vld1q_f32(src + (i < n ? i : n - 1) * ld_src);
    const float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(x[0], x[1]));
    const float64x2_t b = vreinterpretq_f64_f32(vtrn2q_f32(x[0], x[1]));
    const float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(x[2], x[3]));
    const float64x2_t d = vreinterpretq_f64_f32(vtrn2q_f32(x[2], x[3]));
    vst1q_f32(dst, vreinterpretq_f32_f64(vtrn1q_f64(a, c)));
    vst1q_f32(dst + ld_dst, vreinterpretq_f32_f64(vtrn1q_f64(b, d)));
    vst1q_f32(dst + 2 * ld_dst, vreinterpretq_f32_f64(vtrn2q_f64(a, c)));
    vst1q_f32(dst + 3 * ld_dst, vreinterpretq_f32_f64(vtrn2q_f64(b, d)));
}
static inline void transpose_4x4(float *dst, int64_t ld_dst, const float *src, int64_t ld_src)
{
    transpose_rows(dst, ld_dst, src, ld_src, W);
}

static inline vi vi_set1(uint32_t x)
{
    return vdupq_n_u32(x);
}
static inline vi vi_add(vi a, vi b)
{
    return vaddq_u32(a, b);
}
static inline vi vi_xor3(vi a, vi b, vi c)
{
    return veorq_u32(veorq_u32(a, b), c);
}
static inline void vi_multiply(vi a, vi m, vi *high, vi *low)
{
    const vi first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(a), vget_low_u32(m)));
    const vi second = vreinterpretq_u32_u64(vmull_high_u32(a, m));
    *low = vuzp1q_u32(first, second);
    *high = vuzp2q_u32(first, second);
}
static inline void vi_carry(vi *a, vi end, vi *b, vi step)
{
    const vi over = vcgeq_u32(*a, end);
    *a = vsubq_u32(*a, vandq_u32(over, end));
    *b = vaddq_u32(*b, vandq_u32(over, step));
}
/* The four words of a block follow each other. */
static inline void vi_store_blocks(uint16_t *p, vi w0, vi w1, vi w2, vi w3)
{
    const uint32x4x4_t words = {{w0, w1, w2, w3}};
    vst4q_u32((uint32_t *)(void *)p, words);
}
