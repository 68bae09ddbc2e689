/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product and attention's in bfloat16 on AVX512-BF16; every other op stays that of
 * AVX-512.
 */
#include "backend/cpu/cpu.h"
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
    t->attention = attention;
    t->attention_grad = attention_grad;
}
