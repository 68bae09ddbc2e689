/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU emulated on the host: its kernels, compiled as C, run block by block. A block has one
 * thread or, where `threads` says so, that many, each a thread of the system.
 */
#pragma once

#include "model/device/cuda/driver.h"
#include "tensor/ops.h"

/* Its driver; blocks of as many threads from now on, 1 to 256. */
const ig_cuda_driver *emulated_driver(int threads);
/* The same, or where ISOGLOT_TEST_CARD is set that card, by the module of ISOGLOT_CUDA_MODULE. */
const ig_cuda_driver *tested_driver(int threads);
/* Fails all runs from now on with this message; NULL: it works again. */
void emulated_fail(const char *why);
/* Calls of these before and after a run or a copy, NULL: none: the memory may be touched in
 * between. */
void emulated_guard(void (*open)(void), void (*close)(void));
/* The most bytes in use since the last call. */
int64_t emulated_most(void);
/* Memory of another kind than the heap's; NULL: the heap's. */
void emulated_memory(void *(*alloc)(int64_t bytes), void (*release)(void *block));

/* Its kernels as a table of ops. */
const ig_ops *emulated_ops(int threads);
bool emulated_is(const ig_ops *t);
/* The same with products of operands that are rounded to bfloat16. */
const ig_ops *emulated_rounded(const ig_ops *t);
