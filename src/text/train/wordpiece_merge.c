/* SPDX-License-Identifier: Apache-2.0
 *
 * Incremental pair counts. A pair gets all its occurrences at once: when the later of its two
 * symbols is made. After that its count only falls, so a heap whose entries are compared with the
 * true count when they are popped is exact, and the list of the words that contain a pair is
 * written once, contiguously. Words that have lost the pair since are skipped when they are
 * processed.
 */
#include "text/train/wordpiece_merge.h"

#include "base/assert.h"
#include "base/memory.h"

typedef struct {
    uint64_t key; /* a << 32 | b: the order of keys is the order of pairs */
    int64_t count;
    int64_t start; /* its words: where[start .. start + n) */
    int32_t n;
    int32_t last; /* the last word listed */
} pair;

typedef struct {
    int64_t count;
    uint64_t key;
    int32_t pair;
} entry;

typedef struct {
    int32_t pair, word;
} occurrence;

struct ig_merger {
    int32_t *symbol;
    const int64_t *start, *count;
    int32_t *length; /* [n_word] symbols left in each word */
    int32_t n_word;
    pair *pair;
    int64_t n_pair, have_pair;
    int32_t *slot; /* open addressing; number of the pair + 1 */
    int64_t n_slot;
    int32_t *where;
    int64_t n_where, have_where;
    occurrence *fresh; /* of the pairs that the current merge makes */
    int64_t n_fresh, have_fresh;
    entry *heap;
    int64_t n_heap, have_heap;
};

static bool above(const entry *x, const entry *y)
{
    return x->count != y->count ? x->count > y->count : x->key < y->key;
}

static void sift_down(entry *heap, int64_t n, int64_t i)
{
    entry e = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && above(&heap[child + 1], &heap[child]))
            child++;
        if (!above(&heap[child], &e))
            break;
        heap[i] = heap[child];
    }
    heap[i] = e;
}

static void sift_up(entry *heap, int64_t i)
{
    entry e = heap[i];
    for (int64_t up; i > 0 && above(&e, &heap[up = (i - 1) / 2]); i = up)
        heap[i] = heap[up];
    heap[i] = e;
}

static uint64_t key_of(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static uint64_t slot_of(const ig_merger *m, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
    uint64_t mask = (uint64_t)m->n_slot - 1, i = h & mask;
    while (m->slot[i] != 0 && m->pair[m->slot[i] - 1].key != key)
        i = (i + 1) & mask;
    return i;
}

static ig_code grow_slots(ig_merger *m, ig_err *err)
{
    int32_t *slot;
    int64_t n_slot = m->n_slot == 0 ? 4096 : 4 * m->n_slot;
    IG_TRY(ig_alloc(&slot, n_slot, sizeof *slot, "pairs", err));
    ig_free(m->slot);
    m->slot = slot;
    m->n_slot = n_slot;
    for (int64_t i = 0; i < m->n_pair; i++)
        m->slot[slot_of(m, m->pair[i].key)] = (int32_t)(i + 1);
    return IG_ERR_OK;
}

/* Removes an occurrence of (a, b), `count` times. */
static void lose(ig_merger *m, int32_t a, int32_t b, int64_t count)
{
    int32_t i = m->slot[slot_of(m, key_of(a, b))];
    IG_ASSERT(i > 0);
    m->pair[i - 1].count -= count;
}

/* Adds an occurrence of (a, b) in a word, `count` times. */
static ig_code gain(ig_merger *m, int32_t a, int32_t b, int32_t word, ig_err *err)
{
    if (2 * (m->n_pair + 1) > m->n_slot)
        IG_TRY(grow_slots(m, err));
    uint64_t key = key_of(a, b), at = slot_of(m, key);
    if (m->slot[at] == 0) {
        if (m->n_pair == INT32_MAX - 1)
            return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d distinct pairs", INT32_MAX - 1);
        IG_TRY(ig_grow(&m->pair, &m->have_pair, m->n_pair + 1, sizeof *m->pair, "pairs", err));
        m->pair[m->n_pair++] = (pair){.key = key, .last = -1};
        m->slot[at] = (int32_t)m->n_pair;
    }
    pair *p = &m->pair[m->slot[at] - 1];
    p->count += m->count[word];
    if (p->last != word) {
        p->last = word;
        p->n++;
        IG_TRY(ig_grow(&m->fresh, &m->have_fresh, m->n_fresh + 1, sizeof *m->fresh, "pairs", err));
        m->fresh[m->n_fresh++] = (occurrence){m->slot[at] - 1, word};
    }
    return IG_ERR_OK;
}

/* Sorts the new occurrences into one list for each pair and pushes the pairs from `first` on to the
 * heap. */
static ig_code settle(ig_merger *m, int64_t first, ig_err *err)
{
    IG_TRY(ig_grow(&m->where, &m->have_where, m->n_where + m->n_fresh, sizeof *m->where, "pairs",
                   err));
    IG_TRY(ig_grow(&m->heap, &m->have_heap, m->n_heap + m->n_pair - first, sizeof *m->heap, "pairs",
                   err));
    for (int64_t i = first; i < m->n_pair; i++) {
        m->pair[i].start = m->n_where;
        m->n_where += m->pair[i].n;
        m->pair[i].n = 0;
    }
    for (int64_t i = 0; i < m->n_fresh; i++) {
        pair *p = &m->pair[m->fresh[i].pair];
        m->where[p->start + p->n++] = m->fresh[i].word;
    }
    m->n_fresh = 0;
    for (int64_t i = first; i < m->n_pair; i++) {
        if (m->pair[i].count <= 0)
            continue;
        m->heap[m->n_heap] = (entry){m->pair[i].count, m->pair[i].key, (int32_t)i};
        sift_up(m->heap, m->n_heap++);
    }
    return IG_ERR_OK;
}

static ig_code prepare(ig_merger *m, ig_err *err)
{
    IG_TRY(ig_alloc(&m->length, m->n_word, sizeof *m->length, "words", err));
    IG_TRY(grow_slots(m, err));
    for (int32_t w = 0; w < m->n_word; w++) {
        m->length[w] = (int32_t)(m->start[w + 1] - m->start[w]);
        const int32_t *s = m->symbol + m->start[w];
        for (int32_t i = 0; i + 1 < m->length[w]; i++)
            IG_TRY(gain(m, s[i], s[i + 1], w, err));
    }
    return settle(m, 0, err);
}

ig_code ig_merger_new(ig_merger **out, int32_t *symbol, const int64_t *start, const int64_t *count,
                      int32_t n_word, ig_err *err)
{
    ig_merger *m;
    *out = NULL;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "pairs", err));
    m->symbol = symbol;
    m->start = start;
    m->count = count;
    m->n_word = n_word;
    ig_code code = prepare(m, err);
    IG_RETURN_NEW(code, out, m, ig_merger_free);
}

