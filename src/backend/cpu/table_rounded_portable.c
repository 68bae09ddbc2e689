/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of operands rounded to bfloat16 on vectors in plain C.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_portable.h"
#define ROUND_OPERANDS
#define TABLE_NAME "portable-rounded"
#define TABLE_SYMBOL ig_table_rounded_portable
#include "backend/cpu/table.inc"
