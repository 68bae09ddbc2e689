/* SPDX-License-Identifier: Apache-2.0
 *
 * Words with their counts, and the words of a text as a vocabulary.
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

/* Adds to the count of a word of n bytes and stores its number in *id (may be NULL). */
ig_code ig_word_counts_add(ig_word_counts *c, const char *word, int64_t n, int64_t count,
                           int32_t *id, ig_err *err);
void ig_word_counts_free(ig_word_counts *c);
/* Returns the sum of the counts. */
int64_t ig_word_counts_total(const ig_word_counts *c);

typedef struct {
    const char *word;
    int64_t count;
    int32_t id; /* of ig_word_counts.words */
} ig_counted_word;

/* For qsort, of words without NUL: by bytes; by falling count, equal ones by bytes. */
int ig_counted_by_bytes(const void *a, const void *b);
int ig_counted_by_count(const void *a, const void *b);
/* Sorts all counted words, [words.n]; *out is freed with ig_free. */
ig_code ig_word_counts_sorted(ig_counted_word **out, const ig_word_counts *c,
                              int (*order)(const void *, const void *), ig_err *err);

/* Writes the lines of a vocab.txt: the five special tokens, then n words in their order;
 * NUL-terminated, *out is freed with ig_free. */
ig_code ig_counted_words_vocab(char **out, int64_t *size, const ig_counted_word *w, int64_t n,
                               ig_err *err);
/* Makes a vocab.txt of every word between spaces of a text, the most frequent first. */
ig_code ig_word_list(char **out, int64_t *size, ig_text_source_fn *next, void *source, ig_err *err);

typedef struct {
    int64_t count;
    uint32_t c;
} ig_char_count;
/* Lists the characters that occur, [n_code] counts in seen, the most frequent first, equal ones by
 * code point. *out is freed with ig_free. */
ig_code ig_chars_by_count(ig_char_count **out, int32_t *n, const int64_t *seen, uint32_t n_code,
                          ig_err *err);
