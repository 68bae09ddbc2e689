/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of operands rounded to bfloat16 on AVX2 with FMA.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_avx2.h"
#define ROUND_OPERANDS
#define TABLE_NAME "avx2-rounded"
#define TABLE_SYMBOL ig_table_rounded_avx2
#include "backend/cpu/table.inc"
