/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of models as tables for people.
 */
#pragma once

#include "measure/measure.h"

/* One model: a line a layer. */
ig_code ig_measure_table(const ig_measure_result *r, ig_err *err);

/* Several: a line each; those that were measured at other layers in a table of their own. */
typedef struct {
    const char *name;
    int64_t step; /* −1: unknown */
    const ig_measure_result *measure;
} ig_measure_row;
/* Every measure with its numbers, as `isoglot help measures` prints them. */
void ig_measure_list(FILE *fp);

ig_code ig_measure_rows(const ig_measure_row *row, int n, const char *what, ig_err *err);
