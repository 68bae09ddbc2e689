/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting the words of a text: the first half of training a vocabulary.
 */
#ifndef IG_TEXT_WORDPIECE_COUNT_H
#define IG_TEXT_WORDPIECE_COUNT_H

#include "isoglot/error.h"
#include "isoglot/tokenizer.h"

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

/* Words of more characters are left out (a stretch without any space is not a word). */
enum { IG_COUNT_WORD_MAX = 1 << 16 };

/* Reads the source to its end. The counts depend on neither the number of threads nor the order of
 * lines; the numbering of the words does. */
ig_code ig_count_words(ig_word_table *out, ig_text_source_fn *next, void *source,
                       const ig_wordpiece_options *options, ig_wordpiece_report *report,
                       ig_err *err);

#endif
