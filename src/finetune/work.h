/* SPDX-License-Identifier: Apache-2.0
 *
 * What a fine-tuning holds while it works, and its checkpoints.
 */
#pragma once

#include "finetune/input/batches.h"
#include "finetune/selection.h"
#include "finetune/tuned_model.h"
#include "run/edit/edit_make.h"
#include "run/train/run_log.h"
#include "train/train_state.h"

typedef struct {
    ig_finetune_config *config;
    ig_task *task;
    ig_tuned_base base;
    ig_edit_specs edit_specs;
    ig_made_edits edits; /* learned from the model that is fine-tuned, as it was before */
    ig_team *team;
    ig_bert *model;
    ig_engine *engine;
    ig_examples train;
    ig_examples *eval; /* [task->n_set], empty for what is trained on, made when first asked for */
    ig_example_order order;
    ig_trainer *trainer;
    ig_trainer_options options;
    ig_train_state state;
    json_t *selection;
    ig_run_log log;
    double saved_at, saving, begun;
    int64_t resumed_from; /* −1: begun anew */
} ig_finetune_work;

/* Reads the task, sets what the recipe says (`given`: finetune.h) and opens the model's folder. */
ig_code ig_finetune_open_task(ig_finetune_work *w, const unsigned char *given, ig_err *err);
/* The examples that are trained on, and their order. */
ig_code ig_finetune_open_data(ig_finetune_work *w, ig_err *err);
/* Frees all of it, also after an error. */
void ig_finetune_close(ig_finetune_work *w);
/* Updates between evaluations. */
int64_t ig_finetune_eval_every(const ig_finetune_work *w);
/* Reads the edits, and learns them from the folder that is fine-tuned. */
ig_code ig_finetune_learn_edits(ig_finetune_work *w, ig_err *err);
/* Model, engine and trainer; from NULL: of the folder that is fine-tuned. */
ig_code ig_finetune_build(ig_finetune_work *w, const char *from, ig_err *err);
/* Goes on from the newest checkpoint that can be read, or begins. */
ig_code ig_finetune_go_on(ig_finetune_work *w, ig_err *err);
ig_code ig_finetune_checkpoint(ig_finetune_work *w, ig_err *err);
/* Keeps this model as the best so far; takes it up again. */
ig_code ig_finetune_keep_best(ig_finetune_work *w, ig_err *err);
ig_code ig_finetune_take_best(ig_finetune_work *w, ig_err *err);
