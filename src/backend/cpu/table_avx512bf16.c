/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in bfloat16 on AVX512-BF16 (VDPBF16PS).
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_avx512bf16.h"
#include "backend/cpu/table_bf16.inc"

void ig_table_avx512bf16(ig_ops *t)
{
    fill_bf16_table(t);
    t->name = "avx512bf16";
}
