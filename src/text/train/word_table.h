/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte strings with a count each: the words of a text.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    uint64_t hash;
    int64_t start; /* in `byte` */
    int64_t count;
    int32_t n; /* bytes */
} ig_word_entry;

/* Byte strings with a count each, numbered as they came. Zeroed memory is an empty table. */
typedef struct {
    uint8_t *byte;
    int64_t n_byte, have_byte;
    ig_word_entry *word;
    int64_t n_word, have_word;
    uint64_t *slot; /* open addressing; high half: of the hash; low half: number of the word + 1 */
    int64_t n_slot;
} ig_word_table;

/* Adds to the count of a string; its number into *index (may be NULL). */
ig_code ig_word_table_add(ig_word_table *t, const uint8_t *byte, int64_t n, int64_t count,
                          int64_t *index, ig_err *err);
void ig_word_table_free(ig_word_table *t);

/* A word of a table, which it points into. */
typedef struct {
    const uint8_t *byte;
    int64_t count;
    int32_t n; /* bytes */
} ig_word_count;
/* Its words, [n_word], in their order. */
void ig_word_table_list(ig_word_count *out, const ig_word_table *t);
/* For qsort: by their bytes; the most frequent first, equal ones by their bytes. */
int ig_word_by_bytes(const void *a, const void *b);
int ig_word_by_count(const void *a, const void *b);

typedef struct {
    int64_t count;
    uint32_t c;
} ig_char_count;
/* The characters that occur, the most frequent first, equal ones by code point; of seen[n_code].
 * *out is freed with ig_free. */
ig_code ig_chars_by_count(ig_char_count **out, int32_t *n, const int64_t *seen, uint32_t n_code,
                          ig_err *err);
