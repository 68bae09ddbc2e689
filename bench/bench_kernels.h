/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of float32 matrix products by each kernel at hand: our tables and the installed BLAS, at
 * large shapes and at those of one shard of BERT-small.
 */
#pragma once

#include "base/threads/team.h"
#include "tensor/ops.h"

typedef struct {
    const char *name;
    int m, n, k;
    bool large; /* counts for the ceiling */
    bool a_trans;
    ig_b_form form; /* BLAS has no packed form and reads rows instead */
    bool accumulate;
    ig_epilogue epilogue; /* BLAS has no epilogue and leaves it out */
} ig_bench_shape;

extern const ig_bench_shape ig_bench_shapes[];
extern const int ig_n_bench_shape;

/* GFLOP/s of all threads of the team together, each with its own product, the best of several runs
 * of some milliseconds; busy_time: of processor time (one thread: its own) over threads, not of
 * wall time. ops NULL: the BLAS, loaded at first use (IG_ERR_IO where it cannot be, or is no
 * CBLAS). */
ig_code ig_bench_product(double *gflops, const ig_bench_shape *shape, const ig_ops *ops,
                         ig_team *team, bool busy_time, ig_err *err);

/* The clock of these rates, in seconds: wall time, or processor time over threads. */
double ig_bench_seconds(int n_thread, bool busy_time);

/* The best BLAS rate at two of the large shapes in a process with OPENBLAS_CORETYPE set to `core`
 * (NULL: not set). Runs `program gemm --only-blas --threads N`, a fifth of a second. */
ig_code ig_bench_blas_process(double *gflops, const char *core, int n_thread, bool busy_time,
                              const char *program, ig_err *err);
extern const char *const ig_bench_blas_cores[]; /* NULL-terminated */

/* An available kernel: a table of this program, or the installed BLAS. */
typedef struct {
    const ig_ops *ops; /* NULL: BLAS */
    const char *core;  /* of OpenBLAS; NULL: its own choice */
    char name[40];
} ig_bench_kernel;

/* GFLOP/s of all threads together, each with its own products; busy_time: per second of processor
 * time instead of wall time. About a fifth of a second. BLAS runs in a process of `program`, which
 * is isoglot-bench. */
ig_code ig_bench_gemm(double *gflops, const ig_bench_kernel *k, ig_team *team, bool busy_time,
                      const char *program, ig_err *err);

/* Finds the kernel of float32 products that is the fastest now: every vector table of this CPU, and
 * the BLAS with each of its cores, where there is one; of a CPU without AVX-512 those alone, where
 * ISOGLOT_CPU=avx2 stands for one. One to two seconds. */
ig_code ig_bench_gemm_best(ig_bench_kernel *out, ig_team *team, bool busy_time, const char *program,
                           ig_err *err);
