/* SPDX-License-Identifier: Apache-2.0
 *
 * The sampling of word2vec: which occurrences of frequent words are left out, which words are
 * negatives (Mikolov, Sutskever, Chen, Corrado, Dean, "Distributed representations of words and
 * phrases and their compositionality", NIPS 2013, sections 2.1-2.3).
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Words drawn in proportion to count^exponent, exactly (the originals have a table of 10^7 or 10^8
 * entries): Walker's alias method. Freed with ig_alias_free. */
typedef struct {
    int32_t n;
    uint32_t *keep; /* [n] of 2^32: stay at this word, else go to `other` */
    int32_t *other; /* [n] */
} ig_alias;

ig_code ig_alias_new(ig_alias *out, const int64_t *count, int32_t n, double exponent, ig_err *err);
void ig_alias_free(ig_alias *a);
/* Draws from two independent numbers of 32 bits. */
static inline int32_t ig_alias_draw(const ig_alias *a, uint32_t u, uint32_t v)
{
    int32_t i = (int32_t)((uint64_t)u * (uint64_t)a->n >> 32);
    return v < a->keep[i] ? i : a->other[i];
}

/* keep[i] of 2^32: with f the share of word i among all, it stays with probability √(t/f) + t/f;
 * t = 0: always. */
void ig_keep_shares(uint64_t *keep, const int64_t *count, int32_t n, double t);
