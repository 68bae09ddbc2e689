/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors that an edit is learned from: one of each sentence of some languages, at one layer.
 */
#pragma once

#include "apply/states.h"

/* Zeroed: none. Freed with ig_state_sample_free. */
typedef struct {
    int64_t n;
    int d;
    float *row;     /* [n, d] */
    int32_t *label; /* [n] which source it is of */
    int64_t have_row, have_label;
} ig_state_sample;

/* How a token of each sentence is drawn. */
typedef struct {
    bool sep;      /* [SEP] among them (gonenhila/mbert's randrange(1, len)); [CLS] never is */
    uint64_t seed; /* of IG_STREAM_SAMPLE */
} ig_sample_draw;
/* A token of each sentence, in states of one layer: sources one after another, the labels in their
 * order. Sentences without tokens have no row. */
ig_code ig_state_sample_take(ig_state_sample *s, ig_states *states, const ig_states_source *source,
                             int n_source, const ig_sample_draw *how, ig_err *err);
/* Means of two parallel sources over their tokens, without [CLS] and [SEP]: rows 2 i and 2 i + 1
 * are sentence i in both, a line or verse of the files, or sequences of the corpus that are
 * parallel. Pairs of which one has no token are left out. */
ig_code ig_state_sample_pairs(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err);
/* States of words that translate each other in parallel sentences (Conneau et al. 2020, §5.1.2):
 * rows 2 i and 2 i + 1 are a token of the first source and the one of the second that it is linked
 * with. Links are learned from the sentences themselves: IBM Model 2 with the diagonal prior over
 * tokens, both ways, those that both have (analyse/links/ibm2.h; the paper takes fast_align). The
 * sentences go through the model twice. None linked is IG_ERR_INPUT. */
ig_code ig_state_sample_words(ig_state_sample *s, ig_states *states,
                              const ig_states_source source[2], ig_err *err);
void ig_state_sample_free(ig_state_sample *s);
