/* SPDX-License-Identifier: Apache-2.0
 *
 * Phases of a training: what is trained on, how much of it is masked, how fast and which parts
 * learn, until an update.
 */
#pragma once

#include "run/run_config.h"
#include "train/trainer.h"

/* A list in flow style, "[{until: 1000, share: {en: 1, de: 0}}, {mask_prob: .3}]": a mapping for
 * each phase, of until (its last update, above that of the phase before; the last phase has none),
 * share (of languages, as in `languages`; by name), languages (those that are trained on),
 * mask_prob, lr (the peak rate), freeze (train/named_parts.h). What a phase does not name is as the
 * run's settings are. Checks them for a model of n_layer blocks; a mistake is IG_ERR_USAGE at
 * `phases`. */
ig_code ig_phases_check(const ig_run_config *c, int n_layer, ig_err *err);

typedef struct ig_phases ig_phases;

/* The batches of all phases: each has an order of its own. `options` are the run's. Borrows both.
 * Freed with ig_phases_free. */
ig_code ig_phases_open(ig_phases **out, const ig_run_config *c, const ig_corpus *corpus,
                       const ig_batch_options *options, int n_layer, ig_err *err);
void ig_phases_free(ig_phases *p);
/* The trainer's source, which also sets rates and frozen parts at the beginning of an update. */
ig_trainer_source ig_phases_source(ig_phases *p);
