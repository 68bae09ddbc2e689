/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about a run's languages that measures need before, or without, opening its data.
 */
#pragma once

#include "run/run_config.h"

#include <jansson.h>

typedef struct {
    bool listed; /* some dictionary is a file (gold=FILE), all of whose translations count */
    bool common; /* two languages may have pieces in common, with one vector: a vocabulary that
                    neither shifts, or anchors; none with separate words */
} ig_measure_languages;

/* Languages that cannot be read give neither. */
ig_measure_languages ig_measure_languages_of(const ig_run_languages *l,
                                             const ig_bert_separate *parts);
/* Reads them from "config" of a manifest. */
ig_measure_languages ig_measure_languages_json(const json_t *config);
