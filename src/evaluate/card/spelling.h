/* SPDX-License-Identifier: Apache-2.0
 *
 * Other spellings of a text, and its words and characters, by ICU.
 */
#pragma once

#include "evaluate/card/text_faults.h"

/* Freed with ig_speller_free. */
typedef struct ig_speller ig_speller;
ig_code ig_speller_new(ig_speller **out, ig_err *err);
void ig_speller_free(ig_speller *s);
/* LOWER (without language), PLAIN (NFD without marks, then NFC), BOTH, NFC. *out is in s's memory
 * and valid until the next call. Bytes that are not UTF-8 become U+FFFD. */
ig_code ig_respell(ig_speller *s, ig_spelling as, const char *text, const char **out, ig_err *err);

/* Words of a text: what UAX #29 bounds and has a letter, a number or an ideograph; Thai, Chinese
 * and the like by ICU's dictionaries. Freed with ig_word_breaker_free. */
typedef struct ig_word_breaker ig_word_breaker;
ig_code ig_word_breaker_new(ig_word_breaker **out, ig_err *err);
void ig_word_breaker_free(ig_word_breaker *b);
/* n borrowed bytes. */
ig_code ig_word_breaker_set(ig_word_breaker *b, const char *text, int64_t n, ig_err *err);
/* The next word, *n bytes; NULL: there is none. */
const char *ig_word_breaker_next(ig_word_breaker *b, int64_t *n);

/* Adds the characters that are no white space, and those of scripts that are written without
 * blanks (Han, kana, Thai, Lao, Khmer, Myanmar, Tibetan). */
void ig_count_characters(const char *text, int64_t n, double *character, double *spaceless);
