/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads, writes and checks tables of neighbours. The file is little-endian: a header of 40 bytes,
 * int64 first[languages + 1], int64 start[rows + 1], int32 id[]. It is checked completely when it
 * is read, so ids and ranges need no checks afterwards.
 */
#include "corpus/language/neighbour_table.h"

#include "base/file.h"
#include "base/memory.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tables are written as little-endian");

enum { VERSION = 1, LANGUAGE_MAX = 1024 };
static const char magic[8] = {'I', 'G', 'N', 'E', 'A', 'R', '1', '\n'};

typedef struct {
    char magic[8];
    uint32_t version, n_language, vocab_size, reserved;
    uint64_t n_row;
    uint64_t hash; /* ig_hash of the header with 0 here, first, start, id; each seeded with the one
                    * before */
} header;
_Static_assert(sizeof(header) == 40, "a header is 40 bytes");

ig_code ig_neighbour_table_new(ig_neighbour_table *t, const ig_corpus *c, int64_t most, ig_err *err)
{
    *t = (ig_neighbour_table){.n_language = ig_corpus_n_language(c),
                              .vocab_size = ig_corpus_vocab_size(c)};
    ig_code code =
        ig_alloc(&t->first, (int64_t)t->n_language + 1, sizeof *t->first, "neighbours", err);
    for (int k = 0; k < t->n_language && code == IG_ERR_OK; k++)
        t->first[k + 1] = t->first[k] + ig_corpus_language(c, k)->n_id;
    IG_THEN(code,
            ig_alloc(&t->start, t->first[t->n_language] + 1, sizeof *t->start, "neighbours", err));
    IG_THEN(code, ig_alloc(&t->id, most, sizeof *t->id, "neighbours", err));
    if (code != IG_ERR_OK)
        ig_neighbour_table_free(t);
    return code;
}

void ig_neighbour_table_free(ig_neighbour_table *t)
{
    IG_FREE(t->first, t->start, t->id);
    *t = (ig_neighbour_table){0};
}

ig_code ig_neighbour_table_check(const ig_neighbour_table *t, const ig_corpus *c, const char *where,
                                 ig_err *err)
{
    if (t->n_language != ig_corpus_n_language(c) || t->vocab_size != ig_corpus_vocab_size(c))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "neighbours of %d languages and %d pieces, expected %d and %d",
                       t->n_language, t->vocab_size, ig_corpus_n_language(c),
                       ig_corpus_vocab_size(c));
    for (int k = 0; k < t->n_language; k++)
        if (t->first[k + 1] - t->first[k] != ig_corpus_language(c, k)->n_id)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "neighbours of %lld pieces of '%s', expected %d",
                           (long long)(t->first[k + 1] - t->first[k]),
                           ig_corpus_language(c, k)->name, ig_corpus_language(c, k)->n_id);
    return IG_ERR_OK;
}

static uint64_t hash_of(const header *head, const ig_neighbour_table *t)
{
    const int64_t n_row = t->first[t->n_language];
    header zero = *head;
    zero.hash = 0;
    uint64_t h = ig_hash(&zero, sizeof zero, 0);
    h = ig_hash(t->first, (t->n_language + 1) * (int64_t)sizeof *t->first, h);
    h = ig_hash(t->start, (n_row + 1) * (int64_t)sizeof *t->start, h);
    return ig_hash(t->id, t->start[n_row] * (int64_t)sizeof *t->id, h);
}

ig_code ig_neighbour_table_write(const ig_neighbour_table *t, const char *path, ig_err *err)
{
    const int64_t n_row = t->first[t->n_language];
    header h = {.version = VERSION,
                .n_language = (uint32_t)t->n_language,
                .vocab_size = (uint32_t)t->vocab_size,
                .n_row = (uint64_t)n_row};
    memcpy(h.magic, magic, sizeof magic);
    h.hash = hash_of(&h, t);
    ig_out f;
    IG_TRY(ig_out_open(&f, path, err));
    ig_code code = ig_out_write(&f, &h, sizeof h, err);
    IG_THEN(code, ig_out_write(&f, t->first, (t->n_language + 1) * (int64_t)sizeof *t->first, err));
    IG_THEN(code, ig_out_write(&f, t->start, (n_row + 1) * (int64_t)sizeof *t->start, err));
    IG_THEN(code, ig_out_write(&f, t->id, t->start[n_row] * (int64_t)sizeof *t->id, err));
    return ig_out_close(&f, code, err);
}

