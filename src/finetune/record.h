/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a fine-tuning (run.json): its resolved settings, and the SHA-256 of the model, of
 * TASK.yaml and of its files. Two are the same when all that decides the result is.
 */
#pragma once

#include "finetune/input/finetune_config.h"

#include <jansson.h>

/* {"isoglot_finetune": 1, "config": {…}, "files": {…}}; `model` is the model's own folder. */
ig_code ig_finetune_record(json_t **out, const ig_finetune_config *c, const ig_task *t,
                           const char *model, ig_err *err);
/* Checks that the record in `dir` is the same: otherwise IG_ERR_USAGE names the first
 * difference. */
ig_code ig_finetune_record_check(const json_t *want, const char *dir, ig_err *err);
