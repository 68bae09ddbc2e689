/* SPDX-License-Identifier: Apache-2.0
 *
 * What sequences are made of, from the settings of a run: instances, pairs, masks of words, copies,
 * parallel text, markers of languages.
 */
#pragma once

#include "run/run_config.h"

/* Combinations that do not go together, as IG_ERR_USAGE that names the key. */
ig_code ig_run_instances_check(const ig_run_objective *o, const ig_bert_separate *parts,
                               ig_err *err);
/* The pairs of languages that `tlm` names. */
ig_code ig_run_instances_parse(ig_run_objective *o, const ig_run_languages *l, ig_err *err);
/* Fills in what of `b` concerns instances. */
void ig_run_instances_set(const ig_run_objective *o, ig_batch_options *b);
/* Logs a warning where a language has too few documents for pairs to be what they should. */
void ig_run_instances_warn(const ig_run_objective *o, const ig_corpus *corpus);
/* Rows of the segment table that the sequences need, as far as the switches say it. */
int32_t ig_run_instances_segments(const ig_run_objective *o, const ig_run_languages *l);
