/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of many short texts at all layers of a model: the mean state of each text's tokens; or
 * those that a folder of sentence-transformers makes.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "apply/named_texts.h"
#include "apply/sentence_model.h"

/* x[l] is [n, d] of layer l; a text without tokens is zero. */
typedef struct {
    float **x; /* [n_layer] */
    int64_t n;
    int n_layer, d;
    int64_t n_cut; /* texts that lost their end */
} ig_text_vectors;

/* Sentences, or else words, or else the first n sequences of a corpus in the language. */
typedef struct {
    const ig_sentence_list *sentences;
    const ig_lexicon *words;
    const ig_corpus *corpus;
    int64_t n;
    ig_sentence_model *modules; /* what makes the vectors, of one layer then; NULL: means */
} ig_short_texts;
/* Says that n_cut of the n sentences of a text are longer than the model has positions, if any is.
 */
void ig_report_cut(const char *text, int64_t n_cut, int64_t n);
/* IG_ERR_NUMERIC: a state that is not finite. Freed with ig_text_vectors_free, also after an error.
 */
ig_code ig_text_vectors_make(ig_text_vectors *v, ig_states *s, int language,
                             const ig_short_texts *texts, ig_err *err);
void ig_text_vectors_free(ig_text_vectors *v);
