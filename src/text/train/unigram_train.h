/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a unigram language model over the pieces of words.
 */
#pragma once

#include "text/train/wordpiece_train.h"

/* Trains a model. The text has the pieces by falling probability ("▁" begins a word), options->size
 * in all or fewer. The words are freed as soon as they are no longer needed. */
ig_code ig_unigram_train(ig_trained *out, ig_word_counts *words,
                         const ig_wordpiece_options *options, ig_err *err);
