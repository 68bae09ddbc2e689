/* SPDX-License-Identifier: Apache-2.0
 *
 * A store of an experiment like Table 1 of Dufter & Schütze 2020: some of its rows, five seeds
 * around the paper's numbers, one run failed, one missing; and the tables made from it.
 */
#pragma once

#include "test.h"

#include "base/pool.h"
#include "base/rng.h"
#include "report/results/results.h"
#include "store/store_task.h"

#include <string.h>

typedef struct {
    const char *cell, *label;
    double mu, mu_sd, f1, rho_low, rho_high, train, dev;
} report_row;

static const report_row report_rows[] = {
    {"0", "original", .70, .02, 1.00, .16, .97, 9, 217},
    {"1", "lang-pos", .30, .07, .87, .33, .39, 9, 216},
    {"2", "shift-special", .66, .04, 1.00, .15, .97, 9, 227},
    {"4", "no-random", .68, .02, 1.00, .19, .85, 9, 273},
    {"5", "lang-pos; shift-special", .20, .15, .62, .22, .27, 10, 205},
    {"8", "lang-pos; shift-special; no-random", .12, .10, .46, .09, .11, 10, 254},
    {"3", "inv-order", .01, .005, .02, .00, .01, 11, 209},
    {"16", "lang-pos; overparam", .01, .004, .25, .01, .01, 3, 254},
    {"18", "untrained", .00, .001, .97, .00, .00, 3484, 4128},
};
enum { REPORT_ROWS = sizeof report_rows / sizeof *report_rows, REPORT_SEEDS = 5 };

typedef struct {
    ig_pool pool;
    ig_store_result stored;
    ig_results results;
    ig_column column[6];
    ig_table_spec spec;
    ig_reference_value value[REPORT_ROWS * 6];
    ig_reference reference;
    ig_result_table table;
} report_fixture;

static const char *const report_quantities[] = {
    "mu", "f1[low]", "rho[low]", "rho[high]", "perplexity[train]", "perplexity[dev]"};

static double report_value(const report_row *r, int q)
{
    const double v[] = {r->mu, r->f1, r->rho_low, r->rho_high, r->train, r->dev};
    return v[q];
}

/* Sorted by task, split, layer, as the store gives them. q: the quantity; −1: no draw. */
static const struct {
    const char *task, *split;
    int layer, q;
    double value;
} report_metric[] = {{"f1", "dev", 0, 1, 0},          {"mu", "dev", -1, 0, 0},
                     {"mu_high", "dev", -1, -1, 8},   {"mu_low", "dev", -1, -1, 0},
                     {"perplexity", "dev", -1, 5, 0}, {"perplexity", "train", -1, 4, 0},
                     {"rho", "dev", 0, 2, 0},         {"rho", "dev", 8, 3, 0}};
enum { REPORT_METRICS = sizeof report_metric / sizeof *report_metric };

static void report_metrics(report_fixture *f, const report_row *r, int64_t seed)
{
    for (int i = 0; i < REPORT_METRICS; i++) {
        ig_row *m = &f->stored.metric[f->stored.n_metric++];
        int q = report_metric[i].q;
        *m = (ig_row){.task = report_metric[i].task,
                      .task_version = 1,
                      .split = report_metric[i].split,
                      .languages = q < 4 ? "en-fake" : "",
                      .layer = report_metric[i].layer,
                      .step = 13500,
                      .last = true,
                      .n = 10000,
                      .value = report_metric[i].value};
        if (q < 0)
            continue;
        double mean = report_value(r, q), sd = q < 4 ? r->mu_sd : mean / 30;
        ig_rng rng = ig_rng_make((uint64_t)seed, 0, (uint32_t)q, (uint32_t)(r - report_rows));
        m->value = mean + ig_rng_normal(&rng) * sd;
        if (q < 4)
            m->value = m->value < 0 ? 0 : m->value > 1 ? 1 : m->value;
    }
}

