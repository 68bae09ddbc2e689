/* SPDX-License-Identifier: Apache-2.0
 *
 * One tree for a sentence that was parsed in several sequences.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A sequence's prediction for a word. */
typedef struct {
    int32_t word, head; /* from 1; head 0: ROOT */
    int32_t label;
    bool own; /* the sequence is the word's own: it has most of its context */
} ig_tree_vote;

/* head[n_word], label[n_word]: the tree with one root that most votes are for, those of own
 * sequences first; of a word without a vote −1. The label is that of a vote for the word's head, if
 * there is one. */
ig_code ig_tree_join(int32_t *head, int32_t *label, int32_t n_word, const ig_tree_vote *vote,
                     int64_t n_vote, ig_err *err);
