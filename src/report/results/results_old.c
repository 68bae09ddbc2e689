/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts lines of results as they were before version 2 (results_old.h).
 */
#include "report/results/results_old.h"
#include "base/settings/json_keys.h"
#include "report/table/spec.h"
#include "store/store_task.h"

#include <string.h>

static ig_code take_value(ig_row_set *rows, const json_t *j, ig_row_source from, ig_err *err)
{
    ig_quantity q;
    ig_err why;
    if (ig_quantity_parse(&q, json_string_value(json_object_get(j, "quantity")), from.path,
                          from.line, &why) != IG_ERR_OK) {
        ig_fail(err, IG_ERR_INPUT, from.path, from.line, "%s", why.msg);
        return why.hint[0] != '\0' ? ig_hint(err, "%s", why.hint) : IG_ERR_INPUT;
    }
    const ig_store_task *task = ig_store_task_find(q.task);
    const json_t *layer = json_object_get(j, "layer"), *last = json_object_get(j, "last"),
                 *version = json_object_get(j, "task_version");
    if (task->kind == IG_STORE_TASK_RUN)
        return ig_fail(err, IG_ERR_INPUT, from.path, from.line,
                       "found a measure of the training, which the line of the run has");
    return ig_row_set_put(
        rows,
        &(ig_row){.task = task->name,
                  .task_version = version != NULL ? (int)json_integer_value(version) : 1,
                  .split = q.split[0] != '\0' ? q.split : task->split,
                  .tags = q.tags,
                  .languages = q.languages,
                  .layer = layer != NULL ? (int)json_integer_value(layer) : -1,
                  .step = json_integer_value(json_object_get(j, "step")),
                  .last = last == NULL || json_is_true(last),
                  .n = json_integer_value(json_object_get(j, "n")),
                  .value = json_number_value(json_object_get(j, "value")),
                  .line = from.line},
        err);
}

ig_code ig_result_old_value(ig_row_set *rows, const json_t *j, const ig_store_entry *e,
                            ig_row_source from, ig_err *err)
{
    static const ig_json_key keys[] = {
        {"run", "that of the line above", ig_json_is_name, true},
        {"cell", "that of the run", ig_json_is_name, true},
        {"seed", "that of the run", ig_json_is_integer, true},
        {"quantity", "the name of one", ig_json_is_name, true},
        {"layer", "a layer of at most 999", ig_json_is_small, false},
        {"step", "a whole number, 0 or more", ig_json_is_count, true},
        {"last", "true or false", ig_json_is_truth, false},
        {"n", "a whole number, 0 or more", ig_json_is_count, false},
        {"task_version", "a small whole number", ig_json_is_small, false},
        {"value", "a number", ig_json_is_number, true}};
    char why[300];
    if (!ig_json_has(why, sizeof why, j, keys, sizeof keys / sizeof *keys))
        return ig_fail(err, IG_ERR_INPUT, from.path, from.line, "%s", why);
    if (e == NULL || strcmp(json_string_value(json_object_get(j, "run")), e->cell.address) != 0 ||
        strcmp(json_string_value(json_object_get(j, "cell")), e->cell.cell) != 0 ||
        json_integer_value(json_object_get(j, "seed")) != e->cell.seed)
        return ig_fail(err, IG_ERR_INPUT, from.path, from.line,
                       "found a value of another run, expected one of the run whose line is above");
    return take_value(rows, j, from, err);
}

ig_code ig_result_old_layers(ig_row_set *rows, const json_t *both, int64_t step, ig_row_source from,
                             ig_err *err)
{
    static const char *const task[] = {"mu_low", "mu_high"};
    for (size_t i = 0; i < 2 && both != NULL; i++) {
        const json_t *x = json_array_get(both, i);
        if (!ig_json_is_small(x) || json_array_size(both) != 2)
            return ig_fail(err, IG_ERR_INPUT, from.path, from.line,
                           "mu_layers: expected two layers");
        IG_TRY(ig_row_set_put(rows,
                              &(ig_row){.task = task[i],
                                        .task_version = 1,
                                        .split = "dev",
                                        .languages = "",
                                        .layer = -1,
                                        .last = true,
                                        .step = step,
                                        .value = (double)json_integer_value(x),
                                        .line = from.line},
                              err));
    }
    return IG_ERR_OK;
}
