/* SPDX-License-Identifier: Apache-2.0
 *
 * A fine-tuning from its settings to its scores, in a folder of its own (apply/folder/run_dir.h).
 * Called again with the same settings it resumes after the last checkpoint, with the same bits as
 * without an interruption. Afterwards the folder is a model's (docs/finetuning.md).
 */
#pragma once

#include "finetune/input/finetune_config.h"

#include <jansson.h>
#include <signal.h>

/* `given` as ig_options_parse fills it: what is not given is the recipe's, and is filled in.
 * *result: what scores.json holds, owned by the caller. `stop` (may be NULL) becomes non-zero when
 * the run shall save and stop after the present update: then IG_ERR_STOPPED. The folder of another
 * run is IG_ERR_USAGE and names the key; a loss that is not finite IG_ERR_NUMERIC. */
ig_code ig_finetune(json_t **result, ig_finetune_config *c, const unsigned char *given,
                    const volatile sig_atomic_t *stop, ig_err *err);
