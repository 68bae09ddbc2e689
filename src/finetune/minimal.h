/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimal pairs: a task without training. The model is right about a pair if the acceptable
 * sentence is likelier than the other (Warstadt et al. 2020, BLiMP; Jumelet et al. 2025,
 * MultiBLiMP), by log-likelihood, or of masked models by pseudo-log-likelihood (Salazar et al.
 * 2020).
 */
#pragma once

#include "finetune/finetune.h"
#include "task/task.h"

/* *result: {"scores": {"LANGUAGE": {"SPLIT": {"accuracy", "interval", "n", "ties", "cut", "margin",
 * "detail": {"by_label": {"PHENOMENON": {"accuracy", "interval", "n"}}}}}}, "kind", …}. margin: the
 * mean difference of the two log-likelihoods in nats. A pair of equally likely sentences is wrong.
 */
ig_code ig_minimal_pairs(json_t **result, const ig_finetune_config *c, const ig_task *t,
                         const volatile sig_atomic_t *stop, ig_err *err);
