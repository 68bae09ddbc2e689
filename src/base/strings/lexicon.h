/* SPDX-License-Identifier: Apache-2.0
 *
 * Words and their numbers: a list that grows, in one block of text, with a hash table over it.
 * Numbers follow the order in which words were added, never the hash.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Zeroed: empty. Freed with ig_lexicon_free. */
typedef struct {
    char *text;     /* word i is text + start[i], NUL-terminated */
    int64_t *start; /* [n + 1]; NULL while n is 0 */
    int32_t n;
    uint64_t *slot; /* [n_slot], a power of two; hash of a word, below it its number + 1; 0: free */
    int64_t n_slot;
    int64_t have_text, have_start;
} ig_lexicon;

/* Returns the number of a word of n bytes, and adds it if it is new: then *id is the former
 * w->n. */
ig_code ig_lexicon_add(ig_lexicon *w, const char *word, int64_t n, int32_t *id, ig_err *err);
/* Returns −1 for an unknown word. */
int32_t ig_lexicon_find(const ig_lexicon *w, const char *word, int64_t n);
void ig_lexicon_free(ig_lexicon *w);

static inline const char *ig_lexicon_get(const ig_lexicon *w, int32_t i)
{
    return w->text + w->start[i];
}

/* Returns its bytes, without the NUL. */
static inline int64_t ig_lexicon_size(const ig_lexicon *w, int32_t i)
{
    return w->start[i + 1] - w->start[i] - 1;
}
