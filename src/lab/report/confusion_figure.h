/* SPDX-License-Identifier: Apache-2.0
 *
 * Confusions after fine-tuning: which label was predicted for which.
 */
#ifndef IG_LAB_REPORT_CONFUSION_FIGURE_H
#define IG_LAB_REPORT_CONFUSION_FIGURE_H

#include "report/figure/figure.h"
#include "report/results/results.h"

/* Adds a panel: of the test data (without any, the development data) of the quantity's task, way
 * and language, added up over the finished runs of a cell below `store` (of one seed, unless that
 * is −1) and over their fine-tunings, of the model that each has chosen. Rows are gold labels,
 * values shares of a row. `name` (NULL: none) begins the title. No such scores: IG_ERR_INPUT. */
ig_code ig_confusion_figure_add(ig_figure *f, const ig_result_cell *c, const ig_quantity *q,
                                const char *store, int64_t seed, const char *name, ig_err *err);

#endif
