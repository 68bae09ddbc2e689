/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the double array (Aoe 1989): strings are sorted, nodes placed depth first; the children
 * of a node go into one block of 256 cells, under a base that maps all of them to free cells. The
 * free cells of the newest blocks are linked (by `base` and `value`, which a free cell does not
 * use); older blocks are treated as full, so building is linear in practice.
 */
#include "text/tokenizer/wordpiece_trie.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, OPEN_BLOCKS = 16, FREE = -1, ROOT = -2, NONE = -1 };

typedef struct {
    const char *text;
    int32_t value;
} item;

typedef struct {
    int32_t state, begin, end, depth;
} span;

typedef struct {
    ig_trie_cell *cell;
    int64_t n, have;
    int32_t first_free, last_free;
    item *item;
    span *stack;
    int64_t n_stack, have_stack;
} builder;

static int by_text(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->value > y->value) - (x->value < y->value);
}

static void unlink_free(builder *b, int64_t i)
{
    int32_t next = b->cell[i].base, before = b->cell[i].value;
    if (before != NONE)
        b->cell[before].base = next;
    else
        b->first_free = next;
    if (next != NONE)
        b->cell[next].value = before;
    else
        b->last_free = before;
    b->cell[i].base = 0;
    b->cell[i].value = -1;
}

static ig_code add_block(builder *b, ig_err *err)
{
    if (b->n > INT32_MAX - BLOCK)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "the vocabulary is too large for 32-bit states");
    IG_TRY(ig_grow(&b->cell, &b->have, b->n + BLOCK, sizeof *b->cell, "vocabulary", err));
    for (int32_t i = (int32_t)b->n; i < b->n + BLOCK; i++) {
        b->cell[i] = (ig_trie_cell){.base = NONE, .check = FREE, .value = b->last_free};
        if (b->last_free != NONE)
            b->cell[b->last_free].base = i;
        else
            b->first_free = i;
        b->last_free = i;
    }
    b->n += BLOCK;
    while (b->first_free < b->n - (int64_t)OPEN_BLOCKS * BLOCK)
        unlink_free(b, b->first_free);
    return IG_ERR_OK;
}

/* Returns a base that maps all children to free cells; −1: none in the open blocks. */
static int64_t find_base(const builder *b, const uint8_t *child, int n_child)
{
    for (int32_t i = b->first_free; i != NONE; i = b->cell[i].base) {
        int32_t base = i ^ (int32_t)child[0];
        int k = 1;
        while (k < n_child && b->cell[base ^ (int32_t)child[k]].check == FREE)
            k++;
        if (k == n_child)
            return base;
    }
    return -1;
}

static void take(builder *b, int64_t i, int32_t parent)
{
    unlink_free(b, i);
    b->cell[i].check = parent;
}

static ig_code push(builder *b, span s, ig_err *err)
{
    IG_TRY(ig_grow(&b->stack, &b->have_stack, b->n_stack + 1, sizeof *b->stack, "vocabulary", err));
    b->stack[b->n_stack++] = s;
    return IG_ERR_OK;
}

/* Places the children of one node: the strings item[begin..end) share their first `depth` bytes. */
static ig_code place(builder *b, span s, ig_err *err)
{
    uint8_t child[256];
    int32_t from[257];
    int n_child = 0;
    int32_t i = s.begin;
    for (; i < s.end && b->item[i].text[s.depth] == '\0'; i++)
        b->cell[s.state].value = b->item[i].value;
    for (; i < s.end; i++) {
        uint8_t c = (uint8_t)b->item[i].text[s.depth];
        if (n_child == 0 || child[n_child - 1] != c) {
            child[n_child] = c;
            from[n_child++] = i;
        }
    }
    if (n_child == 0)
        return IG_ERR_OK;
    from[n_child] = s.end;
    int64_t base = find_base(b, child, n_child);
    if (base < 0) {
        base = b->n;
        IG_TRY(add_block(b, err));
    }
    b->cell[s.state].base = (int32_t)base;
    for (int k = 0; k < n_child; k++)
        take(b, base ^ child[k], s.state);
    for (int k = n_child - 1; k >= 0; k--)
        IG_TRY(push(b, (span){(int32_t)(base ^ child[k]), from[k], from[k + 1], s.depth + 1}, err));
    return IG_ERR_OK;
}

static ig_code build(builder *b, const char *text, const int64_t *start, int32_t n, ig_err *err)
{
    IG_TRY(ig_alloc(&b->item, n, sizeof *b->item, "vocabulary", err));
    for (int32_t i = 0; i < n; i++)
        b->item[i] = (item){.text = text + start[i], .value = i};
    qsort(b->item, (size_t)n, sizeof *b->item, by_text);
    IG_TRY(add_block(b, err));
    take(b, 0, ROOT);
    IG_TRY(push(b, (span){0, 0, n, 0}, err));
    while (b->n_stack > 0)
        IG_TRY(place(b, b->stack[--b->n_stack], err));
    return IG_ERR_OK;
}

ig_code ig_trie_build(ig_trie *out, const char *text, const int64_t *start, int32_t n, ig_err *err)
{
    builder b = {.first_free = NONE, .last_free = NONE};
    *out = (ig_trie){0};
    ig_code code = build(&b, text, start, n, err);
    IG_FREE(b.item, b.stack);
    if (code != IG_ERR_OK) {
        ig_free(b.cell);
        return code;
    }
    out->cell = b.cell;
    out->n = b.n;
    return IG_ERR_OK;
}

void ig_trie_free(ig_trie *t)
{
    ig_free(t->cell);
    *t = (ig_trie){0};
}

int32_t ig_trie_walk(const ig_trie *t, int32_t state, const void *bytes, int64_t n)
{
    const uint8_t *p = bytes;
    for (int64_t i = 0; i < n && state >= 0; i++)
        state = ig_trie_step(t, state, p[i]);
    return state;
}

int32_t ig_trie_find(const ig_trie *t, int32_t state, const void *bytes, int64_t n)
{
    state = ig_trie_walk(t, state, bytes, n);
    return state >= 0 ? t->cell[state].value : -1;
}
