/* SPDX-License-Identifier: Apache-2.0
 *
 * Examples: the sentences of a task as sequences of a model, with targets for its head. Pairs by
 * the tokenizer's template ([CLS] a [SEP] b [SEP], Devlin et al. 2019, Figure 4); of words the
 * first piece carries the label (§5.3), and a sentence that is too long becomes several sequences,
 * in which each word is a target once. Truncated, replaced and unseen items are counted.
 */
#pragma once

#include "apply/model_languages.h"
#include "finetune/input/finetune_config.h"
#include "text/tokenizer/unknown_pieces.h"

/* How texts become sequences. Borrowed. */
typedef struct {
    const ig_tokenizer *tokenizer;
    const ig_model_languages *languages;
    const ig_bert_config *model;
    int64_t length, text_length; /* 0: no limit but the model's positions */
    ig_pair_input pair_input;
    ig_segment_use segments;
    ig_long_use too_long;
    ig_empty_use empty_words;
    bool first_shorter; /* pairs: of equal parts the first is cut, unless it was longer */
    bool allow_unknown; /* otherwise a split with too many of them is an error */
} ig_example_input;

typedef struct {
    int64_t n_cut;             /* texts (pairs, sentences) that lost pieces */
    int64_t n_divided;         /* sentences of more than one sequence */
    int64_t n_empty;           /* words without pieces */
    int64_t n_unseen;          /* words that are in no sequence */
    ig_unknown_pieces unknown; /* among all pieces */
} ig_example_counts;

/* The target of one token. */
typedef struct {
    int32_t row;   /* the token in its sequence */
    int32_t label; /* negative: not known */
    int32_t
        head; /* parsing: 0 ROOT, otherwise the index of the head among the sequence's targets */
    bool own; /* the prediction for the unit is this one */
    int64_t unit; /* which one it is; −1: ROOT */
} ig_example_target;

/* Zeroed: none. Freed with ig_examples_free. */
typedef struct {
    int64_t n;      /* sequences */
    int64_t n_unit; /* number of targets: texts (pairs), or words */
    int64_t *start; /* [n + 1] tokens */
    int32_t *id, *pos, *seg;
    int32_t *language;     /* [n] of the model */
    int64_t *base;         /* [n] words: the first unit of the sentence */
    int64_t *first_target; /* [n + 1] */
    ig_example_target *target;
    ig_example_counts count;
    int64_t have[7];
} ig_examples;

typedef struct {
    ig_task_kind kind;
    int language; /* its number in the model */
    bool train;
} ig_examples_as;
/* Adds a split. With train targets without a label are
 * left out. Of trees the first target is ROOT (isoglot/batch.h); a training sentence that is too
 * long loses its end, and words whose head is not there. */
ig_code ig_examples_add(ig_examples *e, const ig_example_input *in, const ig_task_set *set,
                        const ig_examples_as *as, ig_err *err);
void ig_examples_free(ig_examples *e);