static void report_run(report_fixture *f, int row, int64_t seed, const char *host)
{
    ig_err err;
    const report_row *r = &report_rows[row];
    ig_store_entry *e = &f->stored.entry[f->stored.n_entry++];
    const char *address, *config, *manifest;
    assert_ok(ig_pool_print(&f->pool, &address, &err, "%08x%08x", row + 0xa0, (unsigned)seed),
              &err);
    assert_ok(ig_pool_print(&f->pool, &config, &err,
                            "{\"lang_pos\": %s, \"batch\": 256, \"seed\": %d}",
                            strstr(r->label, "lang-pos") != NULL ? "true" : "false", (int)seed),
              &err);
    assert_ok(
        ig_pool_print(
            &f->pool, &manifest, &err,
            "{\"address\": \"%s\", \"host\": \"%s\", \"parameters\": 1050000, \"threads\": 1, "
            "\"data\": {\"files\": {\"vocab.txt\": \"5f2a\", \"train.shard\": \"90bc\"}}, "
            "\"program\": {\"version\": \"0.1.0\", \"commit\": \"abc1234\", \"compiler\": "
            "\"gcc 12.2\", \"cpu\": {\"name\": \"AMD EPYC <9B45>\", \"isa\": [\"avx2\", "
            "\"avx512f\"]}, \"kernels\": {\"table\": \"avx512\"}}}",
            address, host),
        &err);
    bool failed = row == 7 && seed == 3, missing = row == 7 && seed == 4;
    e->cell = (ig_store_cell){"table1", r->cell, r->label, row, seed, address};
    e->run = (ig_store_run){.address = address,
                            .status = failed    ? IG_RUN_FAILED
                                      : missing ? IG_RUN_MISSING
                                                : IG_RUN_DONE,
                            .seed = seed,
                            .config = missing ? NULL : config,
                            .manifest = failed || missing ? NULL : manifest,
                            .message = failed ? "update 412: the loss is not finite" : NULL,
                            .seconds = 1834.5 + (double)seed,
                            .tokens_per_second = 98123,
                            .updates = 13500,
                            .tokens = 1 << 27,
                            .peak_memory = 812345678,
                            .finished = 1795252000 + 4000 * seed};
    e->first_metric = f->stored.n_metric;
    if (!failed && !missing)
        report_metrics(f, r, seed);
    e->n_metric = f->stored.n_metric - e->first_metric;
}

static void report_make_seeds(report_fixture *f, int seeds)
{
    ig_err err;
    memset(f, 0, sizeof *f);
    assert_ok(ig_pool_alloc(&f->pool, &f->stored.entry, REPORT_ROWS * seeds,
                            sizeof *f->stored.entry, &err),
              &err);
    assert_ok(ig_pool_alloc(&f->pool, &f->stored.metric, REPORT_ROWS * seeds * REPORT_METRICS,
                            sizeof *f->stored.metric, &err),
              &err);
    for (int r = 0; r < REPORT_ROWS; r++)
        for (int64_t s = 0; s < seeds; s++)
            report_run(f, r, s, s < 4 ? "laptop" : "server");
    assert_ok(ig_results_make(&f->results, &f->stored, true, &err), &err);
    for (int q = 0; q < 6; q++) {
        ig_column *c = &f->column[q];
        assert_ok(ig_quantity_parse(&c->q, report_quantities[q], "fixture", 0, &err), &err);
        c->digits = -1;
        c->higher_is_better = q < 4;
        c->lower_is_better = q >= 4;
        for (int r = 0; r < REPORT_ROWS; r++)
            f->value[f->reference.n_value++] =
                (ig_reference_value){.cell = (char *)(uintptr_t)report_rows[r].cell,
                                     .quantity = c->q,
                                     .mean = report_value(&report_rows[r], q),
                                     .sd = q == 0 ? (double)NAN : report_rows[r].mu_sd,
                                     .digits = q < 4 ? 2 : 0,
                                     .sd_digits = 2};
    }
    f->reference.source = (char *)(uintptr_t) "Dufter & Schütze 2020, Table 1";
    f->reference.verified = true;
    f->reference.value = f->value;
    f->spec = (ig_table_spec){.name = (char *)(uintptr_t) "table1",
                              .title = (char *)(uintptr_t) "Table 1",
                              .caption = (char *)(uintptr_t) "Multilinguality and model fit",
                              .column = f->column,
                              .n_column = seeds > 20 ? 1 : 6, /* of many seeds, few draws */
                              .base = (char *)(uintptr_t) "0"};
    assert_ok(ig_result_table_make(&f->table, &f->results, &f->spec, NULL, &f->reference, &err),
              &err);
}

static inline void report_make(report_fixture *f)
{
    report_make_seeds(f, REPORT_SEEDS);
}

static void report_free(report_fixture *f)
{
    ig_result_table_free(&f->table);
    ig_results_free(&f->results);
    ig_pool_free(&f->pool);
}
