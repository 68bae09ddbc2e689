/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleaning of running text and splitting it into sentences. Text is well-formed UTF-8.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Copies text[n] to out (which may be the text itself and must hold n bytes): every run of white
 * space becomes one space, none stays at the ends; with strip_quotes ” ’ ‘ “ ( ) are deleted
 * (Dufter & Schütze 2020: deleted, not replaced by a space). Returns the number of bytes. */
int64_t ig_text_clean(char *out, const char *text, int64_t n, bool strip_quotes);

typedef struct ig_sentence_breaker ig_sentence_breaker;

/* Opens ICU's sentence breaks (UAX #29) for a locale such as "en", "de" (NULL: "en").
 * `abbreviations`: no break after those that CLDR lists for the language ("Mr.", but also "Go." and
 * "In."). `clauses`: breaks also after ; and : followed by white space, and after their full-width
 * forms. Freed with ig_sentence_breaker_free. */
ig_code ig_sentence_breaker_new(ig_sentence_breaker **out, const char *locale, bool abbreviations,
                                bool clauses, ig_err *err);
void ig_sentence_breaker_free(ig_sentence_breaker *b);

/* Starts a text, which must not change until the next call. */
ig_code ig_sentence_begin(ig_sentence_breaker *b, const char *text, int64_t n, ig_err *err);
/* Returns the next sentence without white space at its ends, never empty; false at the end. */
bool ig_sentence_next(ig_sentence_breaker *b, const char **sentence, int64_t *n);
