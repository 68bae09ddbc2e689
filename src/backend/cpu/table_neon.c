/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels on NEON.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_neon.h"
#define TABLE_NAME "neon"
#define TABLE_SYMBOL ig_table_neon
#include "backend/cpu/table.inc"
