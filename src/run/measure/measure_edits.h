/* SPDX-License-Identifier: Apache-2.0
 *
 * The development text measured once more on an edited model: entries with `edit:` below `text:` of
 * `measure:` in an experiment file.
 */
#pragma once

#include "run/data/setup.h"
#include "run/measure/measure_plan.h"

/* Appends the rows of each entry of the plan that has edits. They are learned from the training
 * text. `o`: as for the development text. The model is as it was afterwards. */
ig_code ig_measure_edits_run(ig_measure_result *to, const ig_measure_plan *p, const ig_setup *setup,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err);
