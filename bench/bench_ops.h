/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of every op of a table at the shapes of one shard of BERT-small, and what share of this
 * machine's best it is: arithmetic is compared with matrix products, moves of data with memcpy of
 * as many bytes, which are then in the same caches.
 */
#pragma once

#include "base/threads/team.h"
#include "tensor/ops.h"

typedef struct {
    const char *op;    /* name in the table of ops: "gemm", "norm" */
    char shape[64];    /* "270 x 256 x 64, bias, gelu" */
    bool arithmetic;   /* GFLOP/s; else GB/s, every array counted once for each way */
    double rate;       /* of all threads together */
    double ceiling;    /* in the same unit */
    double per_second; /* calls of one thread */
} ig_bench_op;

/* Products of ig_bench_shapes, then all other ops. */
enum { IG_BENCH_OPS_MAX = 48 };

typedef struct {
    ig_bench_op op[IG_BENCH_OPS_MAX];
    int n;
} ig_bench_op_list;

/* gflops: the rate of large products (bench/bench_kernels.h); the ceiling of arithmetic is that, or
 * the fastest product measured here. Each thread of the team works on its own data; busy_time as in
 * bench/bench_kernels.h. About half a second. */
ig_code ig_bench_ops(ig_bench_op_list *out, const ig_ops *ops, ig_team *team, double gflops,
                     bool busy_time, ig_err *err);
