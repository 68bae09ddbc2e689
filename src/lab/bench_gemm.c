/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of large float32 matrix products; see bench_gemm.h.
 */
#include "lab/bench_gemm.h"
#include "base/log.h"
#include "base/memory.h"

#include <stddef.h>
#include <time.h>

enum { size = 768, tries = 3, repeats = 8 };

typedef struct {
    const ig_ops *ops;
    float *a, *b, *c;    /* [size, size]; c one per thread */
    ig_scratch *scratch; /* [threads] */
} product;

static void run(void *arg, int64_t i_task, int i_thread)
{
    const product *p = arg;
    const ig_gemm g = {.m = size,
                       .n = size,
                       .k = size,
                       .a = p->a,
                       .lda = size,
                       .b = p->b,
                       .b_form = IG_B_PACKED,
                       .c = p->c + i_task * size * size,
                       .ldc = size};
    for (int i = 0; i < repeats; i++)
        p->ops->gemm(&g, &p->scratch[i_thread]);
}

static double seconds(bool busy_time, int n_thread)
{
    struct timespec t;
    if (!busy_time)
        return ig_clock();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return ((double)t.tv_sec + (double)t.tv_nsec * 1e-9) / n_thread;
}

ig_code ig_bench_gemm(double *gflops, const ig_ops *ops, ig_team *team, bool busy_time, ig_err *err)
{
    const int64_t n = (int64_t)size * size;
    const int n_thread = ig_team_size(team);
    product p = {.ops = ops};
    *gflops = 0;
    ig_code code = ig_alloc(&p.a, n, sizeof(float), "benchmark", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&p.b, ops->pack_size(size, size), sizeof(float), "benchmark", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&p.c, n * n_thread, sizeof(float), "benchmark", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&p.scratch, n_thread, sizeof *p.scratch, "benchmark", err);
    if (code != IG_ERR_OK)
        goto done;
    for (int64_t i = 0; i < n; i++)
        p.a[i] = (float)(i % 17) * 0.125f - 1;
    ops->pack_b(p.b, p.a, size, IG_B_ROWS, size, size);
    for (int i = 0; i < tries; i++) {
        const double t = seconds(busy_time, n_thread);
        ig_team_for(team, n_thread, run, &p);
        const double rate =
            2.0 * (double)n * size * repeats * n_thread / (seconds(busy_time, n_thread) - t) * 1e-9;
        *gflops = rate > *gflops ? rate : *gflops;
    }
done:
    for (int i = 0; i < n_thread && p.scratch != NULL; i++)
        ig_scratch_free(&p.scratch[i]);
    ig_free(p.a);
    ig_free(p.b);
    ig_free(p.c);
    ig_free(p.scratch);
    return code;
}
