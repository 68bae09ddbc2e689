/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of an experiment's results: curves over steps, metrics by layer, values by cell with
 * their intervals. Their numbers are computed in results.h.
 */
#pragma once

#include "report/figure/figure.h"
#include "report/results/results.h"

/* Fills `f`, a panel for each quantity of spec (kinds curves, layers, bars; another one is
 * IG_ERR_USAGE), with the cells that its patterns name. Curves want a store result with all
 * checkpoints. `reference` (bars) may be NULL. A cell without a value is in no curve and an empty
 * row of the others. `r` and `spec` need not outlive the figure. */
ig_code ig_result_figure(ig_figure *f, const ig_results *r, const ig_figure_spec *spec,
                         const ig_reference *reference, ig_err *err);
