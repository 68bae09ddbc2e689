/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot-bench gemm: measures matrix products by every available kernel.
 */
#include "bench/bench_kernels.h"
#include "bench/commands.h"
#include "cli/print/print.h"

#include <stdio.h>

typedef struct {
    int64_t threads;
    bool busy_time, json, only_blas;
} gemm_config;

static const ig_option options[] = {
    {IG_INT(gemm_config, "threads", threads, "1", 0, 1024,
            "threads, each with products of its own; 0: all processors")},
    {IG_FLAG(gemm_config, "busy-time", busy_time, NULL,
             "count CPU time, not wall-clock time: for a machine with other load")},
    {IG_FLAG(gemm_config, "only-blas", only_blas, NULL,
             "print only the installed BLAS's best rate at two large shapes")},
    {IG_FLAG(gemm_config, "json", json, NULL, "print the result as JSON")},
};

/* The tables after the reference and, last, products in bfloat16: these are not float32, and no
 * share of their rate is the machine's ceiling. */
static int count_tables(void)
{
    int n = 1;
    while (ig_ops_names[n] != NULL)
        n++;
    return n;
}

static const ig_ops *table(int k)
{
    return ig_ops_names[k + 1] != NULL ? ig_ops_named(ig_ops_names[k + 1]) : ig_ops_bfloat16();
}

static const char *table_name(int k)
{
    const char *name = ig_ops_names[k + 1] != NULL ? ig_ops_names[k + 1] : "bfloat16";
    return table(k) != NULL ? table(k)->name : name;
}

static ig_code only_blas(ig_team *team, bool busy_time, ig_err *err)
{
    double best = 0, rate;
    for (int i = 0; i < 2; i++) { /* the cubes */
        IG_TRY(ig_bench_product(&rate, &ig_bench_shapes[i], NULL, team, busy_time, err));
        best = rate > best ? rate : best;
    }
    printf("%.3f\n", best);
    return IG_ERR_OK;
}

/* {"shapes": [{"name", "m", "n", "k", "<kernel>": GFLOP/s, …}], "blas": {"<core>": GFLOP/s},
 *  "ceiling": {"gflops", "kernel"}} */
static ig_code gather(json_t *out, ig_team *team, bool busy_time, ig_err *err)
{
    const char *program = "/proc/self/exe";
    json_t *shapes = json_array(), *blas = json_object();
    double best = 0;
    const char *kernel = "";
    json_object_set_new(out, "threads", json_integer(ig_team_size(team)));
    json_object_set_new(out, "shapes", shapes);
    json_object_set_new(out, "blas", blas);
    for (int i = 0; i < ig_n_bench_shape; i++) {
        const ig_bench_shape *s = &ig_bench_shapes[i];
        json_t *row =
            json_pack("{s:s,s:i,s:i,s:i}", "name", s->name, "m", s->m, "n", s->n, "k", s->k);
        json_array_append_new(shapes, row);
        for (int k = 0; k < count_tables(); k++) {
            double rate;
            const ig_ops *ops = table(k);
            if (ops == NULL)
                continue;
            IG_TRY(ig_bench_product(&rate, s, ops, team, busy_time, err));
            json_object_set_new(row, table_name(k), json_real(rate));
            if (s->large && ig_ops_names[k + 1] != NULL && rate > best) {
                best = rate;
                kernel = table_name(k);
            }
        }
    }
    for (int i = -1; i < 0 || ig_bench_blas_cores[i] != NULL; i++) {
        const char *core = i < 0 ? NULL : ig_bench_blas_cores[i];
        const char *name = core != NULL ? core : "as installed";
        double rate; /* a core that the library refuses is left out */
        if (ig_bench_blas_process(&rate, core, ig_team_size(team), busy_time, program, NULL) !=
            IG_ERR_OK)
            continue;
        json_object_set_new(blas, name, json_real(rate));
        if (rate > best) {
            best = rate;
            kernel = name;
        }
    }
    json_object_set_new(out, "ceiling", json_pack("{s:f,s:s}", "gflops", best, "kernel", kernel));
    return IG_ERR_OK;
}

static void print_text(const json_t *result)
{
    size_t i;
    const json_t *row;
    const char *core;
    json_t *rate;
    const int n_thread = (int)json_integer_value(json_object_get(result, "threads"));
    printf("GFLOP/s, %d thread%s       m     n     k", n_thread, n_thread == 1 ? " " : "s");
    for (int k = 0; k < count_tables(); k++)
        printf("%10s", ig_ops_names[k + 1] != NULL ? ig_ops_names[k + 1] : "bfloat16");
    putchar('\n');
    json_array_foreach(json_object_get(result, "shapes"), i, row)
    {
        printf("%-22s %5d %5d %5d", json_string_value(json_object_get(row, "name")),
               (int)json_integer_value(json_object_get(row, "m")),
               (int)json_integer_value(json_object_get(row, "n")),
               (int)json_integer_value(json_object_get(row, "k")));
        for (int k = 0; k < count_tables(); k++) {
            const json_t *rate_of = json_object_get(row, table_name(k));
            if (rate_of == NULL)
                printf("%10s", "-");
            else
                printf("%10.1f", json_real_value(rate_of));
        }
        putchar('\n');
    }
    json_object_foreach(json_object_get(result, "blas"), core, rate)
        printf("BLAS, large, %-26s %10.1f\n", core, json_real_value(rate));
    const json_t *ceiling = json_object_get(result, "ceiling");
    printf("the best of all in float32, large: %.1f (%s)\n",
           json_real_value(json_object_get(ceiling, "gflops")),
           json_string_value(json_object_get(ceiling, "kernel")));
}

static ig_code run_bench_gemm(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const gemm_config *c = config;
    (void)n_arg;
    (void)arg;
    ig_team *team;
    IG_TRY(ig_team_new(&team, (int)c->threads, err));
    if (c->only_blas) {
        ig_code code = only_blas(team, c->busy_time, err);
        ig_team_free(team);
        return code;
    }
    json_t *result = json_object();
    ig_code code = result == NULL ? ig_fail(err, IG_ERR_MEMORY, "", 0, "no memory for the report")
                                  : gather(result, team, c->busy_time, err);
    ig_team_free(team);
    if (code == IG_ERR_OK && c->json)
        return ig_json_print(result, err);
    if (code == IG_ERR_OK)
        print_text(result);
    json_decref(result);
    return code;
}

const ig_command ig_cmd_bench_gemm = {
    .name = "gemm",
    .summary = "speed of matrix products with every available kernel",
    .details =
        "Our kernels at large shapes and at those of one shard of BERT-small, the installed BLAS "
        "with its own choice, and OpenBLAS set to its other kernels.",
    IG_COMMAND_OPTIONS(options, gemm_config),
    .run = run_bench_gemm,
};
