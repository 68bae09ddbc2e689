/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of bfloat16 on AVX512-BF16, beside simd_avx512.h. A *slot* is a pair of them where a
 * vector has a float. simd_avx512bf16.h and simd_neonbf16.h define the same names.
 */
#pragma once

#include "backend/cpu/simd/simd_avx512.h"

#include <stdbool.h>

/* c + the two products of each lane's slots. */
static inline vf add_products(vf a, vf b, vf c)
{
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

/* 2 W numbers, rounded: those of `low` first. */
static inline vf two_bf16(vf low, vf high)
{
    return (vf)_mm512_cvtne2ps_pbh(high, low);
}

/* The first or second W of 2 W numbers. */
static inline vf from_bf16(vf x, bool second)
{
    const __m256i h = _mm512_extracti64x4_epi64((__m512i)x, 1);
    const __m256i l = _mm512_castsi512_si256((__m512i)x);
    return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(second ? h : l), 16);
}

/* Lane i: the slot (even[i], odd[i]). */
static inline vf slots_of_rows(vf even, vf odd)
{
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return (vf)_mm512_permutexvar_epi16(order, (__m512i)two_bf16(even, odd));
}

/* Lane i: the slot (even[i], odd[i]) of two rows of 2 W numbers, the first or the second W of
 * them. */
static inline vf slots_of_bf16(vf even, vf odd, bool second)
{
    const __m512i first =
        _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i order = second ? _mm512_add_epi16(first, _mm512_set1_epi16(16)) : first;
    return (vf)_mm512_permutex2var_epi16((__m512i)even, order, (__m512i)odd);
}

MASKED void store_bf16_masked(uint16_t *to, __m256i h, int n)
{
    _mm256_mask_storeu_epi16(to, first_lanes(n), h);
}
MASKED __m256i load_bf16_masked(const uint16_t *from, int n)
{
    return _mm256_maskz_loadu_epi16(first_lanes(n), from);
}

/* The first n of W numbers from number c of a row on. */
static inline void store_bf16(float *row, int c, vf x, int n)
{
    const __m256i h = (__m256i)_mm512_cvtneps_pbh(x);
    uint16_t *to = (uint16_t *)row + c;
    if (n >= W)
        _mm256_storeu_si256((__m256i *)to, h);
    else
        store_bf16_masked(to, h, n);
}
static inline vf load_bf16(const float *row, int c, int n)
{
    const uint16_t *from = (const uint16_t *)row + c;
    const __m256i h =
        n >= W ? _mm256_loadu_si256((const __m256i *)from) : load_bf16_masked(from, n);
    return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16);
}
