/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a fine-tuning as the laboratory runs it.
 */
#pragma once

#include "experiment/experiment.h"
#include "lab/work/lab_kind.h"

/* Folders and file of a fine-tuning; borrowed. */
typedef struct {
    char *model, *task, *out; /* out may be NULL where nothing is written */
    char *vectors;            /* of a cell of static vectors; NULL: none */
} ig_lab_tuning_at;

/* A copy of a way's settings at these places, which is not freed by ig_options_free but by _free: a
 * recipe may change its texts. */
ig_code ig_lab_tuning_config(ig_finetune_config *c, const ig_experiment_tuning *t,
                             const ig_lab_tuning_at *at, ig_err *err);
void ig_lab_tuning_config_free(ig_finetune_config *c);
