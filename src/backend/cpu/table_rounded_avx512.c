/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of operands rounded to bfloat16 on AVX-512.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_avx512.h"
#define ROUND_OPERANDS
#define TABLE_NAME "avx512-rounded"
#define TABLE_SYMBOL ig_table_rounded_avx512
#include "backend/cpu/table.inc"
