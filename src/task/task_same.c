/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts sentences that occur twice in a split, and those that occur in two splits of one
 * language: a model must not be tested on what it has seen in training. Sentences are compared by
 * 64-bit hashes of their texts or words; labels are ignored.
 */
#include "base/file.h"

#include "base/memory.h"
#include "task/task_internal.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Makes the sorted hashes of all sentences. */
static ig_code hashes(uint64_t **out, const ig_task *t, const ig_task_set *s, ig_err *err)
{
    const int n_text = ig_task_n_text(t->kind);
    IG_TRY(ig_alloc(out, s->n, sizeof **out, "sentences", err));
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = s->first != NULL ? s->first[i] : i * n_text,
                      to = s->first != NULL ? s->first[i + 1] : from + n_text;
        uint64_t h = 0;
        for (int64_t k = from; k < to; k++) {
            const char *text = s->first != NULL ? s->word[k] : s->text[k];
            h = ig_hash(text, (int64_t)strlen(text) + 1, h);
        }
        (*out)[i] = h;
    }
    qsort(*out, (size_t)s->n, sizeof **out, by_number);
    return IG_ERR_OK;
}

/* Counts the elements of a[n] (sorted) that are in b[m] (sorted). */
static int64_t shared(const uint64_t *a, int64_t n, const uint64_t *b, int64_t m)
{
    int64_t count = 0, k = 0;
    for (int64_t i = 0; i < n; i++) {
        while (k < m && b[k] < a[i])
            k++;
        count += k < m && b[k] == a[i];
    }
    return count;
}

ig_code ig_task_count_same(ig_task *t, ig_err *err)
{
    uint64_t **hash;
    ig_code code = IG_ERR_OK;
    IG_TRY(ig_alloc(&hash, t->n_set, sizeof(uint64_t *), "sentences", err));
    for (int i = 0; i < t->n_set && code == IG_ERR_OK; i++)
        code = hashes(&hash[i], t, &t->set[i], err);
    for (int i = 0; i < t->n_set && code == IG_ERR_OK; i++) {
        ig_task_set *s = &t->set[i];
        for (int64_t k = 1; k < s->n; k++)
            s->count.duplicate += hash[i][k] == hash[i][k - 1];
        for (int j = 0; j < t->n_set; j++)
            if (j != i && strcmp(s->language, t->set[j].language) == 0)
                s->count.overlap[t->set[j].split] = shared(hash[i], s->n, hash[j], t->set[j].n);
    }
    ig_free_list(hash, t->n_set);
    return code;
}
