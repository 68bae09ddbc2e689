/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of operands rounded to bfloat16 on NEON.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_neon.h"
#define ROUND_OPERANDS
#define TABLE_NAME "neon-rounded"
#define TABLE_SYMBOL ig_table_rounded_neon
#include "backend/cpu/table.inc"
