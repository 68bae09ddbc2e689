/* SPDX-License-Identifier: Apache-2.0
 *
 * Words with how often they occur, and the whole words of a text as a vocabulary: no piece stands
 * for nothing.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "isoglot/tokenizer.h"

/* Zeroed: empty. Freed with ig_word_counts_free. */
typedef struct {
    ig_lexicon words;
    int64_t *count; /* [words.n] */
    int64_t have;
} ig_word_counts;

/* One more of a word of n bytes. */
ig_code ig_word_counts_add(ig_word_counts *c, const char *word, int64_t n, ig_err *err);
void ig_word_counts_free(ig_word_counts *c);

typedef struct {
    const char *word;
    int64_t count;
    int32_t id; /* of ig_word_counts.words */
} ig_counted_word;

/* Most frequent first, ties by bytes: any n words; all that were counted, [words.n], freed with
 * ig_free. */
void ig_counted_words_sort(ig_counted_word *w, int64_t n);
ig_code ig_word_counts_sorted(ig_counted_word **out, const ig_word_counts *c, ig_err *err);

/* The lines of a vocab.txt: the five special tokens, then n words as they stand, as far as there
 * are at most `most` pieces (0: all). *out is freed with ig_free. */
ig_code ig_counted_words_vocab(char **out, int64_t *size, const ig_counted_word *w, int64_t n,
                               int64_t most, ig_err *err);
/* The same of every word between spaces of a text. */
ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, int64_t most,
                     ig_err *err);
