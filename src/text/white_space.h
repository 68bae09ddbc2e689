/* SPDX-License-Identifier: Apache-2.0
 *
 * White space in text, for every reader: the characters at which Python's str.split() splits, as
 * do the programs of the field. Tokenizers follow `tokenizers` instead (text_split.h,
 * normalize.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether it is in Unicode's White_Space (which includes no-break and ideographic spaces),
 * or one of U+001C to U+001F. */
bool ig_is_white_space(uint32_t c);
/* Returns the next word of [*at, end), *n bytes long, and moves *at to its end; NULL: no more. */
const char *ig_next_word(const char **at, const char *end, int64_t *n);
/* Returns the number of words in n bytes. */
int64_t ig_n_words(const char *text, int64_t n);
/* Returns whether n bytes have no word. */
bool ig_is_blank(const char *text, int64_t n);
