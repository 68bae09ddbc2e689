/* SPDX-License-Identifier: Apache-2.0
 *
 * What is behind a score: by label, by the sentence's length, confusions; and what a score is
 * without a model.
 */
#pragma once

#include "finetune/scores.h"

/* {"by_label": {"LABEL": {"precision", "recall", "f1", "n"}}, "by_length": [{"up_to", "accuracy",
 * "n"}], "confusion": [[…]]} of labels that were predicted: rows are gold, columns predicted, in
 * the order of the labels, unknown ones last. Lengths are words, of texts characters / 5. */
ig_code ig_finetune_detail(json_t **out, const ig_task *t, const ig_task_set *set,
                           const ig_prediction *p, ig_err *err);
/* {"LANGUAGE": {"SPLIT": {"majority": {…}, "random": {…}}}}: scores as of a model, without detail,
 * of every split but the training's (task/score/baseline.h). */
ig_code ig_finetune_baselines(json_t **out, const ig_task *t, uint64_t seed, ig_err *err);
/* A copy of {"LANGUAGE": {"SPLIT": {…}}} without detail. NULL: no memory. */
json_t *ig_finetune_without_detail(const json_t *scores);
