/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes token shards; docs/formats.md gives the bytes. A shard is checked completely
 * when it is opened (one pass over the map), so ids and offsets need no checks afterwards. The
 * writer keeps one block of ids and 8 bytes for each sentence.
 */
#include "corpus/read/shard.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shards are mapped as little-endian");

enum { VERSION = 1, BLOCK = 65536 };

typedef struct {
    char magic[8];
    uint32_t version, vocab_size;
    uint64_t vocab_hash;
    uint64_t n_sentence, n_token;
    uint64_t
        body_hash; /* ig_hash of each block of the body, seeded with the hash of the one before */
    uint64_t reserved;    /* 0 */
    uint64_t header_hash; /* ig_hash of the bytes before */
} header;
_Static_assert(sizeof(header) == 64, "a header is 64 bytes");

static const char magic[8] = {'I', 'G', 'S', 'H', 'A', 'R', 'D', '\n'};

static uint64_t hash_header(const header *h)
{
    return ig_hash(h, (int64_t)offsetof(header, header_hash), 0);
}

static ig_code check_header(const header *h, int64_t size, const char *path, ig_err *err)
{
    if (size < (int64_t)sizeof h->magic)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte %lld: file ends, expected a token shard (\"IGSHARD\")",
                       (long long)size);
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 0: no token shard (found %02x %02x %02x %02x, expected \"IGSHARD\")",
                       (unsigned char)h->magic[0], (unsigned char)h->magic[1],
                       (unsigned char)h->magic[2], (unsigned char)h->magic[3]);
    if (size < (int64_t)sizeof *h)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte %lld: file ends, expected a header of %zu bytes", (long long)size,
                       sizeof *h);
    if (h->version != VERSION)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "byte 8: version %u, expected %d", h->version,
                       VERSION);
    if (h->header_hash != hash_header(h))
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 56: checksum of the header is %016llx, expected %016llx",
                       (unsigned long long)h->header_hash, (unsigned long long)hash_header(h));
    if (h->vocab_size < 1 || h->vocab_size > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 12: vocabulary of %u pieces, expected 1 to %d", h->vocab_size,
                       INT32_MAX);
    if (h->reserved != 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "byte 48: found %llu, expected 0",
                       (unsigned long long)h->reserved);
    /* Each size is compared with the file first, so that the sum cannot overflow. */
    uint64_t body = (uint64_t)size - sizeof *h;
    if (h->n_sentence >= body / 8 || h->n_token > body / 4)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte %d: %llu sentences and %llu tokens do not fit a file of %lld bytes",
                       h->n_sentence >= body / 8 ? 24 : 32, (unsigned long long)h->n_sentence,
                       (unsigned long long)h->n_token, (long long)size);
    uint64_t want = (h->n_token + h->n_token % 2) * 4 + (h->n_sentence + 1) * 8;
    if (want != body)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte %lld: file ends, expected %llu bytes in all", (long long)size,
                       (unsigned long long)(want + sizeof *h));
    return IG_ERR_OK;
}

static ig_code check_body(const ig_shard *s, const header *h, const char *path, ig_err *err)
{
    const uint8_t *body = s->map.data + sizeof *h;
    int64_t n = s->map.size - (int64_t)sizeof *h;
    const uint64_t hash = ig_hash_blocks(body, n, BLOCK);
    if (hash != h->body_hash)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "byte 64 to the end: checksum is %016llx, expected %016llx: damaged file",
                       (unsigned long long)hash, (unsigned long long)h->body_hash);
    for (uint64_t i = 0; i < h->n_token; i++)
        if (s->id[i] < 0 || (uint32_t)s->id[i] >= h->vocab_size)
            return ig_fail(err, IG_ERR_INPUT, path, 0, "byte %llu: id %d, expected 0 to %u",
                           (unsigned long long)(sizeof *h + i * 4), s->id[i], h->vocab_size - 1);
    for (uint64_t i = 0; i <= h->n_sentence; i++) {
        /* The first sentence starts at 0, the last ends at the end of the tokens. */
        uint64_t before = i == 0 ? 0 : s->start[i - 1];
        uint64_t low = i == h->n_sentence ? h->n_token : before, high = i == 0 ? 0 : h->n_token;
        if (s->start[i] < low || s->start[i] > high || s->start[i] - before > INT32_MAX)
            return ig_fail(err, IG_ERR_INPUT, path, 0,
                           "byte %lld: sentence %llu starts at token %llu, expected %llu to %llu",
                           (long long)((const uint8_t *)(s->start + i) - s->map.data),
                           (unsigned long long)i, (unsigned long long)s->start[i],
                           (unsigned long long)low, (unsigned long long)high);
    }
    return IG_ERR_OK;
}

