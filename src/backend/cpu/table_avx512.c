/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels on AVX-512.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_avx512.h"
#define TABLE_NAME "avx512"
#define TABLE_SYMBOL ig_table_avx512
#include "backend/cpu/table.inc"
