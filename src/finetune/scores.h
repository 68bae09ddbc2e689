/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a fine-tuned model on one language's split, as JSON: every score under the name of
 * its definition (docs/finetuning.md).
 */
#pragma once

#include "task/score/baseline.h"

#include <jansson.h>

/* {"accuracy": …, "n": …, "loss": …, …} of the labels that were predicted (negative: none) and, of
 * trees, the heads. */
ig_code ig_finetune_scores(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, double nll, ig_err *err);
/* The name of the score that models are selected by. */
const char *ig_finetune_main_score(const ig_task *t);
