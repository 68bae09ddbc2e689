/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises bytes that are not text in UTF-8: UTF-16 and UTF-32 by their marks (The Unicode
 * Standard 15.0, §2.6 and §23.8), and zero bytes, of which UTF-16 without a mark has many. Every
 * reader of text refuses them with these messages.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* IG_ERR_INPUT if a file begins with these n bytes and is what git stores in place of a large one.
 */
ig_code ig_check_pointer(const void *data, int64_t n, const char *where, ig_err *err);
/* The same, or if it begins with such a mark (four bytes are enough). */
ig_code ig_check_mark(const void *data, int64_t n, const char *where, ig_err *err);
/* IG_ERR_INPUT if line number `line`, n bytes, has a zero byte. */
ig_code ig_check_zero(const char *text, int64_t n, const char *where, uint64_t line, ig_err *err);
/* IG_ERR_INPUT: byte number `at` (from 0) of line `line` is not UTF-8. */
ig_code ig_not_utf8(const char *where, uint64_t line, int64_t at, uint8_t byte, ig_err *err);
/* Adds what to do with text in another encoding of bytes. */
ig_code ig_hint_encoding(ig_err *err);
/* Checks for marks and zero bytes in a whole file. */
ig_code ig_check_text(const char *text, int64_t n, const char *where, ig_err *err);
