/* SPDX-License-Identifier: Apache-2.0
 *
 * When the curves of a figure set in (docs/statistics.md has the definition), as numbers and in
 * words.
 */
#ifndef IG_REPORT_RESULTS_RESULTS_ONSET_H
#define IG_REPORT_RESULTS_RESULTS_ONSET_H

#include "report/results/results.h"

#include <jansson.h>

/* [{"figure", "quantity", "cell", "label", "of" (seeds measured), "n" (seeds in which it sets in),
 * "mean", "sd", "low", "high", "seeds": [{"seed", "step"}]}], a line for each quantity and cell of
 * a figure of curves; empty for other figures. Wants results of all checkpoints. *out is owned by
 * the caller, NULL after an error. */
ig_code ig_result_onsets(json_t **out, const ig_results *r, const ig_figure_spec *figure,
                         ig_err *err);
/* "μ sets in at update 350 [300, 420] in 0 (5 of 5 seeds), nowhere in 3 (5 seeds)." and so on for
 * each quantity; freed with free. NULL: nothing to say, or no memory. */
char *ig_result_onsets_text(const json_t *onsets);

#endif
