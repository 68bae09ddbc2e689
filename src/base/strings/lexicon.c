/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing, at most half full. A slot contains the hash beside the
 * number: this makes growing cheap and avoids most comparisons of text.
 */
#include "base/strings/lexicon.h"

#include "base/memory.h"

#include <string.h>

/* Eight bytes at a time, each mixed in by a multiplication; good enough for tables, not secure. */
static uint32_t hash_of(const char *word, int64_t n)
{
    const uint64_t k = 0x9E3779B97F4A7C15u;
    uint64_t h = (uint64_t)n * k, x = 0;
    for (; n > 8; n -= 8, word += 8) {
        memcpy(&x, word, 8);
        h = (h ^ x) * k;
        h ^= h >> 32;
    }
    x = 0;
    if (n > 0)
        memcpy(&x, word, (size_t)n);
    h = (h ^ x) * k;
    h ^= h >> 29;
    h *= k;
    return (uint32_t)(h ^ h >> 32);
}

/* Returns the slot of a word, or the free one where it would be inserted. */
static uint64_t *slot_of(const ig_lexicon *w, const char *word, int64_t n, uint32_t hash)
{
    int64_t mask = w->n_slot - 1, i = (int64_t)hash & mask;
    for (; w->slot[i] != 0; i = (i + 1) & mask) {
        const int32_t id = (int32_t)(uint32_t)w->slot[i] - 1;
        if (w->slot[i] >> 32 == hash && ig_lexicon_size(w, id) == n &&
            memcmp(ig_lexicon_get(w, id), word, (size_t)n) == 0)
            break;
    }
    return &w->slot[i];
}

static ig_code grow_slots(ig_lexicon *w, ig_err *err)
{
    int64_t n_slot = w->n_slot == 0 ? 1024 : 2 * w->n_slot;
    uint64_t *slot;
    IG_TRY(ig_alloc(&slot, n_slot, sizeof *slot, "word table", err));
    for (int64_t k = 0; k < w->n_slot; k++) {
        int64_t i = (int64_t)(w->slot[k] >> 32) & (n_slot - 1);
        while (w->slot[k] != 0 && slot[i] != 0)
            i = (i + 1) & (n_slot - 1);
        if (w->slot[k] != 0)
            slot[i] = w->slot[k];
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
    return (int32_t)(uint32_t)*slot_of(w, word, n, hash_of(word, n)) - 1;
}

ig_code ig_lexicon_add(ig_lexicon *w, const char *word, int64_t n, int32_t *id, ig_err *err)
{
    if (2 * ((int64_t)w->n + 1) > w->n_slot)
        IG_TRY(grow_slots(w, err));
    uint32_t hash = hash_of(word, n);
    uint64_t *slot = slot_of(w, word, n, hash);
    if (*slot != 0) {
        *id = (int32_t)(uint32_t)*slot - 1;
        return IG_ERR_OK;
    }
    if (w->n == INT32_MAX - 1)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d different words", INT32_MAX - 1);
    int64_t at = w->n == 0 ? 0 : w->start[w->n];
    IG_TRY(ig_grow(&w->text, &w->have_text, at + n + 1, 1, "words", err));
    IG_TRY(ig_grow(&w->start, &w->have_start, (int64_t)w->n + 2, sizeof *w->start, "words", err));
    if (n > 0)
        memcpy(w->text + at, word, (size_t)n);
    w->text[at + n] = '\0';
    w->start[w->n] = at;
    w->start[w->n + 1] = at + n + 1;
    *id = w->n++;
    *slot = (uint64_t)hash << 32 | (uint32_t)w->n;
    return IG_ERR_OK;
}

void ig_lexicon_free(ig_lexicon *w)
{
    IG_FREE(w->text, w->start, w->slot);
    *w = (ig_lexicon){0};
}
