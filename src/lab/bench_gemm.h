/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of large float32 matrix products: what the speed of training is held against.
 */
#ifndef IG_LAB_BENCH_GEMM_H
#define IG_LAB_BENCH_GEMM_H

#include "base/team.h"
#include "tensor/ops.h"

/* GFLOP/s of all threads together, each with products of its own: the best kernel of those at hand.
 * busy_time: per second of processor time instead of time on the wall. About a quarter of a second.
 */
ig_code ig_bench_gemm(double *gflops, const ig_ops *ops, ig_team *team, bool busy_time,
                      ig_err *err);

#endif
