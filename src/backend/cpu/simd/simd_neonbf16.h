/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of bfloat16 on AArch64's FEAT_BF16, beside simd_neon.h; see simd_avx512bf16.h.
 */
#pragma once

#include "backend/cpu/simd/simd_neon.h"

#include <stdbool.h>

/* c + the two products of each lane's slots. */
static inline vf add_products(vf a, vf b, vf c)
{
    return vbfdotq_f32(c, vreinterpretq_bf16_f32(a), vreinterpretq_bf16_f32(b));
}

/* Numbers below float32's normal ones become 0, as on other CPUs. */
static inline vf normal_or_zero(vf x)
{
    return vreinterpretq_f32_u32(
        vbicq_u32(vreinterpretq_u32_f32(x), vcltq_f32(vabsq_f32(x), vdupq_n_f32(0x1p-126f))));
}

/* 2 W numbers, rounded: those of `low` first. */
static inline vf two_bf16(vf low, vf high)
{
    const bfloat16x8_t x = vcvtq_low_bf16_f32(normal_or_zero(low));
    return vreinterpretq_f32_bf16(vcvtq_high_bf16_f32(x, normal_or_zero(high)));
}

/* The first or second W of 2 W numbers. */
static inline vf from_bf16(vf x, bool second)
{
    const uint16x8_t h = vreinterpretq_u16_f32(x);
    return vreinterpretq_f32_u32(second ? vshll_high_n_u16(h, 16)
                                        : vshll_n_u16(vget_low_u16(h), 16));
}

/* Lane i: the slot (even[i], odd[i]). */
static inline vf slots_of_rows(vf even, vf odd)
{
    const uint16x8_t x = vreinterpretq_u16_f32(two_bf16(even, odd));
    return vreinterpretq_f32_u16(vzip1q_u16(x, vextq_u16(x, x, 4)));
}

/* Lane i: the slot (even[i], odd[i]) of two rows of 2 W numbers, the first or the second W of
 * them. */
static inline vf slots_of_bf16(vf even, vf odd, bool second)
{
    const uint16x8_t x = vreinterpretq_u16_f32(even), y = vreinterpretq_u16_f32(odd);
    return vreinterpretq_f32_u16(second ? vzip2q_u16(x, y) : vzip1q_u16(x, y));
}

/* The first n of W numbers from number c of a row on. */
static inline void store_bf16(float *row, int c, vf x, int n)
{
    const uint16x4_t h = vget_low_u16(vreinterpretq_u16_f32(two_bf16(x, x)));
    uint16_t *to = (uint16_t *)row + c;
    if (n >= W) {
        vst1_u16(to, h);
        return;
    }
    if (n > 0)
        vst1_lane_u16(to, h, 0);
    if (n > 1)
        vst1_lane_u16(to + 1, h, 1);
    if (n > 2)
        vst1_lane_u16(to + 2, h, 2);
}
static inline vf load_bf16(const float *row, int c, int n)
{
    const uint16_t *from = (const uint16_t *)row + c;
    uint16x4_t h = vdup_n_u16(0);
    if (n >= W)
        h = vld1_u16(from);
    else {
        if (n > 0)
            h = vld1_lane_u16(from, h, 0);
        if (n > 1)
            h = vld1_lane_u16(from + 1, h, 1);
        if (n > 2)
            h = vld1_lane_u16(from + 2, h, 2);
    }
    return vreinterpretq_f32_u32(vshll_n_u16(h, 16));
}
