/* SPDX-License-Identifier: Apache-2.0
 *
 * A training that starts from the weights of another model: a run, one of its checkpoints, or a
 * Hugging Face folder.
 */
#pragma once

#include "run/data/setup.h"
#include "run/run_config.h"
#include "train/optimizer.h"

/* A model of `shape` for the data of `setup`, whose tensors are those of c->model.from, but for the
 * parts that c->model.reinit names and for what only the new model has (heads, and rows of words of
 * pieces that the other vocabulary lacks), which are drawn by the run's seed as for a new model;
 * with "permute" among these parts, pieces get each other's rows, special tokens excepted.
 * A language's own tensor starts from that which the other model has for all. A tensor of the
 * encoder that is missing or has another shape is IG_ERR_INPUT. */
ig_code ig_start_from(ig_bert **out, const ig_run_config *c, const ig_bert_config *shape,
                      const ig_setup *setup, ig_err *err);

/* Excludes the parts that c->model.freeze names from training. */
ig_code ig_start_freeze(ig_optimizer *o, const ig_bert *m, const ig_run_config *c, ig_err *err);