ig_code ig_shard_open(ig_shard **out, const char *path, ig_err *err)
{
    ig_shard *s;
    header head = {0};
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "shard", err));
    ig_code code = ig_map_open(&s->map, path, err);
    if (code != IG_ERR_OK)
        goto done;
    if (s->map.size > 0)
        memcpy(&head, s->map.data, s->map.size < 64 ? (size_t)s->map.size : sizeof head);
    code = check_header(&head, s->map.size, path, err);
    if (code != IG_ERR_OK)
        goto done;
    const uint8_t *body = s->map.data + sizeof head;
    s->n_sentence = (int64_t)head.n_sentence;
    s->n_token = (int64_t)head.n_token;
    s->vocab_size = (int32_t)head.vocab_size;
    s->vocab_hash = head.vocab_hash;
    s->id = (const int32_t *)(const void *)body;
    s->start = (const uint64_t *)(const void *)(body + (head.n_token + head.n_token % 2) * 4);
    code = check_body(s, &head, path, err);
done:
    IG_RETURN_NEW(code, out, s, ig_shard_close);
}

void ig_shard_close(ig_shard *s)
{
    if (s == NULL)
        return;
    ig_map_close(&s->map);
    ig_free(s);
}

const int32_t *ig_shard_sentence(const ig_shard *s, int64_t i, int32_t *n)
{
    *n = (int32_t)(s->start[i + 1] - s->start[i]);
    return s->id + s->start[i];
}

struct ig_shard_writer {
    ig_hashed_out body;
    header head;
    uint64_t *start; /* [n_sentence + 1] */
    int64_t have;
    uint8_t block[BLOCK];
};

ig_code ig_shard_create(ig_shard_writer **out, const char *path, int32_t vocab_size,
                        uint64_t vocab_hash, ig_err *err)
{
    ig_shard_writer *w;
    *out = NULL;
    if (vocab_size < 1)
        return ig_fail(err, IG_ERR_INPUT, path, 0, "vocabulary of %d pieces, expected at least 1",
                       vocab_size);
    IG_TRY(ig_alloc(&w, 1, sizeof *w, "shard writer", err));
    memcpy(w->head.magic, magic, sizeof magic);
    w->head.version = VERSION;
    w->head.vocab_size = (uint32_t)vocab_size;
    w->head.vocab_hash = vocab_hash;
    w->body = (ig_hashed_out){.block = w->block, .size = BLOCK};
    ig_code code = ig_out_open(&w->body.out, path, err);
    /* Reserves the header, whose content is known only at the end. */
    static const header nothing;
    IG_THEN(code, ig_out_write(&w->body.out, &nothing, sizeof nothing, err));
    IG_THEN(code, ig_grow(&w->start, &w->have, 1, sizeof *w->start, "shard", err));
    IG_RETURN_NEW(code, out, w, ig_shard_discard);
}

ig_code ig_shard_add(ig_shard_writer *w, const int32_t *id, int32_t n, ig_err *err)
{
    for (int32_t i = 0; i < n; i++)
        if (id[i] < 0 || (uint32_t)id[i] >= w->head.vocab_size)
            return ig_fail(
                err, IG_ERR_INPUT, w->body.out.path, 0, "sentence %llu: id %d, expected 0 to %u",
                (unsigned long long)w->head.n_sentence + 1, id[i], w->head.vocab_size - 1);
    IG_TRY(ig_grow(&w->start, &w->have, (int64_t)w->head.n_sentence + 2, sizeof *w->start, "shard",
                   err));
    w->head.n_token += (uint64_t)n;
    w->start[++w->head.n_sentence] = w->head.n_token;
    return ig_hashed_put(&w->body, id, (int64_t)n * 4, err);
}

ig_code ig_shard_commit(ig_shard_writer *w, ig_err *err)
{
    static const uint32_t zero;
    ig_code code = IG_ERR_OK;
    if (w->head.n_token % 2 != 0)
        code = ig_hashed_put(&w->body, &zero, 4, err);
    IG_THEN(code, ig_hashed_put(&w->body, w->start, 8 * ((int64_t)w->head.n_sentence + 1), err));
    IG_THEN(code, ig_hashed_flush(&w->body, err));
    w->head.body_hash = w->body.hash;
    w->head.header_hash = hash_header(&w->head);
    /* Moving back writes what is still buffered. */
    if (code == IG_ERR_OK && fseek(w->body.out.fp, 0, SEEK_SET) != 0)
        code = ig_fail(err, IG_ERR_IO, w->body.out.path, 0, "cannot write: %s", strerror(errno));
    IG_THEN(code, ig_out_write(&w->body.out, &w->head, sizeof w->head, err));
    IG_THEN(code, ig_out_commit(&w->body.out, err));
    ig_shard_discard(w);
    return code;
}

void ig_shard_discard(ig_shard_writer *w)
{
    if (w == NULL)
        return;
    ig_out_discard(&w->body.out);
    IG_FREE(w->start, w);
}
