/* SPDX-License-Identifier: Apache-2.0
 *
 * The op tables for CPUs. A getter gives NULL where this CPU, or this operating system (which must
 * save the wide registers), cannot run the table.
 */
#pragma once

#include "tensor/ops.h"

#include <stdbool.h>

typedef enum {
    IG_CPU_PORTABLE, /* the vector code in plain C on 128-bit vectors, which every compiler of ours
                      * turns into what the architecture has */
    IG_CPU_NEON,
    IG_CPU_AVX2,
    IG_CPU_AVX512,
    IG_N_FLOAT32, /* those after it have matrix products in bfloat16 */
    IG_CPU_NEONBF16 = IG_N_FLOAT32,
    IG_CPU_AVX512BF16,
    IG_CPU_AMX, /* avx512bf16 on the tile registers of AMX */
    IG_N_CPU
} ig_cpu;
const ig_ops *ig_ops_cpu(ig_cpu which);
/* Whether this CPU multiplies bfloat16 (VDPBF16PS, no tiles) slower than float32. */
bool ig_cpu_bf16_is_slow(void);
/* A float32 table with products in bfloat16 by rounded operands (ROUND_OPERANDS in table.inc); NULL
 * for any other table. */
const ig_ops *ig_ops_rounded(const ig_ops *t);

/* Each overwrites the ops it has a kernel for. All except the portable one may be called only where
 * their instructions are supported. */
void ig_table_portable(ig_ops *t);
void ig_table_neon(ig_ops *t);
void ig_table_neonbf16(ig_ops *t);
void ig_table_avx2(ig_ops *t);
void ig_table_avx512(ig_ops *t);
void ig_table_avx512bf16(ig_ops *t);
void ig_table_rounded_portable(ig_ops *t);
void ig_table_rounded_neon(ig_ops *t);
void ig_table_rounded_avx2(ig_ops *t);
void ig_table_rounded_avx512(ig_ops *t);
/* False where the operating system or the compiler has no tile registers. */
bool ig_table_amx(ig_ops *t);
