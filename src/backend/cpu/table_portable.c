/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels in portable C.
 */
#include "backend/cpu/cpu.h"

#include "backend/cpu/simd/simd_portable.h"
#define TABLE_NAME "portable"
#define TABLE_SYMBOL ig_table_portable
#include "backend/cpu/table.inc"
