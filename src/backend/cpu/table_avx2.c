/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels on AVX2 with FMA.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_avx2.h"
#define TABLE_NAME "avx2"
#define TABLE_SYMBOL ig_table_avx2
#include "backend/cpu/table.inc"
