/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors that the kernels of this folder are written in, on AVX-512 (F, BW, DQ, VL). The four
 * simd_*.h define the same names; a translation unit includes one of them.
 */
#pragma once

#include <immintrin.h>
#include <stdint.h>

enum {
    W = 16,      /* floats in a vector */
    TILE_MR = 12 /* rows of a gemm tile: 12 × 2 accumulators of 32 registers */
};
#define TILE_HAS_12_ROWS

typedef __m512 vf;
typedef __m512i vi;

#include "backend/cpu/simd/simd_common.inc"

static inline __mmask16 first_lanes(int n)
{
    if (n >= W)
        return (__mmask16)0xFFFF;
    if (n <= 0) /* a shift by a negative number is undefined, and gives all lanes on x86 */
        return 0;
    return (__mmask16)((1u << n) - 1u);
}

/* clang's AddressSanitizer checks a masked vector lane by lane. Hundreds of copies of that would
 * take minutes to compile, so there is one of each. */
#ifndef MASKED
#define MASKED static inline
#endif
MASKED vf vf_load_masked(const float *p, int n)
{
    return _mm512_maskz_loadu_ps(first_lanes(n), p);
}
MASKED void vf_store_masked(float *p, vf x, int n)
{
    _mm512_mask_storeu_ps(p, first_lanes(n), x);
}

static inline vf vf_set1(float x)
{
    return _mm512_set1_ps(x);
}
/* The first n lanes (any n; 0 beyond them); memory past them is not touched. */
static inline vf vf_loadn(const float *p, int n)
{
    return n >= W ? _mm512_loadu_ps(p) : vf_load_masked(p, n);
}
static inline void vf_storen(float *p, vf x, int n)
{
    if (n >= W)
        _mm512_storeu_ps(p, x);
    else
        vf_store_masked(p, x, n);
}
static inline vf vf_sqrt(vf a)
{
    return _mm512_sqrt_ps(a);
}
/* a·b + c and c − a·b. */
static inline vf vf_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}
static inline vf vf_fnma(vf a, vf b, vf c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
/* b where either is NaN. */
static inline vf vf_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}
static inline vf vf_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}
static inline vf vf_abs(vf a)
{
    return _mm512_abs_ps(a);
}
/* Whether any lane of a is above the one of b; NaN is not. */
static inline int vf_any_above(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}
/* To the nearest integer, ties to even. */
static inline vf vf_round(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* a · 2ⁿ for integral n in −126 … 127, where a and the result are normal. */
static inline vf vf_ldexp(vf a, vf n)
{
    return _mm512_scalef_ps(a, n);
}
/* a where x < 0, otherwise (also for NaN) b. */
static inline vf vf_where_negative(vf x, vf a, vf b)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ), b, a);
}
/* The first n lanes of x, y in the others. */
static inline vf vf_firstn(vf x, int n, vf y)
{
    return _mm512_mask_blend_ps(first_lanes(n), y, x);
}
/* 1/x to about one unit in the last place, for finite normal x > 0. */
static inline vf vf_reciprocal(vf x)
{
    vf r = _mm512_rcp14_ps(x);
    return _mm512_mul_ps(r, _mm512_fnmadd_ps(x, r, _mm512_set1_ps(2.0f)));
}
/* In each lane element i of the 32 in low and high, i the low five bits of index's. */
#define HAS_LOOKUP32
static inline vf vf_lookup32(vf low, vf high, vf index)
{
    return _mm512_permutex2var_ps(low, _mm512_castps_si512(index), high);
}
/* Neighbours 2i and 2i + 1 change places. */
static inline vf vf_swap(vf a)
{
    return _mm512_permute_ps(a, 0xB1);
}
/* Horizontal, in a fixed order. */
static inline float vf_sum(vf a)
{
    __m256 h = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_movehdup_ps(q)));
}
static inline float vf_top(vf a)
{
    __m256 h = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 q = _mm_max_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    q = _mm_max_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_max_ss(q, _mm_movehdup_ps(q)));
}
/* Lanes that dropout keeps: those whose 16-bit number is at least the threshold. */
typedef __mmask16 vk;
static inline vk vk_draw(const uint16_t *number, vi threshold)
{
    vi n = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)number));
    return _mm512_cmpge_epi32_mask(n, threshold);
}
/* As bits of a number and back, lane 0 the lowest. */
static inline uint32_t vk_bits(vk k)
{
    return k;
}
static inline vk vk_from_bits(uint32_t bits)
{
    return (vk)bits;
}
/* In the sign of a non-negative number: lanes not kept become negative (−0 too). */
static inline vf vf_mark(vf a, vk k)
{
    const __m512i sign = _mm512_set1_epi32(INT32_MIN), x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(x, (__mmask16)~k, x, sign));
}
/* The lanes that are not negative. */
static inline vk vk_unmarked(vf a)
{
    return (vk)~_mm512_movepi32_mask(_mm512_castps_si512(a));
}
/* a · scale in the lanes kept, 0 in the others. */
static inline vf vf_keep(vf a, vk k, vf scale)
{
    return _mm512_maskz_mul_ps(k, a, scale);
}

