/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding and encoding of UTF-8. Each maximal subpart of an ill-formed sequence becomes one
 * U+FFFD (The Unicode Standard 15.0, §3.9, "U+FFFD Substitution of Maximal Subparts"), as with
 * Python's errors="replace" and the WHATWG decoder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IG_UTF8_BAD 0xFFFDu

/* Reads the code point at p (p < end) into *c, U+FFFD for an ill-formed sequence; returns the
 * number of bytes read (≥ 1). *ok (may be NULL) becomes false if the bytes were ill-formed. */
int ig_utf8_next(const uint8_t *p, const uint8_t *end, uint32_t *c, bool *ok);

/* Writes a code point (not a surrogate, ≤ U+10FFFF) into out[4]; returns the number of bytes. */
static inline int ig_utf8_put(uint8_t *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xC0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xE0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | c >> 18);
    out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (c & 0x3F));
    return 4;
}

/* Returns the offset of the first ill-formed sequence in n bytes; −1 if all are well-formed. */
int64_t ig_utf8_check(const uint8_t *p, int64_t n);
