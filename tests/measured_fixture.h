/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a measurement by name.
 */
#pragma once

#include "measure/measure_list.h"

#include <math.h>
#include <string.h>

/* Returns a value of the l-th measured layer. */
static inline double at(const ig_measure_result *r, const char *measure, int l)
{
    return ig_measure_value(r, measure, r->options.layer[l]);
}

/* Returns the number of items of that value; 0: it has no row. layer −1: of no layer. */
static inline int64_t n_of(const ig_measure_result *r, const char *measure, const char *split,
                           const char *languages, int layer)
{
    const ig_row like = {.task = measure, .split = split, .languages = languages, .layer = layer};
    for (int64_t i = 0; i < r->rows.n; i++)
        if (ig_row_compare(&r->rows.row[i], &like) == 0)
            return r->rows.row[i].n;
    return 0;
}

/* The number of the rows of a step, of the finished model for −1; NaN: it has none. */
static inline double in_rows(const ig_row_set *rows, int64_t step, const char *measure,
                             const char *split, const char *languages, int layer)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const ig_row *m = &rows->row[i];
        const ig_row like = {.task = measure,
                             .split = split,
                             .languages = languages,
                             .layer = layer,
                             .step = m->step};
        if ((step < 0 ? m->last : m->step == step) && ig_row_compare(m, &like) == 0)
            return m->value;
    }
    return (double)NAN;
}

/* The number in the "rows" of measures as JSON; NaN: it has none. */
static inline double in_json(const json_t *measures, const char *measure, const char *split,
                             const char *languages, int layer)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(measures, "rows"), i, row)
    {
        const json_t *l = json_object_get(row, "layer");
        if (strcmp(json_string_value(json_object_get(row, "measure")), measure) == 0 &&
            strcmp(json_string_value(json_object_get(row, "split")), split) == 0 &&
            strcmp(json_string_value(json_object_get(row, "languages")), languages) == 0 &&
            (l != NULL ? (int)json_integer_value(l) : -1) == layer)
            return json_real_value(json_object_get(row, "value"));
    }
    return (double)NAN;
}
