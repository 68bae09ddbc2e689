/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a fine-tuning as the laboratory runs it.
 */
#pragma once

#include "experiment/experiment.h"

/* A copy of a way's settings without model, task, out and vectors, which the caller sets to
 * borrowed texts. Freed by _free, not by ig_options_free: a recipe may change its texts. */
ig_code ig_lab_tuning_config(ig_finetune_config *c, const ig_experiment_tuning *t, ig_err *err);
void ig_lab_tuning_config_free(ig_finetune_config *c);
