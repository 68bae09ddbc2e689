/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a file's bytes through zlib or unchanged. A gzip file is one member or several in sequence
 * (RFC 1952, 2.2); zlib compares the checksum and the length of each. gzip(1) ignores other bytes
 * after the last member with a warning; here they are an error, since they may be a damaged
 * member.
 */
#include "corpus/byte_stream.h"

#include "base/memory.h"
#include "base/threads/stop.h"

#include <archive.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 64 << 10, GZIP_ONLY = 16 + MAX_WBITS };

struct ig_byte_stream {
    int fd;
    const char *where;
    bool started, end; /* end: the file has no more bytes */
    bool gzip, within; /* within: inside a member of gzip */
    bool inflating;    /* `z` is to be freed */
    int64_t given;     /* bytes passed on */
    z_stream z;        /* next_in, avail_in: what was read and not yet decompressed */
    ig_err err;
    unsigned char in[CHUNK], out[CHUNK];
};

bool ig_is_gzip(const void *data, int64_t n)
{
    return n >= 2 && memcmp(data, "\x1F\x8B", 2) == 0;
}

ig_code ig_byte_stream_new(ig_byte_stream **out, int fd, const char *where, ig_err *err)
{
    IG_TRY(ig_alloc(out, 1, sizeof **out, "file reader", err));
    (*out)->fd = fd;
    (*out)->where = where;
    return IG_ERR_OK;
}

void ig_byte_stream_free(ig_byte_stream *s)
{
    if (s != NULL && s->inflating)
        inflateEnd(&s->z);
    ig_free(s);
}

ig_code ig_byte_stream_error(const ig_byte_stream *s, ig_err *err)
{
    if (s->err.code != IG_ERR_OK && err != NULL)
        *err = s->err;
    return s->err.code;
}

/* Reads on until `in` has `want` bytes or the file ends. */
static ig_code read_more(ig_byte_stream *s, size_t want)
{
    while (!s->end && s->z.avail_in < want) {
        ssize_t k = read(s->fd, s->in + s->z.avail_in, CHUNK - s->z.avail_in);
        if (k < 0 && errno == EINTR && !ig_stop_signalled())
            continue;
        if (k < 0)
            return ig_fail(&s->err, IG_ERR_IO, s->where, 0, "cannot read: %s", strerror(errno));
        s->end = k == 0;
        s->z.avail_in += (uInt)k;
    }
    s->z.next_in = s->in;
    return IG_ERR_OK;
}

static ig_code damaged(ig_byte_stream *s, const char *what)
{
    return ig_fail(&s->err, IG_ERR_INPUT, s->where, 0, "gzip: %s", what);
}

/* After a member: starts the next one, or finds the end or bytes that do not belong here. */
static ig_code next_member(ig_byte_stream *s)
{
    memmove(s->in, s->z.next_in, s->z.avail_in);
    IG_TRY(read_more(s, 2));
    if (s->z.avail_in == 0)
        return IG_ERR_OK;
    if (!ig_is_gzip(s->in, s->z.avail_in))
        return damaged(s, "found other bytes after the end, expected none");
    if (inflateReset2(&s->z, GZIP_ONLY) != Z_OK)
        return damaged(s, "zlib cannot begin");
    s->within = true;
    return IG_ERR_OK;
}

/* Decompresses up to CHUNK bytes into `out`; none at the end. */
static ig_code inflate_some(ig_byte_stream *s, size_t *n)
{
    s->z.next_out = s->out;
    s->z.avail_out = CHUNK;
    while (s->z.avail_out == CHUNK) {
        if (!s->within)
            IG_TRY(next_member(s));
        if (!s->within)
            break;
        if (s->z.avail_in == 0)
            IG_TRY(read_more(s, 1));
        if (s->z.avail_in == 0)
            return damaged(s, "the file ends too early");
        const int code = inflate(&s->z, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR)
            return ig_fail(&s->err, IG_ERR_MEMORY, s->where, 0, "not enough memory for gzip");
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return damaged(s, s->z.msg != NULL ? s->z.msg : "damaged");
        s->within = code != Z_STREAM_END;
    }
    *n = CHUNK - s->z.avail_out;
    return IG_ERR_OK;
}

static ig_code begin(ig_byte_stream *s)
{
    s->started = true;
    IG_TRY(read_more(s, 2));
    s->gzip = ig_is_gzip(s->in, s->z.avail_in);
    if (!s->gzip)
        return IG_ERR_OK;
    s->inflating = inflateInit2(&s->z, GZIP_ONLY) == Z_OK;
    if (!s->inflating)
        return ig_fail(&s->err, IG_ERR_MEMORY, s->where, 0, "not enough memory for gzip");
    s->within = true;
    return IG_ERR_OK;
}

static ig_code next(ig_byte_stream *s, const void **data, size_t *n)
{
    *n = 0;
    if (s->err.code != IG_ERR_OK)
        return s->err.code;
    if (!s->started)
        IG_TRY(begin(s));
    *data = s->gzip ? s->out : s->in;
    if (s->gzip)
        return inflate_some(s, n);
    IG_TRY(read_more(s, 1));
    *n = s->z.avail_in;
    s->z.avail_in = 0;
    return IG_ERR_OK;
}

static la_ssize_t on_read(struct archive *a, void *arg, const void **data)
{
    ig_byte_stream *s = arg;
    size_t n;
    if (next(s, data, &n) == IG_ERR_OK) {
        s->given += (int64_t)n;
        return (la_ssize_t)n;
    }
    archive_set_error(a, EIO, "%s", s->err.msg);
    return -1;
}

int ig_byte_stream_attach(ig_byte_stream *s, struct archive *a)
{
    /* archive_read_open ignores that there is no memory for the callback. */
    if (archive_read_set_read_callback(a, on_read) != ARCHIVE_OK ||
        archive_read_set_callback_data(a, s) != ARCHIVE_OK)
        return ARCHIVE_FATAL;
    return archive_read_open1(a);
}

ig_code ig_byte_stream_used(ig_byte_stream *s, struct archive *a, ig_err *err)
{
    const void *data;
    size_t n;
    if (next(s, &data, &n) != IG_ERR_OK)
        return ig_byte_stream_error(s, err);
    /* −1: the bytes that the outermost filter took. */
    if (n == 0 && archive_filter_bytes(a, -1) == s->given)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                   "found other bytes after a compressed part, expected another part or the end");
}

ig_code ig_byte_stream_drain(ig_byte_stream *s, int64_t limit, ig_err *err)
{
    const void *data;
    int64_t sum = 0;
    for (size_t n = 1; n > 0; sum += (int64_t)n) {
        if (next(s, &data, &n) != IG_ERR_OK)
            return ig_byte_stream_error(s, err);
        if (sum > limit)
            return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                           "more than %lld bytes after the end of the archive", (long long)limit);
    }
    return IG_ERR_OK;
}
