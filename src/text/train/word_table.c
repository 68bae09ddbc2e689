/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte strings and their counts, by open addressing.
 */
#include "text/train/word_table.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time, each mixed in by a multiplication; quality for tables, not security. */
static uint64_t hash_bytes(const uint8_t *byte, int64_t n)
{
    const uint64_t k = 0x9E3779B97F4A7C15u;
    uint64_t h = (uint64_t)n * k, x = 0;
    for (; n > 8; n -= 8, byte += 8) {
        memcpy(&x, byte, 8);
        h = (h ^ x) * k;
        h ^= h >> 32;
    }
    x = 0;
    memcpy(&x, byte, (size_t)n);
    h = (h ^ x) * k;
    h ^= h >> 29;
    h *= k;
    return h ^ h >> 32;
}

static void insert_slot(ig_word_table *t, uint64_t hash, int64_t index)
{
    uint64_t mask = (uint64_t)t->n_slot - 1, i = hash & mask;
    while (t->slot[i] != 0)
        i = (i + 1) & mask;
    t->slot[i] = (hash & 0xFFFFFFFF00000000u) | (uint64_t)(index + 1);
}

static ig_code make_room(ig_word_table *t, ig_err *err)
{
    if (t->n_word >= INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d distinct words", INT32_MAX);
    IG_TRY(ig_grow(&t->word, &t->have_word, t->n_word + 1, sizeof *t->word, "words", err));
    if (2 * (t->n_word + 1) <= t->n_slot)
        return IG_ERR_OK;
    uint64_t *slot;
    int64_t n_slot = t->n_slot == 0 ? 1024 : 4 * t->n_slot;
    IG_TRY(ig_alloc(&slot, n_slot, sizeof *slot, "words", err));
    ig_free(t->slot);
    t->slot = slot;
    t->n_slot = n_slot;
    for (int64_t i = 0; i < t->n_word; i++)
        insert_slot(t, t->word[i].hash, i);
    return IG_ERR_OK;
}

ig_code ig_word_table_add(ig_word_table *t, const uint8_t *byte, int64_t n, int64_t count,
                          int64_t *index, ig_err *err)
{
    uint64_t hash = hash_bytes(byte, n);
    if (t->n_slot > 0) {
        uint64_t mask = (uint64_t)t->n_slot - 1;
        for (uint64_t i = hash & mask; t->slot[i] != 0; i = (i + 1) & mask) {
            if ((t->slot[i] ^ hash) >> 32 != 0)
                continue;
            int64_t k = (int64_t)(t->slot[i] & 0xFFFFFFFFu) - 1;
            ig_word_entry *w = &t->word[k];
            if (w->n == n && memcmp(t->byte + w->start, byte, (size_t)n) == 0) {
                w->count += count;
                if (index != NULL)
                    *index = k;
                return IG_ERR_OK;
            }
        }
    }
    IG_TRY(make_room(t, err));
    IG_TRY(ig_grow(&t->byte, &t->have_byte, t->n_byte + n, 1, "words", err));
    memcpy(t->byte + t->n_byte, byte, (size_t)n);
    t->word[t->n_word] =
        (ig_word_entry){.hash = hash, .start = t->n_byte, .count = count, .n = (int32_t)n};
    insert_slot(t, hash, t->n_word);
    if (index != NULL)
        *index = t->n_word;
    t->n_word++;
    t->n_byte += n;
    return IG_ERR_OK;
}

void ig_word_table_free(ig_word_table *t)
{
    IG_FREE(t->byte, t->word, t->slot);
    *t = (ig_word_table){0};
}

void ig_word_table_list(ig_word_count *out, const ig_word_table *t)
{
    for (int64_t i = 0; i < t->n_word; i++)
        out[i] = (ig_word_count){t->byte + t->word[i].start, t->word[i].count, t->word[i].n};
}

int ig_word_by_bytes(const void *a, const void *b)
{
    const ig_word_count *x = a, *y = b;
    return ig_compare_bytes(x->byte, x->n, y->byte, y->n);
}

int ig_word_by_count(const void *a, const void *b)
{
    const ig_word_count *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : ig_word_by_bytes(a, b);
}

static int by_count(const void *a, const void *b)
{
    const ig_char_count *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : (x->c > y->c) - (x->c < y->c);
}

ig_code ig_chars_by_count(ig_char_count **out, int32_t *n, const int64_t *seen, uint32_t n_code,
                          ig_err *err)
{
    int32_t all = 0;
    for (uint32_t c = 0; c < n_code; c++)
        all += seen[c] > 0;
    IG_TRY(ig_alloc(out, all, sizeof **out, "characters", err));
    *n = 0;
    for (uint32_t c = 0; c < n_code; c++)
        if (seen[c] > 0)
            (*out)[(*n)++] = (ig_char_count){seen[c], c};
    qsort(*out, (size_t)all, sizeof **out, by_count);
    return IG_ERR_OK;
}
