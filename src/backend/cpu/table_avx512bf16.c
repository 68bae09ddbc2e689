/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product and attention's in bfloat16 on AVX512-BF16, and layer normalisation that
 * leaves what products read; every other op stays that of AVX-512.
 */
#include "backend/cpu/cpu.h"
#include "base/assert.h"
#include "tensor/dropout.h"
#include "tensor/scratch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "backend/cpu/simd_avx512.h"
#define TILE_HAS_12_ROWS
#include "backend/cpu/vectors.inc"
#include "backend/cpu/elementary.inc"

/* c + the two products of each lane's slots. */
static inline vf add_products(vf a, vf b, vf c)
{
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}
#define TILE_MULTIPLY_ADD add_products
#define TILE_GELU gelu_by_table
#include "backend/cpu/gelu_table.inc"
#include "backend/cpu/gemm_tile.inc"
#include "backend/cpu/gemm_parts.inc"
#include "backend/cpu/gemm_bf16.inc"
#include "backend/cpu/drop.inc"

static inline void store_half(float *row, int c, vf x, int n)
{
    const __m256i h = (__m256i)_mm512_cvtneps_pbh(x);
    uint16_t *to = (uint16_t *)row + c;
    if (n >= W)
        _mm256_storeu_si256((__m256i *)to, h);
    else
        _mm256_mask_storeu_epi16(to, first_lanes(n), h);
}
static inline vf load_half(const float *row, int c, int n)
{
    const uint16_t *from = (const uint16_t *)row + c;
    const __m256i h = n >= W ? _mm256_loadu_si256((const __m256i *)from)
                             : _mm256_maskz_loadu_epi16(first_lanes(n), from);
    return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16);
}
#define STORE_HALF store_half
#define LOAD_HALF load_half
#include "backend/cpu/norm.inc"
#include "backend/cpu/attention_parts.inc"
#include "backend/cpu/attention_product_bf16.inc"
#include "backend/cpu/attention_relative.inc"
#include "backend/cpu/attention.inc"

void ig_table_avx512bf16(ig_ops *t)
{
    t->name = "avx512bf16";
    t->pack_size = bf16_pack_size;
    t->pack_b = bf16_pack_b;
    t->gemm = bf16_gemm;
    t->halves = true;
    t->norm = norm;
    t->norm_grad = norm_grad;
    t->attention = attention;
    t->attention_grad = attention_grad;
}
