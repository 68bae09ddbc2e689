/* SPDX-License-Identifier: Apache-2.0
 *
 * How long it takes to read an experiment of many runs from a store, and to make a table of it:
 *
 *   tool_store_bench DIR RUNS METRICS CHECKPOINTS
 *
 * makes a store in DIR (which must not hold one) with so many runs, five seeds to a cell, and
 * METRICS values of each at each of CHECKPOINTS steps; then reads it. Times are CPU seconds of
 * this process. Not part of the test run.
 */
#include "base/memory.h"
#include "run/run_config.h"
#include "report/results/results.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEEDS = 5, TASKS = 4 };
static const char *const tasks[TASKS] = {"f1", "precision", "rho", "tau"};

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const ig_err *err)
{
    fprintf(stderr, "%s: %s\n", err->where, err->msg);
    return (int)err->code;
}

/* The configuration and manifest of a real run, in size. */
static char *config_of(int seed, ig_err *err)
{
    ig_run_config c = {0};
    if (ig_options_default(&ig_run_options, &c, err) != IG_ERR_OK)
        return NULL;
    c.optimisation.seed = seed;
    json_t *j = ig_options_json(&ig_run_options, &c);
    char *text = json_dumps(j, JSON_COMPACT);
    json_decref(j);
    ig_run_config_free(&c);
    return text;
}

static ig_code fill(ig_store *s, int64_t runs, int metrics, int checkpoints, ig_err *err)
{
    static const char manifest[] = "{\"isoglot_manifest\":1,\"layers\":12,\"data\":{\"train\":{"
                                   "\"sha256\":\"0123456789abcdef0123"
                                   "456789abcdef0123456789abcdef0123456789abcdef\"},\"dev\":{"
                                   "\"sha256\":\"0123456789abcdef01234"
                                   "56789abcdef0123456789abcdef0123456789abcdef\"}},\"program\":{"
                                   "\"version\":\"0.1.0\",\"commit\""
                                   ":\"0123456789\",\"compiler\":\"gcc "
                                   "12.2.0\",\"cpu\":{\"name\":\"a processor\"},\"kernels\":{"
                                   "\"table\":\"avx512\"}},\"measure\":{\"max_sentences\":2000}}";
    ig_row *m;
    ig_store_cell *cell;
    char(*name)[40];
    IG_TRY(ig_alloc(&m, (int64_t)metrics * checkpoints, sizeof *m, "metrics", err));
    IG_TRY(ig_alloc(&cell, runs, sizeof *cell, "cells", err));
    IG_TRY(ig_alloc(&name, 2 * runs, sizeof *name, "names", err));
    ig_code code = ig_store_begin(s, err);
    for (int64_t k = 0; k < runs && code == IG_ERR_OK; k++) {
        const int seed = (int)(k % SEEDS);
        char *config = config_of(seed, err), *address = name[2 * k], *label = name[2 * k + 1];
        if (config == NULL)
            return ig_store_end(s, IG_ERR_MEMORY, err);
        snprintf(address, 40, "%016llx", (unsigned long long)k * 0x9E3779B97F4A7C15u);
        snprintf(label, 40, "cell-%lld", (long long)(k / SEEDS));
        cell[k] = (ig_store_cell){"bench",          label, "lang-pos; shift-special",
                                  (int)(k / SEEDS), seed,  address};
        for (int i = 0; i < metrics * checkpoints; i++) {
            const int q = i % metrics;
            m[i] = (ig_row){tasks[q % TASKS],
                            "dev",
                            "en-fake",
                            "",
                            1,
                            q / TASKS,
                            i / metrics == checkpoints - 1,
                            i / metrics * 100,
                            2000,
                            (double)((k * 31 + i * 17) % 997) / 997,
                            0};
        }
        code = ig_store_put_run(s,
                                &(ig_store_run){.address = address,
                                                .status = IG_RUN_DONE,
                                                .seed = seed,
                                                .config = config,
                                                .manifest = manifest,
                                                .seconds = 1},
                                err);
        if (code == IG_ERR_OK)
            code = ig_store_put_rows(s, address, m, (int64_t)metrics * checkpoints, err);
        free(config);
    }
    if (code == IG_ERR_OK)
        code = ig_store_put_cells(s, "bench", cell, (int)runs, err);
    ig_free(m);
    code = ig_store_end(s, code, err);
    ig_free(cell);
    ig_free(name);
    return code;
}

static ig_code table_of(const ig_results *r, ig_err *err)
{
    ig_column column[8] = {0};
    ig_table_spec spec = {.column = column, .n_column = 8};
    for (int i = 0; i < 8; i++) {
        snprintf(column[i].q.task, sizeof column[i].q.task, "%s", tasks[i % TASKS]);
        column[i].q.layer = i / TASKS;
    }
    ig_result_table t;
    ig_code code = ig_result_table_make(&t, r, &spec, "cell-0", NULL, err);
    ig_result_table_free(&t);
    return code;
}

int main(int argc, char **argv)
{
    ig_err err = {0};
    ig_store *s;
    if (argc != 5) {
        fprintf(stderr, "usage: tool_store_bench DIR RUNS METRICS CHECKPOINTS\n");
        return 2;
    }
    const double t0 = cpu();
    if (ig_store_open(&s, argv[1], true, &err) != IG_ERR_OK ||
        fill(s, atoll(argv[2]), atoi(argv[3]), atoi(argv[4]), &err) != IG_ERR_OK)
        return failed(&err);
    ig_store_close(s);
    printf("write            %.3f s\n", cpu() - t0);
    for (int k = 0; k < 3; k++) {
        ig_store_result r;
        ig_results results;
        const double t1 = cpu();
        if (ig_store_open(&s, argv[1], false, &err) != IG_ERR_OK ||
            ig_store_read(&r, s, "bench", true, &err) != IG_ERR_OK)
            return failed(&err);
        const double t2 = cpu();
        if (ig_results_make(&results, &r, false, &err) != IG_ERR_OK)
            return failed(&err);
        const double t3 = cpu();
        if (table_of(&results, &err) != IG_ERR_OK)
            return failed(&err);
        const double t4 = cpu();
        printf("read, last only  %.3f s (%lld runs, %lld metrics); by cell %.3f s; table of 8 "
               "columns %.3f s\n",
               t2 - t1, (long long)r.n_entry, (long long)r.n_metric, t3 - t2, t4 - t3);
        ig_results_free(&results);
        ig_store_result_free(&r);
        const double t5 = cpu();
        if (ig_store_read(&r, s, "bench", false, &err) != IG_ERR_OK)
            return failed(&err);
        printf("read, all        %.3f s (%lld metrics)\n", cpu() - t5, (long long)r.n_metric);
        ig_store_result_free(&r);
        ig_store_close(s);
    }
    return 0;
}
