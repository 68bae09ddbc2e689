/* SPDX-License-Identifier: Apache-2.0
 *
 * Results for programs: the numbers of a table with all that is known of each, as JSON and as tidy
 * tables (a line per cell and quantity, or per measured value). docs/report-data.md lists the keys.
 */
#ifndef IG_REPORT_RESULTS_RESULTS_DATA_H
#define IG_REPORT_RESULTS_RESULTS_DATA_H

#include "base/settings/json_lists.h"
#include "report/results/results.h"
#include "report/table/table.h"

#include <jansson.h>

/* {"name", "title", "base", "reference", "columns", "rows", "order", "notes"}, where *list are the
 * rows; valid as long as t. NULL: no memory. */
json_t *ig_result_table_json(const ig_result_table *t, ig_json_list *list);
/* [{"cell", "label", "status", "lacking", "runs": [{"seed", "address", "status", …}]}], which is
 * *list. */
json_t *ig_result_cells_json(const ig_results *r, ig_json_list *list);

/* A line per cell and quantity. Freed with ig_table_free. */
ig_code ig_result_table_tidy(ig_table **out, const ig_result_table *t, ig_err *err);
/* A line per measured value of every run, as CSV: all that the store has of the experiment. */
ig_code ig_result_metrics_csv(FILE *fp, const ig_results *r, ig_err *err);

#endif
