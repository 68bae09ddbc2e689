/* SPDX-License-Identifier: Apache-2.0
 *
 * BERT's text normalization before word pieces: cleaning, spaces around CJK ideographs, accents
 * off (after NFD), lower case; then words are split at white space and around every punctuation
 * mark. One table maps each code point to its normalized form.
 *
 * The rules are those of Hugging Face `tokenizers` (BertNormalizer, BertPreTokenizer), whose
 * Unicode data are of several versions: categories of Unicode 8.0, decompositions of 9.0, lower
 * case of 17.0. The table takes the properties from ICU as of those versions, so it is the same
 * with every ICU (≥ 72).
 */
#pragma once

#include "isoglot/error.h"
#include "text/byte_text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ig_chars ig_chars;

/* Return the one-to-one lower case of Unicode 17.0; whether a character's category is M in Unicode
 * 9.0. */
uint32_t ig_char_lower(uint32_t c);
bool ig_char_is_mark(uint32_t c);
/* Returns whether BERT treats it as punctuation: ASCII's, and category P of Unicode 8.0. */
bool ig_char_is_punctuation(uint32_t c);

/* BertNormalizer's four switches; if zeroed, text is cleaned and each ideograph is a word. */
typedef struct {
    bool lowercase, strip_accents;
    bool keep_controls;   /* clean_text is false */
    bool join_ideographs; /* handle_chinese_chars is false */
} ig_chars_rules;

/* Makes the table; freed with ig_chars_free; may be read by any number of threads. */
ig_code ig_chars_new(ig_chars **out, const ig_chars_rules *rules, ig_err *err);
void ig_chars_free(ig_chars *t);
/* Appends n bytes of well-formed text as normalized by BertNormalizer, before words are split. */
ig_code ig_chars_normalize(const ig_chars *t, const uint8_t *text, int64_t n, ig_byte_text *out,
                           ig_err *err);

/* A string that is one token wherever it occurs in raw text. All begin with '['. */
typedef struct {
    const char *text;
    int32_t n; /* bytes */
    int32_t id;
} ig_special;

/* An iterator over the words of a text, made by ig_words_make. */
typedef struct {
    const ig_chars *chars;
    const ig_special *special;
    int n_special;
    const uint8_t *p, *end;
    uint8_t *buffer;
    int64_t limit;       /* characters that fit into the buffer; longer words are only counted */
    const uint8_t *word; /* the current word, normalized: in the text itself or in `buffer` */
    int64_t n, n_char;   /* bytes and characters; if n_char > limit, n is meaningless */
    int32_t special_id;  /* ≥ 0: a special token is at this position instead of a word */
} ig_words;

/* Size of the buffer in bytes. */
#define IG_WORDS_BUFFER(limit) (4 * (limit))
/* Upper bound of the characters of n bytes of text: an ill-formed byte becomes one, NFD makes three
 * of the two bytes of U+0390 and four of the three bytes of U+1F82. */
#define IG_WORDS_CHARS(n) (2 * (n) + 4)

/* Makes an iterator over n bytes of UTF-8; buffer holds IG_WORDS_BUFFER(limit) bytes. All are
 * borrowed. No string is special until `special` is set. */
ig_words ig_words_make(const ig_chars *chars, const char *text, int64_t n, uint8_t *buffer,
                       int64_t limit);
/* Moves to the next word or special token; false at the end. */
bool ig_words_next(ig_words *w);
