/* SPDX-License-Identifier: Apache-2.0
 *
 * White space in text, for every reader: that at which Python's str.split() cuts, and with it the
 * programs of the field. Tokenizers follow their peers instead (text_split.h, normalize.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Unicode's White_Space (no-break and ideographic spaces among them), and U+001C to U+001F. */
bool ig_is_white_space(uint32_t c);
/* The next word of [*at, end), *n bytes, after which *at is moved; NULL: no more. */
const char *ig_next_word(const char **at, const char *end, int64_t *n);
/* How many words n bytes have. */
int64_t ig_n_words(const char *text, int64_t n);
/* Whether that is none. */
bool ig_is_blank(const char *text, int64_t n);
