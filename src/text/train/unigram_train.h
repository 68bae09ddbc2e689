/* SPDX-License-Identifier: Apache-2.0
 *
 * Training a unigram language model over the pieces of words.
 */
#pragma once

#include "text/train/wordpiece_train.h"

/* The text has the pieces by falling probability ("▁" begins a word), options->size in all or
 * fewer. The words are freed when they are needed no more. */
ig_code ig_unigram_train(ig_trained *out, ig_word_counts *words,
                         const ig_wordpiece_options *options, ig_err *err);
