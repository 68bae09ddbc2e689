/* SPDX-License-Identifier: Apache-2.0
 *
 * What BERT does to text before its word pieces: cleaning, spaces around CJK ideographs, accents
 * off (after NFD), lower case; then words are cut at white space and around every punctuation mark.
 * One table gives for each code point what becomes of it.
 *
 * The rules are those of Hugging Face `tokenizers` (BertNormalizer, BertPreTokenizer), whose
 * Unicode data are of several ages: categories of Unicode 8.0, decompositions of 9.0, lower case
 * of 17.0. The table takes the properties from ICU as of those versions, so it is the same with
 * every ICU (≥ 72).
 */
#pragma once

#include "isoglot/error.h"
#include "text/byte_text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ig_chars ig_chars;

/* The one-to-one lower case of Unicode 17.0; whether a character's category is M, in Unicode 9.0.
 */
uint32_t ig_char_lower(uint32_t c);
bool ig_char_is_mark(uint32_t c);
/* What BERT takes for punctuation: ASCII's, and category P of Unicode 8.0. */
bool ig_char_is_punctuation(uint32_t c);

/* BertNormalizer's four switches; zeroed, text is cleaned and ideographs stand alone. */
typedef struct {
    bool lowercase, strip_accents;
    bool keep_controls;   /* clean_text is false */
    bool join_ideographs; /* handle_chinese_chars is false */
} ig_chars_rules;

/* The table; freed with ig_chars_free; read by any number of threads. */
ig_code ig_chars_new(ig_chars **out, const ig_chars_rules *rules, ig_err *err);
void ig_chars_free(ig_chars *t);
/* Appends n bytes of well-formed text as BertNormalizer leaves them, before words are cut. */
ig_code ig_chars_normalize(const ig_chars *t, const uint8_t *text, int64_t n, ig_byte_text *out,
                           ig_err *err);

/* A string that stands for itself wherever it occurs in raw text. All begin with '['. */
typedef struct {
    const char *text;
    int32_t n; /* bytes */
    int32_t id;
} ig_special;

/* Walks over the words of a text. Set up with ig_words_make. */
typedef struct {
    const ig_chars *chars;
    const ig_special *special;
    int n_special;
    const uint8_t *p, *end;
    uint8_t *buffer;
    int64_t limit;       /* characters that the buffer holds; longer words are only counted */
    const uint8_t *word; /* the current word, normalized: in the text itself or in `buffer` */
    int64_t n, n_char;   /* bytes and characters; only n_char means something when it is > limit */
    int32_t special_id;  /* ≥ 0: a special token stands here, and there is no word */
} ig_words;

/* Bytes that the buffer must have. */
#define IG_WORDS_BUFFER(limit) (4 * (limit))
/* Characters that n bytes of text can become at most: an ill-formed byte becomes one, NFD makes
 * three of the two bytes of U+0390 and four of the three bytes of U+1F82. */
#define IG_WORDS_CHARS(n) (2 * (n) + 4)

/* A cursor over n bytes of UTF-8; buffer holds IG_WORDS_BUFFER(limit) bytes. All borrowed. No
 * string is special until `special` is set. */
ig_words ig_words_make(const ig_chars *chars, const char *text, int64_t n, uint8_t *buffer,
                       int64_t limit);
/* The next word or special token; false at the end. */
bool ig_words_next(ig_words *w);
