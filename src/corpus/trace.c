/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes trace files; docs/formats.md gives the bytes. They are checked completely when
 * opened, as shards are. The writer streams the links and keeps 16 bytes for each sentence.
 */
#include "corpus/trace.h"

#include "base/file.h"
#include "base/memory.h"

#include <stddef.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "traces are mapped as little-endian");

enum { VERSION = 1, BLOCK = 65536 };

typedef struct {
    char magic[8];
    uint32_t version, reserved;
    uint64_t text, numbers;
    uint64_t n_sentence, n_link;
    uint64_t body_hash; /* of each block of the body, seeded with the hash of the one before */
    uint64_t header_hash;
} header;
_Static_assert(sizeof(header) == 64, "a header is 64 bytes");

static const char magic[8] = {'I', 'G', 'T', 'R', 'A', 'C', 'E', '\n'};

static uint64_t hash_header(const header *h)
{
    return ig_hash(h, (int64_t)offsetof(header, header_hash), 0);
}

/* Size of the links, rounded up to a multiple of 8. */
static uint64_t link_bytes(uint64_t n)
{
    return (n * sizeof(ig_trace_link) + 7) / 8 * 8;
}

static ig_code check_header(const header *h, uint64_t size, const char *path, ig_err *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "byte 0: no trace, expected \"IGTRACE\"");
    if (h->version != VERSION || h->reserved != 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "byte 8: version %u, expected %d", h->version,
                       VERSION);
    if (h->header_hash != hash_header(h))
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 56: checksum of the header is %016llx, expected %016llx",
                       (unsigned long long)h->header_hash, (unsigned long long)hash_header(h));
    const uint64_t body = size - sizeof *h;
    if (h->n_link > body / sizeof(ig_trace_link) || h->n_sentence > body / 16 ||
        link_bytes(h->n_link) + 16 * h->n_sentence + 8 != body)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 32: %llu sentences and %llu links do not fit a file of %llu bytes",
                       (unsigned long long)h->n_sentence, (unsigned long long)h->n_link,
                       (unsigned long long)size);
    return IG_ERR_OK;
}

static ig_code check_body(const ig_trace *t, uint64_t hash, const char *path, ig_err *err)
{
    const uint8_t *p = t->map.data + sizeof(header);
    const int64_t size = t->map.size - (int64_t)sizeof(header);
    const uint64_t h = ig_hash_blocks(p, size, BLOCK);
    if (h != hash)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "checksum is %016llx, expected %016llx",
                       (unsigned long long)h, (unsigned long long)hash);
    for (int64_t i = 0; i < t->n_sentence; i++) {
        const uint64_t from = t->first[i], to = t->first[i + 1];
        bool bad = (i == 0 && from != 0) || to < from || to > (uint64_t)t->n_link ||
                   to - from > INT32_MAX || t->number[i] < 0;
        for (uint64_t k = from; k < to && !bad; k++) {
            const ig_trace_link *l = &t->link[k];
            bad = l->piece < 0 || l->from < 0 || l->to <= l->from ||
                  (k > from && l->piece < t->link[k - 1].piece);
        }
        if (bad)
            return ig_fail(err, IG_ERR_INPUT, path, 0,
                           "sentence %lld: its links are out of order or of range",
                           (long long)i + 1);
    }
    if (t->first[t->n_sentence] != (uint64_t)t->n_link)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "links that belong to no sentence");
    return IG_ERR_OK;
}

ig_code ig_trace_open(ig_trace **out, const char *path, ig_err *err)
{
    ig_trace *t;
    header head;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "trace", err));
    ig_code code = ig_map_open(&t->map, path, err);
    if (code == IG_ERR_OK && t->map.size < (int64_t)(sizeof head + 8))
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "byte %lld: file ends, expected a trace",
                       (long long)t->map.size);
    if (code == IG_ERR_OK) {
        memcpy(&head, t->map.data, sizeof head);
        code = check_header(&head, (uint64_t)t->map.size, path, err);
    }
    if (code == IG_ERR_OK) {
        const uint8_t *p = t->map.data + sizeof head;
        t->n_sentence = (int64_t)head.n_sentence;
        t->n_link = (int64_t)head.n_link;
        t->text = head.text;
        t->numbers = head.numbers;
        t->link = (const ig_trace_link *)(const void *)p;
        p += link_bytes(head.n_link);
        t->first = (const uint64_t *)(const void *)p;
        t->number = (const int64_t *)(const void *)(p + 8 * (head.n_sentence + 1));
        code = check_body(t, head.body_hash, path, err);
    }
    IG_RETURN_NEW(code, out, t, ig_trace_close);
}

