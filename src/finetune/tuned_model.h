/* SPDX-License-Identifier: Apache-2.0
 *
 * The model to be fine-tuned: any BERT folder with a new head on top; and its folder afterwards,
 * whose config.json has the head's labels (id2label) and the kind of sequences (isoglot.task).
 */
#pragma once

#include "apply/encoder.h"
#include "finetune/input/examples.h"
#include "model/bert_digest.h"
#include "train/optimizer.h"

typedef struct {
    ig_encoder source; /* its folder and tokenizer; no model once the new one is made */
    ig_model_languages languages;
    ig_bert_config config;          /* with the head */
    int32_t first_position, family; /* of the folder's file */
    ig_head_kind head;
    ig_task_kind kind;
    char digest[IG_BERT_DIGEST]; /* of the source */
} ig_tuned_base;

/* Opens the folder c->model. Freed with ig_tuned_base_close, also after an error. */
ig_code ig_tuned_base_open(ig_tuned_base *b, const ig_finetune_config *c, const ig_task *t,
                           ig_err *err);
void ig_tuned_base_close(ig_tuned_base *b);
/* Makes the encoder's weights, and a new head of this seed; from == NULL: of the opened folder,
 * otherwise all of a checkpoint. */
ig_code ig_tuned_model_new(ig_bert **out, ig_tuned_base *b, const char *from,
                           const ig_finetune_config *c, const ig_task *t, ig_err *err);

/* Sets which parts are frozen and the learning rates of others. */
ig_code ig_tuned_groups(ig_optimizer *o, const ig_bert *m, const ig_finetune_config *c,
                        ig_err *err);

/* Settings of the input, for the model's training or evaluation. */
ig_example_input ig_tuned_input(const ig_tuned_base *b, const ig_finetune_config *c, bool train);
/* The model's language that a language of a task is, of crossed pairs the premise's: of that name,
 * otherwise the first. */
int ig_tuned_language(const ig_model_languages *l, const char *name);
/* Warns of the task's languages that a model of several does not know. */
void ig_tuned_report_languages(const ig_model_languages *l, const ig_task *t);

/* Writes the model, its tokenizer and config.json into an existing folder. */
ig_code ig_tuned_model_save(const ig_bert *m, const ig_tuned_base *b, const ig_finetune_config *c,
                            const ig_task *t, const char *dir, ig_err *err);
