/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the words of a text: the first half of training a vocabulary.
 */
#pragma once

#include "isoglot/error.h"
#include "isoglot/tokenizer.h"
#include "text/train/word_counts.h"

/* Longer words are left out (text without any space is not a word). */
enum { IG_COUNT_WORD_MAX = 1 << 16 };

/* Reads the source to its end; IG_ERR_INPUT if there is no word. The counts depend on neither the
 * number of threads nor the order of lines; the numbering of the words does. */
ig_code ig_count_words(ig_word_counts *out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err);
