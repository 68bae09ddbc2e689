/* SPDX-License-Identifier: Apache-2.0
 *
 * A map from byte strings to numbers, as a double-array trie (Aoe 1989; bases combined by
 * exclusive or, as in darts-clone): one load and one comparison a byte.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    int32_t base, check, value; /* value −1: no string ends here */
} ig_trie_cell;

typedef struct {
    ig_trie_cell *cell;
    int64_t n;
} ig_trie;

/* Builds the trie of n NUL-terminated strings text + start[i]; the value of one is its index, of
 * equal ones the last. */
ig_code ig_trie_build(ig_trie *out, const char *text, const int64_t *start, int32_t n, ig_err *err);
void ig_trie_free(ig_trie *t);

/* Returns the state after n bytes; −1: no string continues with them. */
int32_t ig_trie_walk(const ig_trie *t, int32_t state, const void *bytes, int64_t n);
/* Returns the value of the string that ends after n bytes; −1: there is none. */
int32_t ig_trie_find(const ig_trie *t, int32_t state, const void *bytes, int64_t n);

/* Returns the state after byte c; −1: no string continues with c. State 0 is the root. */
static inline int32_t ig_trie_step(const ig_trie *t, int32_t state, uint8_t c)
{
    int32_t to = t->cell[state].base ^ (int32_t)c;
    return t->cell[to].check == state ? to : -1;
}
