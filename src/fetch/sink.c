/* SPDX-License-Identifier: Apache-2.0
 *
 * Compressed output through libarchive's filters and its "raw" format, into base/file's atomic
 * files. gzip's time stamp is switched off.
 */
#include "fetch/sink.h"

#include "base/file.h"
#include "base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct ig_sink {
    ig_out out;
    struct archive *archive; /* NULL: plain */
    bool given_up;           /* further data are discarded */
    ig_err err;              /* of the last write to the file */
};

static la_ssize_t on_write(struct archive *a, void *arg, const void *data, size_t n)
{
    ig_sink *s = arg;
    if (s->given_up || ig_out_write(&s->out, data, (int64_t)n, &s->err) == IG_ERR_OK)
        return (la_ssize_t)n;
    archive_set_error(a, -1, "%s", s->err.msg);
    return -1;
}

static ig_code failed(const ig_sink *s, ig_err *err)
{
    const char *why = archive_error_string(s->archive);
    if (why == NULL || archive_errno(s->archive) == ENOMEM)
        return ig_fail(err, IG_ERR_MEMORY, s->out.path, 0, "not enough memory to compress it");
    return ig_fail(err, IG_ERR_IO, s->out.path, 0, "cannot compress: %s", why);
}

static ig_code open_archive(ig_sink *s, const char *path, ig_err *err)
{
    const char *dot = strrchr(path, '.'), *suffix = dot != NULL ? dot : "";
    bool zstd = strcmp(suffix, ".zst") == 0, gzip = strcmp(suffix, ".gz") == 0,
         xz = strcmp(suffix, ".xz") == 0;
    if (!zstd && !gzip && !xz)
        return IG_ERR_OK;
    s->archive = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    ig_code code = IG_ERR_OK;
    if (s->archive == NULL || e == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, path, 0, "cannot allocate a writer");
    if (code == IG_ERR_OK) {
        struct archive *a = s->archive;
        int ok = archive_write_set_format_raw(a);
        archive_write_set_bytes_in_last_block(a, 1);
        if (ok == ARCHIVE_OK)
            ok = zstd   ? archive_write_add_filter_zstd(a)
                 : gzip ? archive_write_add_filter_gzip(a)
                        : archive_write_add_filter_xz(a);
        if (ok == ARCHIVE_OK && zstd)
            ok = archive_write_set_filter_option(a, "zstd", "compression-level", "12");
        if (ok == ARCHIVE_OK && gzip)
            ok = archive_write_set_filter_option(a, "gzip", "timestamp", NULL);
        if (ok == ARCHIVE_OK)
            ok = archive_write_open(a, s, NULL, on_write, NULL);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_pathname(e, "data");
        if (ok == ARCHIVE_OK)
            ok = archive_write_header(a, e);
        if (ok != ARCHIVE_OK)
            code = failed(s, err);
    }
    archive_entry_free(e);
    return code;
}

ig_code ig_sink_open(ig_sink **out, const char *path, ig_err *err)
{
    ig_sink *s;
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, path, err));
    ig_code code = ig_out_open(&s->out, path, err);
    IG_THEN(code, open_archive(s, path, err));
    if (code != IG_ERR_OK) {
        ig_sink_close(s, code, NULL);
        return code;
    }
    *out = s;
    return IG_ERR_OK;
}

ig_code ig_sink_write(ig_sink *s, const void *data, int64_t n, ig_err *err)
{
    if (s->archive == NULL)
        return ig_out_write(&s->out, data, n, err);
    const char *p = data;
    while (n > 0) {
        la_ssize_t k = archive_write_data(s->archive, p, (size_t)n);
        if (k <= 0)
            return failed(s, err);
        p += k;
        n -= k;
    }
    return IG_ERR_OK;
}

ig_code ig_sink_close(ig_sink *s, ig_code code, ig_err *err)
{
    if (s == NULL)
        return code;
    if (s->archive != NULL) {
        if (code == IG_ERR_OK && archive_write_close(s->archive) != ARCHIVE_OK)
            code = failed(s, err);
        /* libarchive gives its blocks back when it has written them, so it writes them. */
        s->given_up = true;
        archive_write_close(s->archive);
        archive_write_free(s->archive);
    }
    code = ig_out_close(&s->out, code, err);
    ig_free(s);
    return code;
}
