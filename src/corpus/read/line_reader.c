/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads lines through byte_stream (gzip), or libarchive's filters (the other three) and its "raw"
 * format (one stream of bytes instead of an archive).
 */
#include "corpus/read/line_reader.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "base/strings/encoding.h"
#include "corpus/byte_stream.h"
#include "corpus/read/archive_kind.h"
#include "text/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

struct ig_line_reader {
    struct archive *archive;
    ig_byte_stream *bytes;
    int fd;
    char *where;
    uint64_t line;
    char *buffer; /* [have], of which bytes from..to are not yet returned */
    int64_t have, from, to;
    int64_t scanned; /* no LF in from..scanned */
    bool end;        /* nothing after `to` */
    bool started;    /* the first bytes were checked */
    bool ended;      /* the last line read has an LF */
};

static ig_code no_memory(const ig_line_reader *r, ig_err *err)
{
    return ig_fail(err, IG_ERR_MEMORY, r->where, 0, "not enough memory to read the file");
}

static ig_code damaged(const ig_line_reader *r, ig_err *err)
{
    const char *why = archive_error_string(r->archive);
    ig_err own = {0};
    if (ig_byte_stream_error(r->bytes, &own) == IG_ERR_IO)
        return ig_fail(err, IG_ERR_IO, r->where, 0, "%s", own.msg);
    if (why == NULL || archive_errno(r->archive) == ENOMEM)
        return no_memory(r, err);
    return ig_fail(err, IG_ERR_INPUT, r->where, r->line + 1, "cannot read on: %s", why);
}

/* Takes the number of bytes that were read; at the end there must be no others. */
static ig_code check_read(ig_line_reader *r, la_ssize_t k, ig_err *err)
{
    ig_err own = {0};
    if (k < 0)
        return damaged(r, err);
    r->end = k == 0;
    if (!r->end || ig_byte_stream_used(r->bytes, r->archive, &own) == IG_ERR_OK)
        return IG_ERR_OK;
    return ig_fail(err, own.code, r->where, r->line + 1, "cannot read on: %s", own.msg);
}

static ig_code open_archive(ig_line_reader *r, ig_err *err)
{
    struct archive_entry *entry;
    r->archive = archive_read_new();
    if (r->archive == NULL || archive_read_support_filter_bzip2(r->archive) == ARCHIVE_FATAL ||
        archive_read_support_filter_xz(r->archive) == ARCHIVE_FATAL ||
        archive_read_support_filter_lzma(r->archive) == ARCHIVE_FATAL ||
        archive_read_support_filter_zstd(r->archive) == ARCHIVE_FATAL ||
        archive_read_support_format_raw(r->archive) == ARCHIVE_FATAL ||
        archive_read_support_format_empty(r->archive) == ARCHIVE_FATAL)
        return no_memory(r, err);
    IG_TRY(ig_byte_stream_new(&r->bytes, r->fd, r->where, err));
    if (ig_byte_stream_attach(r->bytes, r->archive) != ARCHIVE_OK)
        return damaged(r, err);
    int code = archive_read_next_header(r->archive, &entry);
    return check_read(r, code == ARCHIVE_OK ? 1 : code == ARCHIVE_EOF ? 0 : -1, err);
}

/* Remembers what can be read only once, a pipe or a terminal: who opens it again would find
 * nothing, or wait for ever. */
static ig_code once(const char *path, bool std, ig_err *err)
{
    enum { MOST = 64 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        dev_t device;
        ino_t inode;
    } seen[MOST];
    static int n = 0;
    struct stat st;
    bool again = false;
    if ((std ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0 ||
        !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
          (std && (S_ISREG(st.st_mode) || isatty(STDIN_FILENO)))))
        return IG_ERR_OK;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < n; i++)
        again = again || (seen[i].device == st.st_dev && seen[i].inode == st.st_ino);
    if (!again && n < MOST) {
        seen[n].device = st.st_dev;
        seen[n++].inode = st.st_ino;
    }
    pthread_mutex_unlock(&mutex);
    return again ? ig_fail(err, IG_ERR_USAGE, std ? "standard input" : path, 0,
                           "can be read only once, expected a file: it is read twice")
                 : IG_ERR_OK;
}

ig_code ig_line_open(ig_line_reader **out, const char *path, ig_err *err)
{
    ig_line_reader *r;
    struct stat st;
    *out = NULL;
    bool std = strcmp(path, "-") == 0;
    const char *name = std ? "standard input" : path;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "line reader", err));
    r->fd = -1;
    ig_code code = ig_copy_text(&r->where, name, "line reader", err);
    IG_THEN(code, ig_grow(&r->buffer, &r->have, CHUNK + 1, 1, "line reader", err));
    if (code != IG_ERR_OK)
        goto done;
    code = once(path, std, err);
    if (code != IG_ERR_OK)
        goto done;
    r->fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &st) != 0) {
        code = ig_fail(err, IG_ERR_IO, name, 0, "cannot open: %s", strerror(errno));
        goto done;
    }
    if (S_ISDIR(st.st_mode)) {
        code = ig_fail(err, IG_ERR_IO, name, 0, "found a directory, expected a file");
        goto done;
    }
    code = open_archive(r, err);
done:
    IG_RETURN_NEW(code, out, r, ig_line_close);
}

