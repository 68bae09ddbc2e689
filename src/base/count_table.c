/* SPDX-License-Identifier: Apache-2.0
 *
 * An open-addressing table of counts; the order of its results is total and owes nothing to the
 * hash.
 */
#include "base/count_table.h"

#include "base/memory.h"

#include <stdlib.h>

static ig_count_entry *place(const ig_count_table *t, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    for (uint64_t i = h >> 20;; i++) {
        ig_count_entry *e = &t->e[i & (uint64_t)(t->have - 1)];
        if (e->key == 0 || e->key == key)
            return e;
    }
}

ig_code ig_count_add(ig_count_table *t, uint64_t key, int64_t *number, ig_err *err)
{
    if (2 * (t->n + 1) > t->have) {
        ig_count_table bigger = {.n = t->n, .have = t->have == 0 ? 1024 : t->have * 2};
        IG_TRY(ig_alloc(&bigger.e, bigger.have, sizeof *bigger.e, "counts", err));
        for (int64_t i = 0; i < t->have; i++)
            if (t->e[i].key != 0)
                *place(&bigger, t->e[i].key) = t->e[i];
        ig_free(t->e);
        *t = bigger;
    }
    ig_count_entry *e = place(t, key);
    if (e->key == 0)
        e->number = ++t->n;
    e->key = key;
    e->count++;
    if (number != NULL)
        *number = e->number;
    return IG_ERR_OK;
}

static int by_count(const void *a, const void *b)
{
    const ig_count_entry *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

int64_t ig_count_sort(ig_count_table *t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->have; i++)
        if (t->e[i].key != 0)
            t->e[n++] = t->e[i];
    if (n > 0)
        qsort(t->e, (size_t)n, sizeof *t->e, by_count);
    return n;
}
