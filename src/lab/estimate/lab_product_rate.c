/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of matrix products by the kernels that a training uses, at a shape for which they are
 * near their best.
 */
#include "lab/estimate/lab_product_rate.h"

#include "base/memory.h"
#include "tensor/ops.h"

#include <time.h>

enum { n = 768 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

ig_code ig_lab_product_rate(double *gflops, ig_err *err)
{
    ig_real *a;
    ig_scratch scratch = {0};
    *gflops = 0;
    IG_TRY(ig_alloc(&a, 3 * n * n, sizeof *a, "matrices", err));
    for (int i = 0; i < 2 * n * n; i++)
        a[i] = (ig_real)(i % 17) * 0.125f - 1;
    ig_gemm g = ig_gemm_of_rows(a, n, a + n * n, n, n, a + 2 * n * n);
    g.b_form = IG_B_ROWS;
    for (int i = 0; i < 3; i++) {
        const double begin = seconds();
        ig_ops_best()->gemm(&g, &scratch);
        const double rate = 2e-9 * n * n * n / (seconds() - begin);
        *gflops = rate > *gflops ? rate : *gflops;
    }
    const ig_code code = ig_scratches_check(&scratch, 1, err);
    ig_scratch_free(&scratch);
    ig_free(a);
    return code;
}
