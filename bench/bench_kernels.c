/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures rates of matrix products. The BLAS is loaded by dlopen, so that nothing else pays for
 * its start; OpenBLAS picks its kernels when it is loaded, so another choice needs another process.
 */
#include "bench/bench_kernels.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/strings/shell_word.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const ig_bench_shape ig_bench_shapes[] = {
    {"768 cubed", 768, 768, 768, true, false, IG_B_PACKED, false, IG_EPI_NONE},
    {"1536 cubed", 1536, 1536, 1536, true, false, IG_B_ROWS, false, IG_EPI_NONE},
    {"base up", 2048, 3072, 768, true, false, IG_B_PACKED, false, IG_EPI_NONE},
    {"base down", 2048, 768, 3072, true, false, IG_B_PACKED, false, IG_EPI_NONE},
    {"base weight gradient", 3072, 768, 2048, true, true, IG_B_ROWS, true, IG_EPI_NONE},
    {"small qkv", 270, 192, 64, false, false, IG_B_PACKED, false, IG_EPI_BIAS},
    {"small attention output", 270, 64, 64, false, false, IG_B_PACKED, false, IG_EPI_BIAS},
    {"small up", 270, 256, 64, false, false, IG_B_PACKED, false, IG_EPI_BIAS},
    {"small up with gelu", 270, 256, 64, false, false, IG_B_PACKED, false, IG_EPI_BIAS_GELU},
    {"small down", 270, 64, 256, false, false, IG_B_PACKED, false, IG_EPI_BIAS},
    {"small down, back", 270, 256, 64, false, false, IG_B_PACKED, false, IG_EPI_MUL},
    {"small qkv, weight", 192, 64, 270, false, true, IG_B_ROWS, true, IG_EPI_NONE},
    {"small up, weight", 256, 64, 270, false, true, IG_B_ROWS, true, IG_EPI_NONE},
    {"small down, weight", 64, 256, 270, false, true, IG_B_ROWS, true, IG_EPI_NONE},
    {"small decoder", 45, 4096, 64, false, false, IG_B_PACKED, false, IG_EPI_BIAS},
    {"small decoder, weight", 4096, 64, 45, false, true, IG_B_ROWS, true, IG_EPI_NONE},
};
const int ig_n_bench_shape = (int)(sizeof ig_bench_shapes / sizeof *ig_bench_shapes);

/* cblas.h's sgemm; its enumerations are ints of these values in every CBLAS. */
typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c,
                      int ldc);
enum { row_major = 101, no_trans = 111, trans = 112 };

static ig_code load_blas(sgemm_fn **out, ig_err *err)
{
    if (IG_BLAS[0] == '\0')
        return ig_fail(err, IG_ERR_IO, "BLAS", 0, "isoglot was built without one to compare with");
    void *library = dlopen(IG_BLAS, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, "cblas_sgemm");
    if (symbol == NULL)
        return ig_fail(err, IG_ERR_IO, IG_BLAS, 0, "no cblas_sgemm there: %s", dlerror());
    memcpy(out, &symbol, sizeof symbol);
    return IG_ERR_OK;
}

typedef struct {
    const ig_bench_shape *shape;
    const ig_ops *ops;
    sgemm_fn *sgemm;
    int repeats;
    float *a, *b, *packed, *bias, *c, *aux; /* c, aux: one per thread */
    ig_scratch *scratch;
} job;

static void run_task(void *arg, int64_t i_task, int i_thread)
{
    const job *j = arg;
    const ig_bench_shape *s = j->shape;
    const int64_t size = (int64_t)s->m * s->n;
    const int lda = s->a_trans ? s->m : s->k;
    float *c = j->c + i_task * size;
    const ig_gemm g = {.m = s->m,
                       .n = s->n,
                       .k = s->k,
                       .a = j->a,
                       .lda = lda,
                       .a_trans = s->a_trans,
                       .b = s->form == IG_B_PACKED ? j->packed : j->b,
                       .ldb = s->n,
                       .b_form = s->form,
                       .c = c,
                       .ldc = s->n,
                       .accumulate = s->accumulate,
                       .epilogue = s->epilogue,
                       .bias = j->bias,
                       .aux = s->epilogue >= IG_EPI_BIAS_GELU ? j->aux + i_task * size : NULL,
                       .ld_aux = s->n};
    for (int i = 0; i < j->repeats; i++) {
        if (j->ops != NULL)
            j->ops->gemm(&g, &j->scratch[i_thread]);
        else
            j->sgemm(row_major, s->a_trans ? trans : no_trans, no_trans, s->m, s->n, s->k, 1, j->a,
                     lda, j->b, s->n, s->accumulate ? 1 : 0, c, s->n);
    }
}

double ig_bench_seconds(int n_thread, bool busy_time)
{
    struct timespec t;
    if (!busy_time)
        return ig_clock();
    clock_gettime(n_thread > 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &t);
    return ((double)t.tv_sec + (double)t.tv_nsec * 1e-9) / n_thread;
}

