/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of a fine-tuning's time, from a few of its updates and evaluations.
 */
#pragma once

#include "finetune/input/finetune_config.h"

typedef struct {
    int64_t n_update, n_parameter;
    int64_t memory; /* of the process by then, bytes */
    double seconds; /* all of it: reading, updates, evaluations */
} ig_finetune_cost;

/* `c`, `given`: as for ig_finetune, and the same errors; c->out is not used, nothing is written.
 * Patience is not foreseen: it is taken for a fine-tuning of all its updates. */
ig_code ig_finetune_dry(ig_finetune_cost *cost, ig_finetune_config *c, const unsigned char *given,
                        ig_err *err);
