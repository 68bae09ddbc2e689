/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in bfloat16 on AArch64's FEAT_BF16 (BFMMLA).
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_neonbf16.h"
#define BF16_IN_BLOCKS "backend/cpu/gemm/block_bfmmla.inc"
#include "backend/cpu/table_bf16.inc"

void ig_table_neonbf16(ig_ops *t)
{
    fill_bf16_table(t);
    t->name = "neonbf16";
}
