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

static void check_run(const ig_store_result *s, const ig_store_entry *e)
{
    const ig_row *m = ig_store_rows(s, e);
    IG_ASSERT(e->first_metric >= 0 && e->first_metric + e->n_metric <= s->n_metric);
    IG_ASSERT(e->run.status == IG_RUN_DONE &&
              (e->run.settings == NULL || strlen(e->run.settings) == 16));
    for (int64_t i = 0; i < e->n_metric; i++) {
        IG_ASSERT(isfinite(m[i].value) && m[i].layer >= -1);
        IG_ASSERT(i == 0 || ig_row_compare(&m[i - 1], &m[i]) < 0);
    }
    ig_results r;
    ig_err err = {0};
    ig_store_entry one = *e;
    const ig_store_result only = {
        .entry = &one, .n_entry = 1, .metric = s->metric, .n_metric = s->n_metric};
    IG_ASSERT(ig_results_make(&r, &only, true, &err) == IG_ERR_OK);
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
        for (int64_t i = 0; i < f.stored.n_entry && i < 100; i++)
            check_run(&f.stored, &f.stored.entry[i]);
    }
    ig_result_file_free(&f);
    unlink(path);
    return 0;
}
