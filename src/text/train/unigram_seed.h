/* SPDX-License-Identifier: Apache-2.0
 *
 * Initial pieces of a unigram language model.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* A range of the words' bytes that occurs `count` times. */
typedef struct {
    const uint8_t *byte;
    int64_t count;
    int32_t n, n_char; /* bytes, characters */
} ig_seed;

/* Concatenated words: word i is byte[start[i] .. start[i + 1]), well-formed UTF-8, and occurs
 * count[i] times. */
typedef struct {
    const uint8_t *byte;
    const int64_t *start, *count;
    int64_t n;
} ig_seed_words;

/* Finds the `most` substrings of 2 to 16 characters that occur at least twice with the largest
 * count · characters, ties by bytes; *out is freed with ig_free. Memory is bounded by the words and
 * `most`. */
ig_code ig_unigram_seed(ig_seed **out, int64_t *n, const ig_seed_words *words, int64_t most,
                        ig_err *err);
