/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a measurement: appended by measures, found by name.
 */
#include "measure/measure_list.h"

#include "base/assert.h"

#include <math.h>

const char *ig_measure_split(const ig_measure_options *o)
{
    return o->split != NULL ? o->split : "dev";
}

ig_measure_out ig_measure_out_of(ig_measure_result *r, int layer)
{
    return (ig_measure_out){.rows = &r->rows,
                            .split = ig_measure_split(&r->options),
                            .languages = r->pair,
                            .layer = layer,
                            .listed = r->listed};
}

ig_code ig_measure_put(const ig_measure_out *out, const char *measure, int64_t n, double value,
                       ig_err *err)
{
    const ig_store_task *t = ig_store_task_find(measure);
    IG_ASSERT(t != NULL);
    const ig_row row = {.task = t->name,
                        .split = out->split,
                        .languages = out->languages,
                        .task_version =
                            out->listed && t->version_listed > 0 ? t->version_listed : t->version,
                        .layer = out->layer,
                        .n = n,
                        .value = value};
    return isnan(value) ? IG_ERR_OK : ig_row_set_put(out->rows, &row, err);
}

static double value_of(const ig_measure_result *r, const ig_row *like)
{
    for (int64_t i = 0; i < r->rows.n; i++)
        if (ig_row_compare(&r->rows.row[i], like) == 0)
            return r->rows.row[i].value;
    return (double)NAN;
}

double ig_measure_value(const ig_measure_result *r, const char *measure, int layer)
{
    return value_of(r, &(ig_row){.task = measure,
                                 .split = ig_measure_split(&r->options),
                                 .languages = r->pair,
                                 .layer = layer});
}

double ig_measure_perplexity(const ig_measure_result *r, const char *split)
{
    return value_of(r,
                    &(ig_row){.task = "perplexity", .split = split, .languages = "", .layer = -1});
}

void ig_measure_result_free(ig_measure_result *r)
{
    ig_row_set_free(&r->rows);
    json_decref(r->of_pairs);
    r->of_pairs = NULL;
}

bool ig_measure_has_distinct(const ig_measure_result *r)
{
    const ig_measure_set what = r->options.what;
    return ig_measure_requested(what, IG_MEASURE_distinct) ||
           (r->n_same > 0 && ig_measure_requested(what, IG_MEASURE_translation));
}

double ig_measure_identical(const ig_measure_result *r)
{
    return r->n_word > 0 ? (double)r->n_same / (double)r->n_word : (double)NAN;
}
