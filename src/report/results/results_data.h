/* SPDX-License-Identifier: Apache-2.0
 *
 * Results for programs: the numbers of a table with all that is known of each, as JSON and as tidy
 * tables (a line per cell and quantity, or per measured value). docs/report.md lists the keys.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

#include <jansson.h>

/* {"name", "title", "base", "reference", "columns", "rows", "order", "notes"}. NULL: no memory. */
json_t *ig_result_table_json(const ig_result_table *t);
/* [{"cell", "label", "status", "lacking", "runs": [{"seed", "address", "status", …}]}]. */
json_t *ig_result_cells_json(const ig_results *r);

/* A line per cell and quantity. Freed with ig_table_free. */
ig_code ig_result_table_tidy(ig_table **out, const ig_result_table *t, ig_err *err);
/* When the curves of a figure set in (docs/report.md), as numbers and in words. */
/* [{"figure", "quantity", "cell", "label", "of" (seeds measured), "n" (seeds in which it sets in),
 * "mean", "sd", "low", "high", "seeds": [{"seed", "step"}]}], a line for each quantity and cell of
 * a figure of curves; empty for other figures. Wants results of all checkpoints. *out is owned by
 * the caller, NULL after an error. */
ig_code ig_result_onsets(json_t **out, const ig_results *r, const ig_figure_spec *figure,
                         ig_err *err);
/* "μ sets in at update 350 [300, 420] in 0 (5 of 5 seeds), nowhere in 3 (5 seeds)." and so on for
 * each quantity; freed with free. NULL: nothing to say, or no memory. */
char *ig_result_onsets_text(const json_t *onsets);
