/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of `words: xtreme` of TASK.yaml: multiword tokens of CoNLL-U as single words.
 */
#pragma once

#include "corpus/read/format/conllu.h"
#include "task/task_internal.h"

/* A multiword token: words from..to, 1-based. */
typedef struct {
    const char *form, *label;
    int32_t from, to;
    uint64_t line;
} ig_task_token;

/* A sentence while it is read. Zeroed: one without words. */
typedef struct {
    ig_task_word *word;
    ig_task_token *token;
    int64_t have_word, have_token;
    int32_t n_word, n_token;
} ig_task_fused;

/* Adds a row of kind IG_CONLLU_WORD or IG_CONLLU_RANGE; row->form is overwritten. IG_ERR_INPUT: a
 * token that does not begin with the next word, or begins within another. */
ig_code ig_task_fused_word(ig_task_fused *f, ig_task_part *p, const ig_conllu_row *row,
                           ig_err *err);
ig_code ig_task_fused_token(ig_task_fused *f, ig_task_part *p, const ig_conllu_row *row,
                            const char *where, ig_err *err);
/* Adds the sentence's words to the part, or leaves it out and counts it. IG_ERR_INPUT: multiword
 * tokens without a tree. */
ig_code ig_task_fused_sentence(ig_task_fused *f, ig_task_part *p, const ig_conllu *c,
                               const char *where, ig_err *err);
void ig_task_fused_free(ig_task_fused *f);
