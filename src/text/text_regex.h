/* SPDX-License-Identifier: Apache-2.0
 *
 * The regular expressions of tokenizer.json, which are Oniguruma's, by ICU. The part of the syntax
 * that means the same in both is read: characters, sets, \s \S \d \w \p{…}, groups, alternatives,
 * lookaround, repetitions. Published files use no other.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ig_text_regex ig_text_regex;

/* Another expression is IG_ERR_INPUT at `where`, named by `key`. Freed with ig_text_regex_free; may
 * be read by any number of threads. */
ig_code ig_text_regex_new(ig_text_regex **out, const char *pattern, const char *key,
                          const char *where, ig_err *err);
void ig_text_regex_free(ig_text_regex *r);

/* A text in pieces that match and pieces between, all of it in order. */
typedef struct {
    int64_t from, to;
    bool match;
} ig_text_span;
typedef struct {
    ig_text_span *span;
    int64_t n, have;
} ig_text_spans;
ig_code ig_text_spans_add(ig_text_spans *s, int64_t from, int64_t to, bool match, ig_err *err);
/* The spans of n bytes of well-formed UTF-8 in place of those that are there; `span` is freed with
 * ig_free. */
ig_code ig_text_regex_spans(const ig_text_regex *r, const uint8_t *text, int64_t n,
                            ig_text_spans *out, ig_err *err);
