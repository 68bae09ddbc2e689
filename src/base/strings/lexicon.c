/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing, at most half full. A stored hash makes growing cheap and
 * spares most comparisons of text.
 */
#include "base/strings/lexicon.h"

#include "base/memory.h"

#include <string.h>

/* FNV-1a, 64 bits folded to 32: words are short. */
static uint32_t hash_of(const char *word, int64_t n)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (int64_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)word[i]) * 0x100000001B3u;
    return (uint32_t)(h ^ h >> 32);
}

/* The slot of a word: its own, or the free one where it belongs. */
static int64_t slot_of(const ig_lexicon *w, const char *word, int64_t n, uint32_t hash)
{
    int64_t mask = w->n_slot - 1, i = (int64_t)hash & mask;
    for (; w->slot[i] != 0; i = (i + 1) & mask) {
        int32_t id = w->slot[i] - 1;
        if (w->hash[id] == hash && ig_lexicon_size(w, id) == n &&
            memcmp(ig_lexicon_get(w, id), word, (size_t)n) == 0)
            break;
    }
    return i;
}

static ig_code grow_slots(ig_lexicon *w, ig_err *err)
{
    int64_t n_slot = w->n_slot == 0 ? 1024 : 2 * w->n_slot;
    int32_t *slot;
    IG_TRY(ig_alloc(&slot, n_slot, sizeof *slot, "word table", err));
    for (int32_t id = 0; id < w->n; id++) {
        int64_t i = (int64_t)w->hash[id] & (n_slot - 1);
        while (slot[i] != 0)
            i = (i + 1) & (n_slot - 1);
        slot[i] = id + 1;
    }
    ig_free(w->slot);
    w->slot = slot;
    w->n_slot = n_slot;
    return IG_ERR_OK;
}

int32_t ig_lexicon_find(const ig_lexicon *w, const char *word, int64_t n)
{
    if (w->n == 0)
        return -1;
    return w->slot[slot_of(w, word, n, hash_of(word, n))] - 1;
}

ig_code ig_lexicon_add(ig_lexicon *w, const char *word, int64_t n, int32_t *id, ig_err *err)
{
    if (2 * ((int64_t)w->n + 1) > w->n_slot)
        IG_TRY(grow_slots(w, err));
    uint32_t hash = hash_of(word, n);
    int64_t slot = slot_of(w, word, n, hash);
    if (w->slot[slot] != 0) {
        *id = w->slot[slot] - 1;
        return IG_ERR_OK;
    }
    if (w->n == INT32_MAX - 1)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d different words", INT32_MAX - 1);
    int64_t at = w->n == 0 ? 0 : w->start[w->n];
    IG_TRY(ig_grow(&w->text, &w->have_text, at + n + 1, 1, "words", err));
    IG_TRY(ig_grow(&w->start, &w->have_start, (int64_t)w->n + 2, sizeof *w->start, "words", err));
    IG_TRY(ig_grow(&w->hash, &w->have_hash, (int64_t)w->n + 1, sizeof *w->hash, "words", err));
    if (n > 0)
        memcpy(w->text + at, word, (size_t)n);
    w->text[at + n] = '\0';
    w->start[w->n] = at;
    w->start[w->n + 1] = at + n + 1;
    w->hash[w->n] = hash;
    *id = w->n++;
    w->slot[slot] = w->n;
    return IG_ERR_OK;
}

void ig_lexicon_free(ig_lexicon *w)
{
    IG_FREE(w->text, w->start, w->hash, w->slot);
    *w = (ig_lexicon){0};
}
