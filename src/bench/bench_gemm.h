/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of large matrix products: what the speed of training is held against.
 */
#pragma once

#include "base/threads/team.h"
#include "tensor/ops.h"

/* One kernel of those at hand: a table of ours, or the installed BLAS. */
typedef struct {
    const ig_ops *ops; /* NULL: BLAS */
    const char *core;  /* of OpenBLAS; NULL: as it chooses for itself */
    char name[40];
} ig_bench_kernel;

/* GFLOP/s of all threads together, each with products of its own; busy_time: per second of
 * processor time instead of time on the wall. About a fifth of a second. BLAS runs in a process of
 * `program`, which is isoglot. */
ig_code ig_bench_gemm(double *gflops, const ig_bench_kernel *k, ig_team *team, bool busy_time,
                      const char *program, ig_err *err);

/* The kernel of float32 products that is the fastest here and now, whatever ISOGLOT_CPU says: every
 * vector table of this CPU, and the BLAS with each of its cores unless program is NULL or has none.
 * One to two seconds. */
ig_code ig_bench_gemm_best(ig_bench_kernel *out, ig_team *team, bool busy_time, const char *program,
                           ig_err *err);
