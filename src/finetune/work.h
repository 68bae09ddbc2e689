/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a fine-tuning in memory, and its checkpoints.
 */
#pragma once

#include "apply/edit/edit_make.h"
#include "finetune/input/batches.h"
#include "finetune/selection.h"
#include "finetune/tuned_model.h"
#include "run/measure/open_run.h"
#include "run/train/course.h"

typedef struct {
    ig_finetune_config *config;
    ig_task *task;
    ig_tuned_base base;
    ig_edit_specs edit_specs;
    ig_made_edits edits; /* learned from the model that is fine-tuned, as it was before */
    ig_team *team;
    ig_course course;
    ig_examples train;
    ig_examples *eval; /* [task->n_set], empty for training sets */
    ig_example_order order;
    json_t *selection;
} ig_finetune_work;

/* Reads the task, sets the recipe's values (`given`: finetune.h) and opens the model's folder. */
ig_code ig_finetune_open_task(ig_finetune_work *w, const unsigned char *given, ig_err *err);
/* Makes the training examples, their order, and those to be evaluated: errors in a text are found
 * before the training. */
ig_code ig_finetune_open_data(ig_finetune_work *w, ig_err *err);
/* Frees all of it, also after an error. */
void ig_finetune_close(ig_finetune_work *w);
/* Updates between evaluations. */
int64_t ig_finetune_eval_every(const ig_finetune_work *w);
/* The development text, run->setup.dev, of the run that a model is of, whose languages are
 * parallel, where an edit learns from it; a model without a run has none. Freed with
 * ig_open_run_close. */
ig_code ig_finetune_open_corpus(ig_open_run *run, const ig_edit_specs *specs, const char *model,
                                ig_err *err);
/* Reads the edits, and learns them from the folder that is fine-tuned. */
ig_code ig_finetune_learn_edits(ig_finetune_work *w, ig_err *err);
/* The course of the fine-tuning in the folder, before anything is made. */
void ig_finetune_begin(ig_finetune_work *w, const volatile sig_atomic_t *stop);
/* Keeps this model as the best so far; takes it up again. */
ig_code ig_finetune_keep_best(ig_finetune_work *w, ig_err *err);
ig_code ig_finetune_take_best(ig_finetune_work *w, ig_err *err);
