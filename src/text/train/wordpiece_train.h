/* SPDX-License-Identifier: Apache-2.0
 *
 * Training by merges, with the merges themselves.
 */
#ifndef IG_TEXT_TRAIN_WORDPIECE_TRAIN_H
#define IG_TEXT_TRAIN_WORDPIECE_TRAIN_H

#include "isoglot/tokenizer.h"

/* As ig_wordpiece_train; with model IG_VOCAB_CHARS no pair is merged, and only as many characters,
 * the most frequent, are kept as fit into `size`. *merges (where not NULL) gets a line "a b" for
 * each merge, NUL-terminated, NULL for none; freed with ig_free. */
ig_code ig_wordpiece_train_merges(char **out, int64_t *n, char **merges, ig_text_source_fn *next,
                                  void *source, const ig_wordpiece_options *options,
                                  ig_wordpiece_report *report, ig_err *err);

#endif
