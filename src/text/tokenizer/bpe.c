/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging by rank with a heap of candidates, one for each pair of neighbours, validated when they
 * are popped: n log n for a word of n characters. The order is that of Hugging Face `tokenizers`:
 * one occurrence at a time, lowest rank first, then the leftmost.
 */
#include "text/tokenizer/bpe.h"

#include "base/memory.h"

#include <stdbool.h>

static uint64_t hash_pair(int32_t a, int32_t b)
{
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

ig_code ig_bpe_add(ig_bpe *b, int32_t from_a, int32_t from_b, int32_t to, ig_err *err)
{
    if (b->n == INT32_MAX - 1)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "more than %d merges", INT32_MAX - 1);
    IG_TRY(ig_grow(&b->merge, &b->have, (int64_t)b->n + 1, sizeof *b->merge, "merges", err));
    b->merge[b->n++] = (ig_merge){from_a, from_b, to};
    return IG_ERR_OK;
}

/* Returns the slot of a pair, or the empty one where it would be inserted. */
static int64_t slot_of(const ig_bpe *b, int32_t x, int32_t y)
{
    const uint64_t mask = (uint64_t)b->n_slot - 1;
    uint64_t i = hash_pair(x, y) & mask;
    for (; b->slot[i] != 0; i = (i + 1) & mask) {
        const ig_merge *m = &b->merge[b->slot[i] - 1];
        if (m->a == x && m->b == y)
            break;
    }
    return (int64_t)i;
}

ig_code ig_bpe_index(ig_bpe *b, ig_err *err)
{
    ig_free(b->slot);
    b->slot = NULL;
    for (b->n_slot = 16; b->n_slot < 2 * (int64_t)b->n + 2; b->n_slot *= 2)
        ;
    IG_TRY(ig_alloc(&b->slot, b->n_slot, sizeof *b->slot, "merges", err));
    for (int32_t i = 0; i < b->n; i++)
        b->slot[slot_of(b, b->merge[i].a, b->merge[i].b)] = i + 1;
    return IG_ERR_OK;
}

void ig_bpe_free(ig_bpe *b)
{
    IG_FREE(b->merge, b->slot);
    *b = (ig_bpe){0};
}

/* A possible merge: of the symbol at a position with the next one. */
typedef struct {
    int32_t rank, place;
    int32_t a, b; /* as they were when the candidate was added */
} candidate;

/* A word during merging: a linked list of symbols; removed ones have id −1. */
typedef struct {
    const ig_bpe *bpe;
    int32_t *id, *before, *after; /* [n] positions; −1: none */
    candidate *heap;              /* at most 3n: each merge adds two */
    int64_t n_heap;
} word;

static bool above(const candidate *x, const candidate *y)
{
    return x->rank != y->rank ? x->rank < y->rank : x->place < y->place;
}

static void push(word *w, candidate c)
{
    int64_t i = w->n_heap++;
    for (int64_t up; i > 0 && above(&c, &w->heap[up = (i - 1) / 2]); i = up)
        w->heap[i] = w->heap[up];
    w->heap[i] = c;
}

static candidate pop(word *w)
{
    const candidate top = w->heap[0], last = w->heap[--w->n_heap];
    int64_t i = 0;
    for (int64_t child; (child = 2 * i + 1) < w->n_heap; i = child) {
        if (child + 1 < w->n_heap && above(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!above(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = last;
    return top;
}

/* Adds the merge of the symbol at a position with the next one, if there is such a merge. */
static void note(word *w, int32_t place)
{
    if (place < 0 || w->after[place] < 0)
        return;
    const int32_t a = w->id[place], b = w->id[w->after[place]];
    const int32_t rank = w->bpe->slot[slot_of(w->bpe, a, b)] - 1;
    if (rank >= 0)
        push(w, (candidate){rank, place, a, b});
}

int64_t ig_bpe_run(const ig_bpe *b, int32_t *id, int64_t n, void *work)
{
    word w = {.bpe = b, .id = id, .heap = work};
    w.before = (int32_t *)(w.heap + 3 * n);
    w.after = w.before + n;
    for (int32_t i = 0; i < n; i++) {
        w.before[i] = i - 1;
        w.after[i] = i + 1 < n ? i + 1 : -1;
    }
    for (int32_t i = 0; i + 1 < n; i++)
        note(&w, i);
    while (w.n_heap > 0) {
        const candidate c = pop(&w);
        const int32_t next = id[c.place] < 0 ? -1 : w.after[c.place];
        if (next < 0 || id[c.place] != c.a || id[next] != c.b)
            continue;
        id[c.place] = b->merge[c.rank].to;
        id[next] = -1;
        w.after[c.place] = w.after[next];
        if (w.after[next] >= 0)
            w.before[w.after[next]] = c.place;
        note(&w, w.before[c.place]);
        note(&w, c.place);
    }
    int64_t left = 0;
    for (int64_t i = 0; i < n; i++)
        if (id[i] >= 0)
            id[left++] = id[i];
    return left;
}
