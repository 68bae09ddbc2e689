/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding and encoding of UTF-8, by ICU's macros. Each maximal subpart of an ill-formed sequence
 * becomes one U+FFFD (The Unicode Standard 15.0, §3.9, "U+FFFD Substitution of Maximal Subparts"),
 * as with Python's errors="replace" and the WHATWG decoder; ICU does so since version 60.
 */
#pragma once

#include <stdint.h>
#include <unicode/utf8.h>

#define IG_UTF8_BAD 0xFFFDu

/* Reads the code point at p (p < end) into *c, U+FFFD for an ill-formed sequence; returns the
 * number of bytes read (≥ 1). */
static inline int ig_utf8_next(const uint8_t *p, const uint8_t *end, uint32_t *c)
{
    int i = 0;
    UChar32 code;
    U8_NEXT_OR_FFFD(p, i, end - p, code);
    *c = (uint32_t)code;
    return i;
}

/* Writes a code point (not a surrogate, ≤ U+10FFFF) into out[4]; returns the number of bytes. */
static inline int ig_utf8_put(uint8_t *out, uint32_t c)
{
    int n = 0;
    U8_APPEND_UNSAFE(out, n, c);
    return n;
}

/* Reads the code point before p (begin < p) likewise; returns its number of bytes. */
int ig_utf8_before(const uint8_t *begin, const uint8_t *p, uint32_t *c);
/* Returns the offset of the first ill-formed sequence in n bytes; −1 if all are well-formed. */
int64_t ig_utf8_check(const uint8_t *p, int64_t n);
