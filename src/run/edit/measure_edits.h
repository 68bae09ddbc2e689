/* SPDX-License-Identifier: Apache-2.0
 *
 * The development text measured once more on an edited model: entries with `edit:` below `text:` of
 * `measure:` in an experiment file.
 */
#pragma once

#include "run/data/setup.h"
#include "run/measure/measure_plan.h"

/* Adds to "texts" of `measures` what ig_measure_texts_run gives of a text, for each entry of the
 * plan that has edits; nothing where it has none. They are learned from the training text. `o`: as
 * for the development text. The model is as it was afterwards. */
ig_code ig_measure_edits_run(json_t *measures, const ig_measure_plan *p, const ig_setup *setup,
                             const ig_measure_with *with, const ig_measure_options *o, ig_err *err);