void ig_line_close(ig_line_reader *r)
{
    if (r == NULL)
        return;
    if (r->archive != NULL)
        archive_read_free(r->archive);
    ig_byte_stream_free(r->bytes);
    if (r->fd > STDIN_FILENO)
        close(r->fd);
    IG_FREE(r->buffer, r->where, r);
}

/* Checks whether the first chunk has the line ends of old Macs, and no other. A lone CR among other
 * lines is white space. */
static ig_code check_ends(const ig_line_reader *r, ig_err *err)
{
    const char *cr = memchr(r->buffer, '\r', (size_t)r->to);
    if (cr == NULL || cr + 1 >= r->buffer + r->to || cr[1] == '\n' ||
        memchr(r->buffer, '\n', (size_t)r->to) != NULL)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, r->where, 1,
            "found lines that end with a carriage return, expected line feeds");
    return ig_hint(err, "tr '\\r' '\\n' <FILE >NEW");
}

/* Reads one more chunk; sets `end` when there is none. */
static ig_code fill(ig_line_reader *r, ig_err *err)
{
    if (r->from > 0) {
        memmove(r->buffer, r->buffer + r->from, (size_t)(r->to - r->from));
        r->to -= r->from;
        r->scanned -= r->from;
        r->from = 0;
    }
    if (r->to > IG_LINE_MAX)
        return ig_fail(err, IG_ERR_INPUT, r->where, r->line + 1,
                       "line of more than %d bytes, expected at most that", IG_LINE_MAX);
    /* One byte more for the NUL after a last line without LF. */
    IG_TRY(ig_grow(&r->buffer, &r->have, r->to + CHUNK + 1, 1, "line", err));
    la_ssize_t k = archive_read_data(r->archive, r->buffer + r->to, CHUNK);
    IG_TRY(check_read(r, k, err));
    r->to += k;
    if (r->started)
        return IG_ERR_OK;
    r->started = true;
    IG_TRY(ig_not_an_archive(r->buffer, r->to, r->where, err));
    IG_TRY(check_ends(r, err));
    return ig_check_mark(r->buffer, r->to, r->where, err);
}

ig_code ig_line_peek(ig_line_reader *r, const char **text, int64_t *n, ig_err *err)
{
    while (!r->end && r->to - r->from < CHUNK)
        IG_TRY(fill(r, err));
    *text = r->buffer + r->from;
    *n = r->to - r->from < CHUNK ? r->to - r->from : CHUNK;
    return IG_ERR_OK;
}

static ig_code check_text(const ig_line_reader *r, const char *line, int64_t n, ig_err *err)
{
    IG_TRY(ig_check_zero(line, n, r->where, r->line, err));
    const int64_t at = ig_utf8_check((const uint8_t *)line, n);
    return at < 0 ? IG_ERR_OK : ig_not_utf8(r->where, r->line, at, (uint8_t)line[at], err);
}

ig_code ig_line_next(ig_line_reader *r, char **line, int64_t *n, ig_err *err)
{
    char *lf = NULL;
    *line = NULL;
    *n = 0;
    for (;;) {
        if (r->to > r->scanned)
            lf = memchr(r->buffer + r->scanned, '\n', (size_t)(r->to - r->scanned));
        if (lf != NULL || r->end)
            break;
        r->scanned = r->to;
        IG_TRY(fill(r, err));
    }
    if (lf == NULL && r->from == r->to)
        return IG_ERR_OK;
    char *p = r->buffer + r->from, *end = lf != NULL ? lf : r->buffer + r->to;
    r->from = lf != NULL ? lf + 1 - r->buffer : r->to;
    r->ended = lf != NULL;
    r->scanned = r->from;
    r->line++;
    if (end > p && end[-1] == '\r')
        end--;
    *end = '\0';
    if (r->line == 1 && end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    if (end - p > IG_LINE_MAX)
        return ig_fail(err, IG_ERR_INPUT, r->where, r->line,
                       "line of %lld bytes, expected at most %d", (long long)(end - p),
                       IG_LINE_MAX);
    IG_TRY(check_text(r, p, end - p, err));
    *line = p;
    *n = end - p;
    return IG_ERR_OK;
}

ig_code ig_line_rest(ig_line_reader *r, char **out, int64_t *n, ig_err *err)
{
    char *all = NULL;
    int64_t have = 0;
    *n = r->to - r->from;
    *out = NULL;
    IG_TRY(ig_grow(&all, &have, *n + CHUNK, 1, "file", err));
    memcpy(all, r->buffer + r->from, (size_t)*n);
    r->from = r->scanned = r->to;
    while (!r->end) {
        ig_code code = ig_grow(&all, &have, *n + CHUNK, 1, "file", err);
        la_ssize_t k = code == IG_ERR_OK ? archive_read_data(r->archive, all + *n, CHUNK) : 0;
        IG_THEN(code, check_read(r, k, err));
        if (code != IG_ERR_OK) {
            ig_free(all);
            *n = 0;
            return code;
        }
        *n += k;
    }
    *out = all;
    return IG_ERR_OK;
}

const char *ig_line_where(const ig_line_reader *r)
{
    return r->where;
}

uint64_t ig_line_number(const ig_line_reader *r)
{
    return r->line;
}

bool ig_line_ended(const ig_line_reader *r)
{
    return r->ended;
}