/* Transposes n ≤ W rows of W numbers each. W numbers of each column are written, repeating the last
 * row beyond n, one column after the other. */
static inline void transpose_rows(float *dst, int64_t ld_dst, const float *src, int64_t ld_src,
                                  int n)
{
    vf x[W], y[W];
    for (int i = 0; i < W; i++)
        x[i] = vf_load(src + (i < n ? i : n - 1) * ld_src);
    for (int i = 0; i < W; i += 2) {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < W; i += 4)
        for (int h = 0; h < 2; h++) {
            const __m512d a = _mm512_castps_pd(y[i + h]), b = _mm512_castps_pd(y[i + 2 + h]);
            x[i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            x[i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    /* x[i + c]: rows i .. i + 3 of columns c, 4 + c, 8 + c, 12 + c. */
    for (int c = 0; c < 4; c++)
        for (int h = 0; h < 2; h++) {
            y[c + 8 * h] = _mm512_shuffle_f32x4(x[c + 8 * h], x[c + 4 + 8 * h], 0x88);
            y[c + 4 + 8 * h] = _mm512_shuffle_f32x4(x[c + 8 * h], x[c + 4 + 8 * h], 0xDD);
        }
    for (int c = 0; c < 8; c++)
        vf_store(dst + c * ld_dst, _mm512_shuffle_f32x4(y[c], y[c + 8], 0x88));
    for (int c = 0; c < 8; c++)
        vf_store(dst + (c + 8) * ld_dst, _mm512_shuffle_f32x4(y[c], y[c + 8], 0xDD));
}

/* A 4 × 4 block, rows become columns. */
static inline void transpose_4x4(float *dst, int64_t ld_dst, const float *src, int64_t ld_src)
{
    __m128 r0 = _mm_loadu_ps(src), r1 = _mm_loadu_ps(src + ld_src);
    __m128 r2 = _mm_loadu_ps(src + 2 * ld_src), r3 = _mm_loadu_ps(src + 3 * ld_src);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    _mm_storeu_ps(dst, r0);
    _mm_storeu_ps(dst + ld_dst, r1);
    _mm_storeu_ps(dst + 2 * ld_dst, r2);
    _mm_storeu_ps(dst + 3 * ld_dst, r3);
}

static inline vi vi_set1(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
static inline vi vi_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}
/* a ^ b ^ c. */
static inline vi vi_xor3(vi a, vi b, vi c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}
/* Both halves of the 64-bit products of a with m (the same number in all lanes). */
static inline void vi_multiply(vi a, vi m, vi *high, vi *low)
{
    vi even = _mm512_mul_epu32(a, m), odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), m);
    *low = _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, _MM_PERM_CDAB);
    *high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_CDAB);
}
/* Where *a has reached `end`: *a −= end, *b += step. */
static inline void vi_carry(vi *a, vi end, vi *b, vi step)
{
    __mmask16 over = _mm512_cmpge_epu32_mask(*a, end);
    *a = _mm512_mask_sub_epi32(*a, over, *a, end);
    *b = _mm512_mask_add_epi32(*b, over, *b, step);
}
/* Four vectors of words 0 … 3 of blocks become the blocks themselves, as halves of words, low
 * first: lane 4q + s holds block s · W/4 + q of the W blocks written. */
static inline void vi_store_blocks(uint16_t *p, vi w0, vi w1, vi w2, vi w3)
{
    vi a = _mm512_unpacklo_epi32(w0, w1), b = _mm512_unpackhi_epi32(w0, w1);
    vi c = _mm512_unpacklo_epi32(w2, w3), d = _mm512_unpackhi_epi32(w2, w3);
    _mm512_storeu_si512(p, _mm512_unpacklo_epi64(a, c));
    _mm512_storeu_si512(p + 32, _mm512_unpackhi_epi64(a, c));
    _mm512_storeu_si512(p + 64, _mm512_unpacklo_epi64(b, d));
    _mm512_storeu_si512(p + 96, _mm512_unpackhi_epi64(b, d));
}
