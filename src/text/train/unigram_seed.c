/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds frequent substrings by sorting all suffixes of the words (Manber & Myers 1993): equal
 * prefixes are adjacent, and one pass over the sorted list counts all substrings of one length.
 */
#include "text/train/unigram_seed.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CHARS = 2, MOST_CHARS = 16 };

typedef struct {
    const uint8_t *byte; /* where it begins */
    int64_t count;
    int32_t n; /* bytes up to the end of its word */
} suffix;

static int by_bytes(const void *a, const void *b)
{
    const suffix *x = a, *y = b;
    const int c = ig_compare_bytes(x->byte, x->n, y->byte, y->n);
    return c != 0 ? c : (x->byte > y->byte) - (x->byte < y->byte);
}

/* Orders by falling count · characters. */
static int by_worth(const void *a, const void *b)
{
    const ig_seed *x = a, *y = b;
    const int64_t u = x->count * x->n_char, v = y->count * y->n_char;
    return u != v ? (u > v ? -1 : 1) : ig_compare_bytes(x->byte, x->n, y->byte, y->n);
}

static bool begins_character(uint8_t b)
{
    return (b & 0xC0) != 0x80;
}

/* Returns the size in bytes of the first n_char characters of a suffix; −1: it has fewer. */
static int32_t prefix_of(const suffix *s, int n_char)
{
    int32_t i = 0;
    for (; n_char > 0 && i < s->n; n_char--)
        for (i++; i < s->n && !begins_character(s->byte[i]); i++)
            ;
    return n_char == 0 ? i : -1;
}

typedef struct {
    ig_seed *seed;
    int64_t n, have, most;
} seeds;

/* Keeps the best. */
static void shrink(seeds *s)
{
    if (s->n > 1)
        qsort(s->seed, (size_t)s->n, sizeof *s->seed, by_worth);
    s->n = s->n < s->most ? s->n : s->most;
}

static ig_code add(seeds *s, const ig_seed *seed, ig_err *err)
{
    if (seed->count < 2)
        return IG_ERR_OK;
    if (s->n >= 2 * s->most)
        shrink(s);
    IG_TRY(ig_grow(&s->seed, &s->have, s->n + 1, sizeof *s->seed, "substrings", err));
    s->seed[s->n++] = *seed;
    return IG_ERR_OK;
}

/* Counts the substrings of n_char characters: equal ones are prefixes of adjacent suffixes. */
static ig_code count_length(seeds *s, const suffix *list, int64_t n, int n_char, ig_err *err)
{
    ig_seed now = {.n_char = n_char};
    for (int64_t i = 0; i < n; i++) {
        const int32_t length = prefix_of(&list[i], n_char);
        if (length < 0)
            continue;
        if (now.count > 0 && ig_compare_bytes(now.byte, now.n, list[i].byte, length) == 0) {
            now.count += list[i].count;
            continue;
        }
        IG_TRY(add(s, &now, err));
        now.byte = list[i].byte;
        now.n = length;
        now.count = list[i].count;
    }
    return add(s, &now, err);
}

ig_code ig_unigram_seed(ig_seed **out, int64_t *n, const ig_seed_words *words, int64_t most,
                        ig_err *err)
{
    const uint8_t *byte = words->byte;
    const int64_t *start = words->start;
    seeds s = {.most = most};
    suffix *list;
    int64_t n_suffix = 0;
    *out = NULL;
    *n = 0;
    IG_TRY(ig_alloc(&list, start[words->n], sizeof *list, "suffixes", err));
    for (int64_t w = 0; w < words->n; w++)
        for (int64_t i = start[w]; i < start[w + 1]; i++)
            if (begins_character(byte[i]))
                list[n_suffix++] = (suffix){byte + i, words->count[w], (int32_t)(start[w + 1] - i)};
    if (n_suffix > 1)
        qsort(list, (size_t)n_suffix, sizeof *list, by_bytes);
    ig_code code = IG_ERR_OK;
    for (int k = LEAST_CHARS; k <= MOST_CHARS && code == IG_ERR_OK; k++)
        code = count_length(&s, list, n_suffix, k, err);
    ig_free(list);
    if (code != IG_ERR_OK) {
        ig_free(s.seed);
        return code;
    }
    shrink(&s);
    *out = s.seed;
    *n = s.n;
    return IG_ERR_OK;
}
