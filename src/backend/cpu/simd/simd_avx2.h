/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors that the kernels of this folder are written in, on AVX2 with FMA; see simd_avx512.h.
 */
#pragma once

#include <immintrin.h>
#include <stdint.h>

enum {
    W = 8,
    TILE_MR = 6 /* 6 × 2 accumulators of 16 registers */
};

typedef __m256 vf;
typedef __m256i vi;

#include "backend/cpu/simd/simd_common.inc"

static inline __m256i first_lanes(int n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane);
}

static inline vf vf_set1(float x)
{
    return _mm256_set1_ps(x);
}
static inline vf vf_loadn(const float *p, int n)
{
    return n >= W ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first_lanes(n));
}
static inline void vf_storen(float *p, vf x, int n)
{
    if (n >= W)
        _mm256_storeu_ps(p, x);
    else
        _mm256_maskstore_ps(p, first_lanes(n), x);
}
static inline vf vf_sqrt(vf a)
{
    return _mm256_sqrt_ps(a);
}
static inline vf vf_fma(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline vf vf_fnma(vf a, vf b, vf c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
static inline vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}
static inline vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}
static inline vf vf_abs(vf a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline int vf_any_above(vf a, vf b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
}
static inline vf vf_round(vf a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vf vf_ldexp(vf a, vf n)
{
    /* Added to the exponent. Where n is NaN its integer's low bits are 0, and a stays NaN. */
    const __m256i e = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), e));
}
static inline vf vf_where_negative(vf x, vf a, vf b)
{
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ));
}
static inline vf vf_firstn(vf x, int n, vf y)
{
    return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(first_lanes(n)));
}
static inline vf vf_reciprocal(vf x)
{
    return _mm256_div_ps(_mm256_set1_ps(1.0f), x);
}
static inline vf vf_swap(vf a)
{
    return _mm256_permute_ps(a, 0xB1);
}
static inline float vf_sum(vf a)
{
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_movehdup_ps(q)));
}
static inline float vf_top(vf a)
{
    __m128 q = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    q = _mm_max_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_max_ss(q, _mm_movehdup_ps(q)));
}
/* All bits set in the lanes that are kept. */
typedef __m256 vk;
static inline vk vk_draw(const uint16_t *number, vi threshold)
{
    vi n = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)number));
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(n, _mm256_sub_epi32(threshold, _mm256_set1_epi32(1))));
}
static inline uint32_t vk_bits(vk k)
{
    return (uint32_t)_mm256_movemask_ps(k);
}
static inline vk vk_from_bits(uint32_t bits)
{
    const vi lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    vi x = _mm256_and_si256(_mm256_set1_epi32((int)bits), lane);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(x, lane));
}
static inline vf vf_mark(vf a, vk k)
{
    return _mm256_or_ps(a, _mm256_andnot_ps(k, _mm256_set1_ps(-0.0f)));
}
static inline vk vk_unmarked(vf a)
{
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(-1)));
}
static inline vf vf_keep(vf a, vk k, vf scale)
{
    return _mm256_and_ps(k, _mm256_mul_ps(a, scale));
}

static inline void transpose_rows(float *dst, int64_t ld_dst, const float *src, int64_t ld_src,
                                  int n)
{
    vf x[W], y[W];
    for (int i = 0; i < W; i++)
        x[i] = vf_load(src + (i < n ? i : n - 1) * ld_src);
    for (int i = 0; i < W; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < W; i += 4)
        for (int h = 0; h < 2; h++) {
            const __m256d a = _mm256_castps_pd(y[i + h]), b = _mm256_castps_pd(y[i + 2 + h]);
            x[i + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
            x[i + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
    /* x[i + c]: rows i .. i + 3 of columns c and 4 + c. */
    for (int c = 0; c < 4; c++)
        vf_store(dst + c * ld_dst, _mm256_permute2f128_ps(x[c], x[c + 4], 0x20));
    for (int c = 0; c < 4; c++)
        vf_store(dst + (c + 4) * ld_dst, _mm256_permute2f128_ps(x[c], x[c + 4], 0x31));
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
    return _mm256_set1_epi32((int)x);
}
static inline vi vi_add(vi a, vi b)
{
    return _mm256_add_epi32(a, b);
}
static inline vi vi_xor3(vi a, vi b, vi c)
{
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}
#define HAS_WIDE_PRODUCTS
static inline vi vi_high(vi a)
{
    return _mm256_srli_epi64(a, 32);
}
/* Multiplies even lanes. Odd lanes of the halves are no numbers: the next multiplication does not
 * read them. */
static inline void vi_multiply(vi a, vi m, vi *high, vi *low)
{
    *low = _mm256_mul_epu32(a, m);
    *high = vi_high(*low);
}
static inline vi vi_from_halves(vi even, vi odd)
{
    return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
}
static inline void vi_carry(vi *a, vi end, vi *b, vi step)
{
    __m256i within = _mm256_cmpgt_epi32(end, *a);
    *a = _mm256_sub_epi32(*a, _mm256_andnot_si256(within, end));
    *b = _mm256_add_epi32(*b, _mm256_andnot_si256(within, step));
}
static inline void vi_store_blocks(uint16_t *p, vi w0, vi w1, vi w2, vi w3)
{
    vi a = _mm256_unpacklo_epi32(w0, w1), b = _mm256_unpackhi_epi32(w0, w1);
    vi c = _mm256_unpacklo_epi32(w2, w3), d = _mm256_unpackhi_epi32(w2, w3);
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_unpacklo_epi64(a, c));
    _mm256_storeu_si256((__m256i *)(void *)(p + 16), _mm256_unpackhi_epi64(a, c));
    _mm256_storeu_si256((__m256i *)(void *)(p + 32), _mm256_unpacklo_epi64(b, d));
    _mm256_storeu_si256((__m256i *)(void *)(p + 48), _mm256_unpackhi_epi64(b, d));
}
