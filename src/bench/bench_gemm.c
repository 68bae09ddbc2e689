/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of large matrix products; see bench_gemm.h.
 */
#include "bench/bench_gemm.h"
#include "bench/bench_kernels.h"

#include <stddef.h>
#include <stdio.h>

ig_code ig_bench_gemm(double *gflops, const ig_bench_kernel *k, ig_team *team, bool busy_time,
                      const char *program, ig_err *err)
{
    if (k->ops != NULL)
        return ig_bench_product(gflops, &ig_bench_shapes[0], k->ops, team, busy_time, err);
    return ig_bench_blas_process(gflops, k->core, ig_team_size(team), busy_time, program, err);
}

ig_code ig_bench_gemm_best(ig_bench_kernel *out, ig_team *team, bool busy_time, const char *program,
                           ig_err *err)
{
    static const char *const tables[] = {"avx512", "avx2", "portable"};
    double best = 0, rate;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        ig_bench_kernel k = {.ops = ig_ops_named(tables[i])};
        if (k.ops == NULL || (best > 0 && tables[i][0] == 'p'))
            continue; /* the portable one is never the faster of two */
        snprintf(k.name, sizeof k.name, "%s", tables[i]);
        IG_TRY(ig_bench_gemm(&rate, &k, team, busy_time, program, err));
        if (rate > best) {
            best = rate;
            *out = k;
        }
    }
    for (int i = -1; program != NULL && (i < 0 || ig_bench_blas_cores[i] != NULL); i++) {
        ig_bench_kernel k = {.core = i < 0 ? NULL : ig_bench_blas_cores[i]};
        snprintf(k.name, sizeof k.name, "BLAS (%s)", k.core != NULL ? k.core : "its own choice");
        /* No BLAS here, or a core that it refuses. */
        if (ig_bench_gemm(&rate, &k, team, busy_time, program, NULL) != IG_ERR_OK)
            continue;
        if (rate > best) {
            best = rate;
            *out = k;
        }
    }
    return IG_ERR_OK;
}
