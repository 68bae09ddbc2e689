/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot-bench ops: measures the rate of every op, and its share of this machine's best.
 */
#include "bench/bench_kernels.h"
#include "bench/bench_ops.h"
#include "bench/commands.h"
#include "cli/print/print.h"
#include "model/engine/engine.h"

#include <stdio.h>

typedef struct {
    int64_t threads;
    int precision;
    bool busy_time, json;
} ops_config;

static const ig_option options[] = {
    {IG_INT(ops_config, "threads", threads, "1", 0, 1024,
            "threads, each with data of its own; 0: all processors")},
    {IG_ENUM(ops_config, "precision", precision, "float32", ig_precision_names,
             "of the matrix products: float32 or bfloat16")},
    {IG_FLAG(ops_config, "busy-time", busy_time, NULL,
             "count CPU time, not wall-clock time: for a machine with other load")},
    {IG_FLAG(ops_config, "json", json, NULL, "print the result as JSON")},
};

typedef struct {
    ig_bench_op_list ops;
    int n_thread;
    double gflops; /* of large products */
    char kernel[40];
    const char *table;
} measured;

static ig_code measure(measured *m, const ops_config *c, ig_err *err)
{
    ig_team *team;
    ig_bench_kernel best;
    const ig_ops *ops;
    IG_TRY(ig_engine_ops(&ops, (ig_precision)(c->precision % IG_N_PRECISION), err));
    IG_TRY(ig_team_new(&team, (int)c->threads, err));
    m->n_thread = ig_team_size(team);
    m->table = ops->name;
    ig_code code = ig_bench_gemm_best(&best, team, c->busy_time, "/proc/self/exe", err);
    IG_THEN(code, ig_bench_gemm(&m->gflops, &best, team, c->busy_time, "/proc/self/exe", err));
    if (code == IG_ERR_OK) {
        snprintf(m->kernel, sizeof m->kernel, "%s", best.name);
        code = ig_bench_ops(&m->ops, ops, team, m->gflops, c->busy_time, err);
    }
    ig_team_free(team);
    return code;
}

static json_t *to_json(const measured *m, bool busy_time)
{
    json_t *ops = json_array();
    for (int i = 0; i < m->ops.n; i++) {
        const ig_bench_op *o = &m->ops.op[i];
        json_array_append_new(ops,
                              json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f}", "op", o->op, "shape",
                                        o->shape, "unit", o->arithmetic ? "GFLOP/s" : "GB/s",
                                        "rate", o->rate, "ceiling", o->ceiling, "share",
                                        o->rate / o->ceiling, "microseconds", 1e6 / o->per_second));
    }
    return json_pack("{s:s, s:i, s:s, s:f, s:s, s:o}", "kernels", m->table, "threads", m->n_thread,
                     "clock", busy_time ? "processor" : "wall", "gemm_gflops", m->gflops,
                     "gemm_kernel", m->kernel, "ops", ops);
}

static void print_text(const measured *m)
{
    printf("kernels %s, %d thread%s; large products reach %.1f GFLOP/s (%s)\n\n", m->table,
           m->n_thread, m->n_thread == 1 ? "" : "s", m->gflops, m->kernel);
    printf("%-17s %-32s %9s %15s %9s\n", "op", "shape", "µs", "rate", "of best");
    for (int i = 0; i < m->ops.n; i++) {
        const ig_bench_op *o = &m->ops.op[i];
        printf("%-17s %-32s %8.2f %7.1f %-7s %7.0f %%\n", o->op, o->shape, 1e6 / o->per_second,
               o->rate, o->arithmetic ? "GFLOP/s" : "GB/s", 100 * o->rate / o->ceiling);
    }
}

static ig_code run_bench_ops(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const ops_config *c = config;
    measured m = {.n_thread = 0};
    (void)n_arg;
    (void)arg;
    IG_TRY(measure(&m, c, err));
    if (c->json)
        return ig_json_print(to_json(&m, c->busy_time), err);
    print_text(&m);
    return IG_ERR_OK;
}

const ig_command ig_cmd_bench_ops = {
    .name = "ops",
    .summary = "speed of every op, as a share of what this machine can do",
    .details =
        "Each op at the shapes of a shard of BERT-small, its data in the caches. Arithmetic is "
        "held against the best matrix products at hand (GFLOP/s), moving of data against memcpy "
        "of as many bytes (GB/s; more than 100 % is possible where an op only reads). "
        "ISOGLOT_CPU names another table of kernels. What share of a training each op has: "
        "isoglot-bench train --profile.",
    IG_COMMAND_OPTIONS(options, ops_config),
    .run = run_bench_ops,
};
