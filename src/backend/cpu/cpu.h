/* SPDX-License-Identifier: Apache-2.0
 *
 * The op tables for CPUs. Each getter gives NULL where this CPU, or this operating system (which
 * must save the wide registers), cannot run the table.
 */
#pragma once

#include "tensor/ops.h"

#include <stdbool.h>

/* The vector code in plain C on 128-bit vectors, which every compiler of ours turns into what the
 * architecture has. */
const ig_ops *ig_ops_portable(void);
const ig_ops *ig_ops_avx2(void);
const ig_ops *ig_ops_avx512(void);
/* avx512 with matrix products in bfloat16. */
const ig_ops *ig_ops_avx512bf16(void);
/* The same on the tile registers of AMX. */
const ig_ops *ig_ops_amx(void);
/* One of the first three with products in bfloat16 by rounded operands (table_rounded.inc); NULL
 * for any other table. */
const ig_ops *ig_ops_rounded(const ig_ops *t);

/* Overwrite what they have a kernel for. All but those in plain C may be called only where their
 * instructions are. */
void ig_table_portable(ig_ops *t);
void ig_table_avx2(ig_ops *t);
void ig_table_avx512(ig_ops *t);
void ig_table_avx512bf16(ig_ops *t);
void ig_table_rounded_portable(ig_ops *t);
void ig_table_rounded_avx2(ig_ops *t);
void ig_table_rounded_avx512(ig_ops *t);
/* False where the operating system or the compiler has no tile registers. */
bool ig_table_amx(ig_ops *t);
