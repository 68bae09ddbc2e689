/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a unigram language model over the pieces of words.
 */
#ifndef IG_TEXT_TRAIN_UNIGRAM_TRAIN_H
#define IG_TEXT_TRAIN_UNIGRAM_TRAIN_H

#include "isoglot/tokenizer.h"

/* *text becomes the text of a vocab.txt, freed with ig_free: the five special tokens, then pieces
 * by falling probability ("▁" begins a word), options->size in all or fewer. *score, freed with
 * ig_free, has the log probability of each line, 0 of special tokens. */
ig_code ig_unigram_train(char **text, int64_t *n, double **score, ig_text_source_fn *next,
                         void *source, const ig_wordpiece_options *options,
                         ig_wordpiece_report *report, ig_err *err);

#endif
