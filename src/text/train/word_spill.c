/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorted runs and their merge. What is kept of a merge depends on the summed counts alone: a first
 * pass finds the count that the last kept word has, a second one takes all above it and, of those
 * that have it, the first by bytes.
 */
#include "text/train/word_spill.h"

#include "base/memory.h"
#include "base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "a temporary file";

static ig_code write_run(FILE *f, const ig_word_count *list, int64_t n, ig_err *err)
{
    for (int64_t i = 0; i < n;) {
        ig_word_count w = list[i];
        for (i++; i < n && ig_word_by_bytes(&list[i], &w) == 0; i++)
            w.count += list[i].count;
        if (fwrite(&w.count, sizeof w.count, 1, f) != 1 || fwrite(&w.n, sizeof w.n, 1, f) != 1 ||
            fwrite(w.byte, 1, (size_t)w.n, f) != (size_t)w.n)
            return ig_fail(err, IG_ERR_IO, file_name, 0, "cannot write: %s", strerror(errno));
    }
    return fflush(f) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, file_name, 0, "cannot write: %s", strerror(errno));
}

ig_code ig_word_spill_add(ig_word_spill *s, ig_word_table *const *table, int n, ig_err *err)
{
    ig_word_count *list;
    int64_t n_word = 0;
    for (int i = 0; i < n; i++)
        n_word += table[i]->n_word;
    if (n_word == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&s->run, &s->have, s->n + 1, sizeof *s->run, "words", err));
    IG_TRY(ig_alloc(&list, n_word, sizeof *list, "words", err));
    n_word = 0;
    for (int i = 0; i < n; n_word += table[i++]->n_word)
        ig_word_table_list(list + n_word, table[i]);
    qsort(list, (size_t)n_word, sizeof *list, ig_word_by_bytes);
    FILE *f = tmpfile();
    ig_code code = f == NULL
                       ? ig_fail(err, IG_ERR_IO, file_name, 0, "cannot create: %s", strerror(errno))
                       : write_run(f, list, n_word, err);
    ig_free(list);
    if (f != NULL)
        s->run[s->n++] = f;
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        ig_word_table_free(table[i]);
    return code;
}

/* A run while it is read. */
typedef struct {
    FILE *f;
    uint8_t *byte;
    int64_t have, count;
    int32_t n; /* −1: at its end */
} cursor;

static ig_code next_word(cursor *c, ig_err *err)
{
    if (fread(&c->count, sizeof c->count, 1, c->f) != 1) {
        c->n = -1;
        return ferror(c->f)
                   ? ig_fail(err, IG_ERR_IO, file_name, 0, "cannot read: %s", strerror(errno))
                   : IG_ERR_OK;
    }
    if (fread(&c->n, sizeof c->n, 1, c->f) != 1)
        return ig_fail(err, IG_ERR_IO, file_name, 0, "cannot read: it ends within a word");
    IG_TRY(ig_grow(&c->byte, &c->have, c->n + 1, 1, "word", err));
    if (fread(c->byte, 1, (size_t)c->n, c->f) != (size_t)c->n)
        return ig_fail(err, IG_ERR_IO, file_name, 0, "cannot read: it ends within a word");
    return IG_ERR_OK;
}

typedef struct {
    cursor *cursor;
    int64_t n;
    uint8_t *byte; /* the word that comes next, with its count over all runs */
    int64_t have, count;
    int32_t length;
} merge;

static ig_code rewind_all(merge *m, ig_err *err)
{
    for (int64_t i = 0; i < m->n; i++) {
        rewind(m->cursor[i].f);
        IG_TRY(next_word(&m->cursor[i], err));
    }
    return IG_ERR_OK;
}

/* The next word by bytes; length −1 at the end. */
static ig_code next_merged(merge *m, ig_err *err)
{
    const cursor *least = NULL;
    m->length = -1;
    m->count = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const cursor *c = &m->cursor[i];
        if (c->n >= 0 &&
            (least == NULL || ig_compare_bytes(c->byte, c->n, least->byte, least->n) < 0))
            least = c;
    }
    if (least == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&m->byte, &m->have, least->n + 1, 1, "word", err));
    memcpy(m->byte, least->byte, (size_t)least->n);
    m->length = least->n;
    for (int64_t i = 0; i < m->n; i++) {
        cursor *c = &m->cursor[i];
        if (c->n < 0 || ig_compare_bytes(c->byte, c->n, m->byte, m->length) != 0)
            continue;
        m->count += c->count;
        IG_TRY(next_word(c, err));
    }
    return IG_ERR_OK;
}

static int by_count(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y ? 1 : 0;
}

/* The largest `most` counts are kept, now and then thrown together. *least: the smallest of them;
 * *ties: how many of the kept have it. */
static ig_code find_least(merge *m, int64_t most, int64_t *least, int64_t *ties, int64_t *n_type,
                          ig_err *err)
{
    int64_t *count, n = 0;
    IG_TRY(ig_alloc(&count, 2 * most, sizeof *count, "counts", err));
    ig_code code = rewind_all(m, err);
    *n_type = 0;
    while (code == IG_ERR_OK && (code = next_merged(m, err)) == IG_ERR_OK && m->length >= 0) {
        ++*n_type;
        count[n++] = m->count;
        if (n == 2 * most) {
            qsort(count, (size_t)n, sizeof *count, by_count);
            n = most;
        }
    }
    if (n > 1)
        qsort(count, (size_t)n, sizeof *count, by_count);
    n = n < most ? n : most;
    *least = n > 0 ? count[n - 1] : 0;
    *ties = 0;
    while (*ties < n && count[n - 1 - *ties] == *least)
        ++*ties;
    ig_free(count);
    return code;
}

static ig_code take(merge *m, ig_word_table *out, int64_t most, int64_t *n_type, ig_err *err)
{
    int64_t least, ties;
    IG_TRY(find_least(m, most, &least, &ties, n_type, err));
    IG_TRY(rewind_all(m, err));
    for (;;) {
        IG_TRY(next_merged(m, err));
        if (m->length < 0)
            return IG_ERR_OK;
        if (m->count < least || (m->count == least && ties-- <= 0))
            continue;
        IG_TRY(ig_word_table_add(out, m->byte, m->length, m->count, NULL, err));
    }
}

ig_code ig_word_spill_take(ig_word_spill *s, ig_word_table *out, int64_t most, int64_t *n_type,
                           ig_err *err)
{
    merge m = {.n = s->n};
    IG_TRY(ig_alloc(&m.cursor, s->n, sizeof *m.cursor, "words", err));
    for (int64_t i = 0; i < s->n; i++)
        m.cursor[i].f = s->run[i];
    ig_code code = take(&m, out, most, n_type, err);
    for (int64_t i = 0; i < s->n; i++)
        ig_free(m.cursor[i].byte);
    IG_FREE(m.cursor, m.byte);
    return code;
}

void ig_word_spill_free(ig_word_spill *s)
{
    for (int64_t i = 0; i < s->n; i++)
        fclose(s->run[i]);
    ig_free(s->run);
    *s = (ig_word_spill){0};
}
