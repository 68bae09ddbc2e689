/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of a fine-tuned model, ours or one that transformers wrote: which head it has, its
 * labels, and how texts become sequences.
 */
#pragma once

#include "apply/encoder.h"
#include "finetune/input/finetune_config.h"

/* The content of a fine-tuned model's config.json. */
typedef struct {
    ig_task_kind kind;
    bool kind_known; /* otherwise of texts: single ones or pairs, which config.json of transformers
                        does not record */
    bool defaults;   /* config.json has no isoglot.task: `input` holds defaults */
    ig_head_kind head;
    ig_labels labels;         /* id2label */
    const char *column[2];    /* names of the texts in the task's tables; NULL: not recorded */
    bool named;               /* config.json names them; otherwise LABEL_0, … */
    ig_finetune_config input; /* the options of the input */
    ig_pool pool;
} ig_tuned_record;
/* Reads an open folder; kind: as given by the user, −1: not given. IG_ERR_INPUT: a folder without a
 * head for labels, or with one that gives no single label; id2label that contradicts itself.
 * IG_ERR_USAGE: another kind than the folder's. */
ig_code ig_tuned_record_read(ig_tuned_record *r, const ig_encoder *e, int kind, ig_err *err);
void ig_tuned_record_free(ig_tuned_record *r);