static ig_code job_fill(job *j, int n_thread, ig_err *err)
{
    const ig_bench_shape *s = j->shape;
    const int64_t m = s->m, n = s->n, k = s->k;
    IG_TRY(ig_alloc(&j->a, m * k, sizeof(float), "benchmark", err));
    IG_TRY(ig_alloc(&j->b, n * k, sizeof(float), "benchmark", err));
    IG_TRY(ig_alloc(&j->bias, n, sizeof(float), "benchmark", err));
    IG_TRY(ig_alloc(&j->c, m * n * n_thread, sizeof(float), "benchmark", err));
    if (s->epilogue >= IG_EPI_BIAS_GELU)
        IG_TRY(ig_alloc(&j->aux, m * n * n_thread, sizeof(float), "benchmark", err));
    IG_TRY(ig_alloc(&j->scratch, n_thread, sizeof *j->scratch, "benchmark", err));
    for (int64_t i = 0; i < m * k; i++)
        j->a[i] = (float)(i % 17) * 0.125f - 1;
    for (int64_t i = 0; i < n * k; i++)
        j->b[i] = (float)(i % 19) * 0.0625f - 0.5f;
    if (j->ops == NULL || s->form != IG_B_PACKED)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&j->packed, j->ops->pack_size(s->k, s->n), sizeof(float), "benchmark", err));
    j->ops->pack_b(j->packed, j->b, s->n, IG_B_ROWS, s->k, s->n);
    return IG_ERR_OK;
}

ig_code ig_bench_product(double *gflops, const ig_bench_shape *shape, const ig_ops *ops,
                         ig_team *team, bool busy_time, ig_err *err)
{
    const int tries = shape->large ? 3 : 8;
    const int n_thread = ig_team_size(team);
    job j = {.shape = shape, .ops = ops};
    *gflops = 0;
    if (ops == NULL)
        IG_TRY(load_blas(&j.sgemm, err));
    ig_code code = job_fill(&j, n_thread, err);
    const double flop = 2.0 * shape->m * shape->n * shape->k;
    j.repeats = 1 + (int)(1e8 / flop);
    for (int i = 0; code == IG_ERR_OK && i < tries; i++) {
        const double t = ig_bench_seconds(n_thread, busy_time);
        ig_team_for(team, n_thread, run_task, &j);
        const double spent = ig_bench_seconds(n_thread, busy_time) - t;
        const double rate = flop * j.repeats * n_thread / spent * 1e-9;
        *gflops = rate > *gflops ? rate : *gflops;
    }
    for (int i = 0; i < n_thread && j.scratch != NULL; i++)
        ig_scratch_free(&j.scratch[i]);
    float *const all[] = {j.a, j.b, j.packed, j.bias, j.c, j.aux};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ig_free(all[i]);
    ig_free(j.scratch);
    return code;
}

const char *const ig_bench_blas_cores[] = {"Haswell",        "Zen", "SkylakeX", "Cooperlake",
                                           "Sapphirerapids", NULL};
enum { AVX2_CORES = 2 }; /* the first ones */

ig_code ig_bench_blas_process(double *gflops, const char *core, int n_thread, bool busy_time,
                              const char *program, ig_err *err)
{
    char path[PATH_MAX], *command = NULL;
    size_t size;
    *gflops = 0;
    /* In the shell, /proc/self/exe would be the shell. */
    if (realpath(program, path) == NULL)
        return ig_fail(err, IG_ERR_IO, program, 0, "cannot be started: %s", strerror(errno));
    FILE *f = open_memstream(&command, &size);
    if (f == NULL)
        return ig_fail(err, IG_ERR_MEMORY, program, 0, "not enough memory");
    /* exec: no shell remains that would report a core whose instructions this processor does not
     * have. */
    fprintf(f, "exec env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 %s%s ",
            core != NULL ? "OPENBLAS_CORETYPE=" : "", core != NULL ? core : "");
    ig_shell_word(f, path);
    fprintf(f, " gemm --only-blas --quiet --threads %d%s", n_thread,
            busy_time ? " --busy-time" : "");
    FILE *child = ig_memstream_close(f) ? popen(command, "r") : NULL;
    free(command);
    char line[64] = "";
    const bool reported = child != NULL && fgets(line, sizeof line, child) != NULL &&
                          ig_number_parse(gflops, line, NULL);
    if (child == NULL || pclose(child) != 0 || !reported)
        return ig_fail(err, IG_ERR_IO, program, 0, "the process that measures %s failed",
                       core != NULL ? core : "the BLAS");
    return IG_ERR_OK;
}

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
    double best = 0, rate;
    /* Where ISOGLOT_CPU stands for a lesser processor, the ceiling is that processor's, too. */
    const ig_ops *most = ig_ops_best();
    const bool is_less = most != NULL && strcmp(most->name, "avx2") == 0 && ig_ops_named("avx512");
    /* The portable one is never the faster of two. */
    const bool vectors = ig_ops_names[2] != NULL && ig_ops_named(ig_ops_names[2]) != NULL;
    for (int i = vectors ? 2 : 1; ig_ops_names[i] != NULL; i++) {
        ig_bench_kernel k = {.ops = ig_ops_named(ig_ops_names[i])};
        if (k.ops == NULL || (is_less && strcmp(ig_ops_names[i], "avx512") == 0))
            continue;
        snprintf(k.name, sizeof k.name, "%s", ig_ops_names[i]);
        IG_TRY(ig_bench_gemm(&rate, &k, team, busy_time, program, err));
        if (rate > best) {
            best = rate;
            *out = k;
        }
    }
    for (int i = -1; i < 0 || ig_bench_blas_cores[i] != NULL; i++) {
        ig_bench_kernel k = {.core = i < 0 ? NULL : ig_bench_blas_cores[i]};
        if (is_less && (i < 0 || i >= AVX2_CORES))
            continue;
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
