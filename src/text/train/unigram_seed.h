/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings that a unigram language model may begin with.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* A stretch of the words' bytes that occurs `count` times. */
typedef struct {
    const uint8_t *byte;
    int64_t count;
    int32_t n, n_char; /* bytes, characters */
} ig_seed;

/* Words end at each other: word i is byte[start[i] .. start[i + 1]), well-formed UTF-8, and occurs
 * count[i] times. */
typedef struct {
    const uint8_t *byte;
    const int64_t *start, *count;
    int64_t n;
} ig_seed_words;

/* *out, freed with ig_free, becomes the `most` substrings of 2 to 16 characters that occur at least
 * twice with the largest count · characters, ties by bytes; memory is bounded by the words and
 * `most`. */
ig_code ig_unigram_seed(ig_seed **out, int64_t *n, const ig_seed_words *words, int64_t most,
                        ig_err *err);