void ig_trace_close(ig_trace *t)
{
    if (t == NULL)
        return;
    ig_map_close(&t->map);
    ig_free(t);
}

const ig_trace_link *ig_trace_links(const ig_trace *t, int64_t i, int32_t *n)
{
    *n = (int32_t)(t->first[i + 1] - t->first[i]);
    return t->link + t->first[i];
}

struct ig_trace_writer {
    ig_hashed_out body;
    header head;
    uint64_t *first;
    int64_t *number;
    int64_t have_first, have_number;
    uint8_t block[BLOCK];
};

ig_code ig_trace_create(ig_trace_writer **out, const char *path, uint64_t text, uint64_t numbers,
                        ig_err *err)
{
    static const header nothing;
    ig_trace_writer *w;
    *out = NULL;
    IG_TRY(ig_alloc(&w, 1, sizeof *w, "trace writer", err));
    memcpy(w->head.magic, magic, sizeof magic);
    w->head.version = VERSION;
    w->head.text = text;
    w->head.numbers = numbers;
    w->body = (ig_hashed_out){.block = w->block, .size = BLOCK};
    ig_code code = ig_out_open(&w->body.out, path, err);
    IG_THEN(code, ig_out_write(&w->body.out, &nothing, sizeof nothing, err));
    IG_RETURN_NEW(code, out, w, ig_trace_discard);
}

ig_code ig_trace_add(ig_trace_writer *w, int64_t number, const ig_trace_link *link, int32_t n,
                     ig_err *err)
{
    const int64_t i = (int64_t)w->head.n_sentence;
    IG_TRY(ig_grow(&w->first, &w->have_first, i + 2, sizeof *w->first, "trace", err));
    IG_TRY(ig_grow(&w->number, &w->have_number, i + 1, sizeof *w->number, "trace", err));
    w->number[i] = number;
    w->head.n_sentence++;
    w->head.n_link += (uint64_t)n;
    w->first[i + 1] = w->head.n_link;
    return ig_hashed_put(&w->body, link, (int64_t)n * (int64_t)sizeof *link, err);
}

ig_code ig_trace_commit(ig_trace_writer *w, ig_err *err)
{
    static const uint64_t zero;
    const int64_t n = (int64_t)w->head.n_sentence;
    const uint64_t used = w->head.n_link * sizeof(ig_trace_link);
    ig_code code =
        ig_hashed_put(&w->body, &zero, (int64_t)(link_bytes(w->head.n_link) - used), err);
    IG_THEN(code, n > 0 ? ig_hashed_put(&w->body, w->first, 8 * (n + 1), err)
                        : ig_hashed_put(&w->body, &zero, 8, err));
    IG_THEN(code, ig_hashed_put(&w->body, w->number, 8 * n, err));
    IG_THEN(code, ig_hashed_flush(&w->body, err));
    w->head.body_hash = w->body.hash;
    w->head.header_hash = hash_header(&w->head);
    if (code == IG_ERR_OK && fseek(w->body.out.fp, 0, SEEK_SET) != 0)
        code = ig_fail(err, IG_ERR_IO, w->body.out.path, 0, "cannot write");
    IG_THEN(code, ig_out_write(&w->body.out, &w->head, sizeof w->head, err));
    IG_THEN(code, ig_out_commit(&w->body.out, err));
    ig_trace_discard(w);
    return code;
}

void ig_trace_discard(ig_trace_writer *w)
{
    if (w == NULL)
        return;
    ig_out_discard(&w->body.out);
    IG_FREE(w->first, w->number, w);
}
