/* SPDX-License-Identifier: Apache-2.0
 *
 * States of words that translate each other in parallel texts, a text in a model each: a map
 * between two models is learned from some and evaluated on others, at the levels of words and of
 * words in context (Conneau et al. 2020, §5.1.1 and §5.1.2). Words are the pieces that the models
 * read.
 */
#pragma once

#include "measure/nearest/space_map.h"
#include "apply/named_texts.h"
#include "apply/states.h"

/* Two parallel texts on each side, sentence i of one side a translation of the other's. */
typedef struct {
    ig_states *states[2]; /* may be one */
    int language[2];
    const ig_sentence_list *learn[2], *judge[2];
    /* Instead of lists, NULL: none. Of its first n sentences, parallel in both languages, those
     * with even numbers are for learning. The states are over it. */
    const ig_corpus *corpus;
    int64_t n;
} ig_linked_texts;

typedef enum { IG_LEVEL_WORD, IG_LEVEL_CONTEXT, IG_N_LEVEL } ig_word_level;

/* x[side][l] is [n_learn + n_judge, d]: row i of a side translates row i of the other; those to
 * learn from come first. l counts the layers of the side's states. */
typedef struct {
    int64_t n_learn, n_judge;
    int32_t *id[2]; /* [n_learn + n_judge] of WORD: the row's word, in the model's vocabulary */
    float **x[2];
    int n_layer[2], d[2];
} ig_level_states;

/* Pieces are linked by IBM Model 2 over all sentences, both ways (analyse/links/ibm2.h). Pairs of
 * words are taken by how often they are linked, a word once. WORD: the mean of a word's states
 * wherever it stands; every second pair is learned from, the others are judged by. CONTEXT: the
 * states of a pair's first link in the text to learn from, and of its first link in the other. No
 * word linked: no rows. The same bits for any number of threads. Freed with ig_word_levels_free,
 * also after an error. */
ig_code ig_word_levels_make(ig_level_states level[IG_N_LEVEL], const ig_linked_texts *texts,
                            ig_err *err);
void ig_word_levels_free(ig_level_states level[IG_N_LEVEL]);

/* The map from layer i of the first side to layer j of the other, judged
 * (measure/nearest/space_map.h); fewer than one row to learn from or two to judge by: all NaN. The
 * sides' d are equal. */
ig_code ig_level_judge(ig_neighbour_scores *out, const ig_level_states *s, int i, int j,
                       const ig_retrieval_with *with, ig_err *err);
