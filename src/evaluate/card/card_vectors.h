/* SPDX-License-Identifier: Apache-2.0
 *
 * Holds what a model made of a report card's texts: mean states of sentences and words.
 */
#pragma once

#include "apply/text_vectors.h"
#include "embed/search/dictionary.h"
#include "evaluate/card/diagnose.h"
#include "evaluate/gold_alignment.h"

/* Holds what a model made of the texts. */
typedef struct {
    ig_text_vectors sentence[IG_DIAGNOSE_LANGUAGES];
    ig_text_vectors word[2]; /* of `dictionary`; n 0: none */
    ig_gold_pairs gold;
} ig_card_vectors;
void ig_card_vectors_free(ig_card_vectors *v);

/* Says what is measured, and where numbers go. */
typedef struct {
    ig_diagnosis *d;  /* what the texts are; its answers and hits are written too, … */
    ig_card_of which; /* … but of an untrained model only the values and its hits */
    int row;          /* of the numbers, for the vectors of layer 0 */
    const ig_dictionary *dictionary;
    const ig_card_vectors *of;
    ig_retrieval_with with;
} ig_card_job;

static inline bool ig_card_untrained(const ig_card_job *j)
{
    return j->which == IG_CARD_UNTRAINED;
}
/* The size of a vector, and the number of sentences in each of parallel texts. */
static inline int ig_card_width(const ig_card_job *j)
{
    return j->of->sentence[0].d;
}

/* Rows of unit length of language k at layer l, into out[n, d]; without their mean if `centre`. */
ig_code ig_card_unit(float *out, const ig_card_vectors *of, int k, int l, bool centre, ig_err *err);
/* Takes the mean of the rows x[n, d] away. */
void ig_card_centre(float *x, int64_t n, int d);
