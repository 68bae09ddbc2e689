/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole words of a text as a vocabulary: no piece stands for nothing.
 */
#ifndef IG_CORPUS_WORDS_WORD_LIST_H
#define IG_CORPUS_WORDS_WORD_LIST_H

#include "isoglot/tokenizer.h"

/* The lines of a vocab.txt: the five special tokens, then every word between spaces, most frequent
 * first, ties by bytes; at most `most` pieces (0: all). *out is freed with ig_free. */
ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, int64_t most,
                     ig_err *err);

#endif