static ig_code check_header(const header *h, int64_t size, const char *where, ig_err *err)
{
    if (size < (int64_t)sizeof *h || memcmp(h->magic, magic, sizeof magic) != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "no table of neighbours (\"IGNEAR1\")");
    if (h->version != VERSION)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "byte 8: version %u, expected %d", h->version,
                       VERSION);
    if (h->n_language < 1 || h->n_language > LANGUAGE_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "byte 12: %u languages, expected 1 to %d",
                       h->n_language, LANGUAGE_MAX);
    if (h->vocab_size < 1 || h->vocab_size > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "byte 16: %u pieces, expected 1 to %d",
                       h->vocab_size, INT32_MAX);
    const int64_t left =
        size - (int64_t)sizeof *h - ((int64_t)h->n_language + 2) * (int64_t)sizeof(int64_t);
    if (h->reserved != 0 || left < 0 || h->n_row > (uint64_t)left / sizeof(int64_t))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "%llu rows do not fit a file of %lld bytes",
                       (unsigned long long)h->n_row, (long long)size);
    return IG_ERR_OK;
}

/* Returns whether the numbers rise from 0 to `last`. */
static bool rises(const int64_t *v, int64_t n, int64_t last)
{
    for (int64_t i = 0; i < n; i++)
        if (v[i] > v[i + 1])
            return false;
    return v[0] == 0 && v[n] == last;
}

static ig_code fill(ig_neighbour_table *t, const header *h, const uint8_t *at, int64_t n_id,
                    const char *where, ig_err *err)
{
    const int64_t n_first = t->n_language + 1, n_start = (int64_t)h->n_row + 1;
    IG_TRY(ig_alloc(&t->first, n_first, sizeof *t->first, "neighbours", err));
    IG_TRY(ig_alloc(&t->start, n_start, sizeof *t->start, "neighbours", err));
    IG_TRY(ig_alloc(&t->id, n_id, sizeof *t->id, "neighbours", err));
    memcpy(t->first, at, (size_t)n_first * sizeof *t->first);
    at += (size_t)n_first * sizeof *t->first;
    memcpy(t->start, at, (size_t)n_start * sizeof *t->start);
    at += (size_t)n_start * sizeof *t->start;
    if (n_id > 0)
        memcpy(t->id, at, (size_t)n_id * sizeof *t->id);
    if (!rises(t->first, n_first - 1, (int64_t)h->n_row) || !rises(t->start, n_start - 1, n_id))
        return ig_fail(err, IG_ERR_INPUT, where, 0, "the ranges of its rows do not fit");
    for (int64_t i = 0; i < n_id; i++)
        if (t->id[i] < 0 || t->id[i] >= t->vocab_size)
            return ig_fail(err, IG_ERR_INPUT, where, 0,
                           "neighbour %lld is piece %d, expected below %d", (long long)i, t->id[i],
                           t->vocab_size);
    if (hash_of(h, t) != h->hash)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "its checksum is not that of its bytes");
    return IG_ERR_OK;
}

ig_code ig_neighbour_table_parse(ig_neighbour_table *t, const void *data, int64_t size,
                                 const char *where, ig_err *err)
{
    header h = {0};
    *t = (ig_neighbour_table){0};
    if (size > 0)
        memcpy(&h, data, size < (int64_t)sizeof h ? (size_t)size : sizeof h);
    IG_TRY(check_header(&h, size, where, err));
    t->n_language = (int32_t)h.n_language;
    t->vocab_size = (int32_t)h.vocab_size;
    const int64_t left =
        size - (int64_t)sizeof h -
        ((int64_t)h.n_language + 1 + (int64_t)h.n_row + 1) * (int64_t)sizeof(int64_t);
    if (left < 0 || left % (int64_t)sizeof *t->id != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "byte %lld: file ends within a row",
                       (long long)size);
    ig_code code =
        fill(t, &h, (const uint8_t *)data + sizeof h, left / (int64_t)sizeof *t->id, where, err);
    if (code != IG_ERR_OK)
        ig_neighbour_table_free(t);
    return code;
}

ig_code ig_neighbour_table_read(ig_neighbour_table *t, const char *path, ig_err *err)
{
    ig_map map;
    *t = (ig_neighbour_table){0};
    IG_TRY(ig_map_open(&map, path, err));
    ig_code code = ig_neighbour_table_parse(t, map.data, map.size, path, err);
    ig_map_close(&map);
    return code;
}