void ig_merger_free(ig_merger *m)
{
    if (m == NULL)
        return;
    IG_FREE(m->length, m->pair, m->slot, m->where, m->fresh, m->heap, m);
}

bool ig_merger_best(ig_merger *m, int32_t *a, int32_t *b, int64_t *count)
{
    while (m->n_heap > 0) {
        entry *top = &m->heap[0];
        int64_t now = m->pair[top->pair].count;
        if (top->count == now) {
            *a = (int32_t)(top->key >> 32);
            *b = (int32_t)(top->key & 0xFFFFFFFFu);
            *count = now;
            return true;
        }
        if (now > 0)
            top->count = now;
        else
            *top = m->heap[--m->n_heap];
        if (m->n_heap > 0)
            sift_down(m->heap, m->n_heap, 0);
    }
    return false;
}

static ig_code merge_word(ig_merger *m, int32_t w, int32_t a, int32_t b, int32_t to, ig_err *err)
{
    int32_t *s = m->symbol + m->start[w];
    int32_t n = m->length[w], k = 0;
    int64_t count = m->count[w];
    for (int32_t i = 0; i < n; i++) {
        if (s[i] != a || i + 1 == n || s[i + 1] != b) {
            s[k++] = s[i];
            continue;
        }
        if (k > 0) {
            lose(m, s[k - 1], a, count);
            IG_TRY(gain(m, s[k - 1], to, w, err));
        }
        if (i + 2 < n) {
            lose(m, b, s[i + 2], count);
            IG_TRY(gain(m, to, s[i + 2], w, err));
        }
        s[k++] = to;
        i++;
    }
    m->length[w] = k;
    return IG_ERR_OK;
}

ig_code ig_merger_apply(ig_merger *m, int32_t symbol, ig_err *err)
{
    IG_ASSERT(m->n_heap > 0);
    entry top = m->heap[0];
    int32_t a = (int32_t)(top.key >> 32), b = (int32_t)(top.key & 0xFFFFFFFFu);
    int64_t first = m->n_pair;
    m->heap[0] = m->heap[--m->n_heap];
    if (m->n_heap > 0)
        sift_down(m->heap, m->n_heap, 0);
    for (int64_t i = 0; i < m->pair[top.pair].n; i++)
        IG_TRY(merge_word(m, m->where[m->pair[top.pair].start + i], a, b, symbol, err));
    return settle(m, first, err);
}
