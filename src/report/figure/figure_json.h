/* SPDX-License-Identifier: Apache-2.0
 *
 * What a figure shows, as JSON.
 */
#ifndef IG_REPORT_FIGURE_FIGURE_JSON_H
#define IG_REPORT_FIGURE_FIGURE_JSON_H

#include "report/figure/figure.h"

#include <jansson.h>

/* An object a curve {"panel", "name", "x", "y", "low", "high", "onset"}, a row of a matrix
 * {"panel", "name", "columns", "values"}, a group of points {"panel", "name", "n"}, or a value
 * {"panel", "name", "value", "low", "high", "reference"}; null for what is not finite. Owned by the
 * caller; NULL: no memory. */
json_t *ig_figure_json(const ig_figure *f);

#endif
