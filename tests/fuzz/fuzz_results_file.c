/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file of results: refused with a message, the file and mostly a line, or runs with
 * their metrics in the store's order, each once, of which a report can be made.
 */
#include "fuzz_file.h"

#include "report/results/results_file.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int order(const ig_row *a, const ig_row *b)
{
    int by = strcmp(a->task, b->task);
    by = by != 0 ? by : strcmp(a->split, b->split);
    by = by != 0 ? by : strcmp(a->languages, b->languages);
    by = by != 0 ? by : (a->layer > b->layer) - (a->layer < b->layer);
    return by != 0 ? by : (a->step > b->step) - (a->step < b->step);
}

static void check_run(const ig_result_file *f, const ig_result_file_run *run)
{
    const ig_store_entry *e = &run->entry;
    IG_ASSERT(e->first_metric >= 0 && e->first_metric + e->n_metric <= f->n_metric);
    IG_ASSERT(e->run.status == IG_RUN_DONE && strlen(run->settings) == 16);
    for (int64_t i = e->first_metric; i < e->first_metric + e->n_metric; i++) {
        IG_ASSERT(isfinite(f->metric[i].value) && f->metric[i].layer >= -1);
        IG_ASSERT(i == e->first_metric || order(&f->metric[i - 1], &f->metric[i]) < 0);
    }
    ig_results r;
    ig_err err = {0};
    ig_store_entry one = *e;
    const ig_store_result s = {
        .entry = &one, .n_entry = 1, .metric = f->metric, .n_metric = f->n_metric};
    IG_ASSERT(ig_results_make(&r, &s, true, &err) == IG_ERR_OK);
    ig_quantity q = {.task = "mu", .layer = IG_LAYER_NONE};
    ig_result_value_of(&r, &r.cell[0], &one, &q, -1);
    ig_results_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    ig_result_file f;
    ig_err err = {0};
    if (ig_result_file_read(&f, path, &err) != IG_ERR_OK)
        IG_ASSERT(err.msg[0] != '\0' && strcmp(err.where, path) == 0);
    else {
        IG_ASSERT(f.n_experiment > 0);
        for (int64_t i = 0; i < f.n_run && i < 100; i++)
            check_run(&f, &f.run[i]);
    }
    ig_result_file_free(&f);
    unlink(path);
    return 0;
}
