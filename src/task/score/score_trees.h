/* SPDX-License-Identifier: Apache-2.0
 *
 * Attachment scores of dependency trees over gold words.
 */
#pragma once

#include "task/score/score.h"

typedef struct {
    /* Heads, and heads with their relation, of all words (CoNLL 2018 shared task). */
    ig_score_share uas, las;
    /* Likewise without the words whose gold tag is on AllenNLP's list of punctuation, which
     * contains SYM. */
    ig_score_share uas_nopunct, las_nopunct;
} ig_score_trees;

/* Scores all words of a parsing set; head and label [first[n]] are predicted, labels are indices
 * into `labels`. Relations are compared without the part after their colon, unless subtypes. */
ig_score_trees ig_score_parse(const ig_task_set *gold, const ig_labels *labels, const int32_t *head,
                              const int32_t *label, bool subtypes);
/* Returns whether two labels are one relation: without the part after their colon, unless subtypes.
 */
bool ig_same_relation(const ig_labels *l, int32_t a, int32_t b, bool subtypes);
/* AllenNLP's list: ``, '', :, a comma, a full stop, PU, PUNCT, SYM. */
bool ig_is_punctuation(const char *pos);
