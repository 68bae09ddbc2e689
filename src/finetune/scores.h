/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a fine-tuned model on one language's split, as JSON: every score under the name of
 * its definition (docs/finetuning.md), its details, and scores without a model.
 */
#pragma once

#include "task/score/baseline.h"

#include <jansson.h>

/* {"accuracy": …, "n": …, "loss": …, …} of the labels that were predicted (negative: none) and, of
 * trees, the heads. loss: mean −log p, NaN for none. */
ig_code ig_finetune_scores(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, double loss, ig_err *err);
/* The name of the score that models are selected by. */
const char *ig_finetune_main_score(const ig_task *t);

/* Returns the details of a score: {"by_label": {"LABEL": {"precision", "recall", "f1", "n"}},
 * "by_length": [{"up_to", "accuracy", "n"}], "confusion": [[…]]} of predicted labels: rows are
 * gold, columns predicted, in the order of the labels, unknown ones last. Lengths are words, of
 * texts characters / 5. */
ig_code ig_finetune_detail(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, ig_err *err);
/* {"LANGUAGE": {"SPLIT": {"majority": {…}, "random": {…}}}}: scores as of a model, without detail,
 * of every split but the training's (task/score/baseline.h). */
ig_code ig_finetune_baselines(json_t **out, const ig_task *t, uint64_t seed, ig_err *err);
/* A copy of {"LANGUAGE": {"SPLIT": {…}}} without detail. NULL: no memory. */
json_t *ig_finetune_without_detail(const json_t *scores);
