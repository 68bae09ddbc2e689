/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads archives as a stream of members. Chosen members are written under names given by the
 * caller, so a name inside the archive cannot affect the path; names that try to are refused
 * nevertheless, since such an archive is not the expected one. Bytes are counted as they are
 * unpacked, regardless of the headers.
 */
#include "fetch/unpack.h"

#include "base/memory.h"
#include "base/pool.h"
#include "corpus/byte_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { chunk = 64 << 10, most_members = 1000000, most_chosen = 64 };

typedef struct {
    struct archive *a;
    ig_byte_stream *bytes; /* of gzip and bzip2; libarchive opens the others itself */
    bool bzip2;
    const char *path, *const *member, *const *out;
    int n;
    uint64_t done; /* bit i: out[i] is written; at most 64 */
    int64_t n_byte, limit;
} unpacking;

/* libarchive's own reasons are EILSEQ (or EFTYPE), EINVAL and −1. */
static bool is_system_error(int number)
{
    static const int reading[] = {EIO, EACCES, ENOENT, EISDIR, ESTALE, ENODEV, ENXIO};
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (number == reading[i])
            return true;
    return false;
}

static ig_code damaged(const unpacking *u, ig_err *err)
{
    const char *why = archive_error_string(u->a);
    if (u->bytes != NULL && ig_byte_stream_error(u->bytes, err) != IG_ERR_OK)
        return ig_byte_stream_error(u->bytes, NULL);
    if (is_system_error(archive_errno(u->a)))
        return ig_fail(err, IG_ERR_IO, u->path, 0, "%s", why != NULL ? why : "cannot read");
    if (why == NULL || archive_errno(u->a) == ENOMEM)
        return ig_fail(err, IG_ERR_MEMORY, u->path, 0, "not enough memory to unpack it");
    return ig_fail(err, IG_ERR_INPUT, u->path, 0, "cannot be unpacked: %s", why);
}

static ig_code too_large(const unpacking *u, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, u->path, 0,
                   "unpacks to more than %lld bytes, the limit (--limit)", (long long)u->limit);
}

static bool leads_out(const char *name)
{
    if (name[0] == '/' || name[0] == '\\' || (name[0] != '\0' && name[1] == ':'))
        return true;
    for (const char *p = name; *p != '\0';) {
        size_t n = strcspn(p, "/\\");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return true;
        p += n + (p[n] != '\0');
    }
    return false;
}

/* Everything in the archive passes here, chosen or not. */
static ig_code check_member(const unpacking *u, struct archive_entry *e, const char *name,
                            ig_err *err)
{
    const char *link = archive_entry_hardlink(e);
    if (name == NULL)
        return ig_fail(err, IG_ERR_INPUT, u->path, 0, "a member has no name that can be read");
    if (leads_out(name) || (link != NULL && leads_out(link)))
        return ig_fail(err, IG_ERR_INPUT, u->path, 0,
                       "the member '%.120s' leads out of its folder, expected an archive that does "
                       "not",
                       name);
    mode_t type = archive_entry_filetype(e);
    if (type == AE_IFCHR || type == AE_IFBLK || type == AE_IFIFO || type == AE_IFSOCK)
        return ig_fail(err, IG_ERR_INPUT, u->path, 0,
                       "the member '%.120s' is a device or a pipe, expected files and folders",
                       name);
    return IG_ERR_OK;
}

static ig_code copy_data(unpacking *u, FILE *to, const char *out, ig_err *err)
{
    char buffer[chunk];
    for (;;) {
        la_ssize_t n = archive_read_data(u->a, buffer, sizeof buffer);
        if (n == ARCHIVE_RETRY)
            continue;
        if (n < 0)
            return damaged(u, err);
        if (n == 0)
            return IG_ERR_OK;
        u->n_byte += n;
        if (u->n_byte > u->limit)
            return too_large(u, err);
        if (fwrite(buffer, 1, (size_t)n, to) != (size_t)n)
            return ig_fail(err, IG_ERR_IO, out, 0, "cannot write: %s", strerror(errno));
    }
}

static ig_code write_member(unpacking *u, struct archive_entry *e, const char *name, int i,
                            ig_err *err)
{
    if (u->done & (uint64_t)1 << i)
        return ig_fail(err, IG_ERR_INPUT, u->path, 0,
                       "'%.120s' fits a second member, '%.120s', expected one", u->member[i], name);
    if (archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e) != NULL)
        return ig_fail(err, IG_ERR_INPUT, u->path, 0, "the member '%.120s' is %s, expected a file",
                       name, archive_entry_filetype(e) == AE_IFDIR ? "a folder" : "a link");
    if (archive_entry_is_encrypted(e))
        return ig_fail(err, IG_ERR_INPUT, u->path, 0, "the member '%.120s' is encrypted", name);
    FILE *to = fopen(u->out[i], "wbxe"); /* a file or a link that is there is an error */
    if (to == NULL)
        return ig_fail(err, IG_ERR_IO, u->out[i], 0, "cannot create: %s", strerror(errno));
    u->done |= (uint64_t)1 << i;
    ig_code code = copy_data(u, to, u->out[i], err);
    if (fclose(to) != 0 && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_IO, u->out[i], 0, "cannot write: %s", strerror(errno));
    return code;
}

/* Skipped members cost time, too. */
static ig_code pass_over(unpacking *u, struct archive_entry *e, ig_err *err)
{
    if (archive_entry_size_is_set(e) && archive_entry_size(e) > u->limit)
        return too_large(u, err);
    if (archive_read_data_skip(u->a) < ARCHIVE_WARN)
        return damaged(u, err);
    return archive_filter_bytes(u->a, 0) > u->limit ? too_large(u, err) : IG_ERR_OK;
}

static ig_code read_members(unpacking *u, ig_err *err)
{
    for (int64_t count = 0;; count++) {
        struct archive_entry *e;
        int code = archive_read_next_header(u->a, &e);
        if (code == ARCHIVE_EOF)
            return IG_ERR_OK;
        if (code == ARCHIVE_RETRY)
            continue;
        if (code < ARCHIVE_WARN)
            return damaged(u, err);
        if (count >= most_members)
            return ig_fail(err, IG_ERR_INPUT, u->path, 0, "more than %d members", most_members);
        const char *name = archive_entry_pathname_utf8(e);
        if (name == NULL)
            name = archive_entry_pathname(e);
        IG_TRY(check_member(u, e, name, err));
        name += strncmp(name, "./", 2) == 0 ? 2 : 0;
        int i = 0;
        while (i < u->n && fnmatch(u->member[i], name, 0) != 0)
            i++;
        IG_TRY(i < u->n ? write_member(u, e, name, i, err) : pass_over(u, e, err));
    }
}

static ig_code open_archive(unpacking *u, int *fd, ig_err *err)
{
    char head[3];
    *fd = open(u->path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return ig_fail(err, IG_ERR_IO, u->path, 0, "cannot open: %s", strerror(errno));
    const int64_t n = pread(*fd, head, sizeof head, 0);
    u->bzip2 = n == sizeof head && memcmp(head, "BZh", sizeof head) == 0;
    /* Beyond the end of the tar, so that the whole file is read. */
    if (u->bzip2 && archive_read_set_format_option(u->a, "tar", "read_concatenated_archives",
                                                   "1") != ARCHIVE_OK)
        return damaged(u, err);
    if (!u->bzip2 && !ig_is_gzip(head, n))
        return archive_read_open_filename(u->a, u->path, chunk) == ARCHIVE_OK ? IG_ERR_OK
                                                                              : damaged(u, err);
    IG_TRY(ig_byte_stream_new(&u->bytes, *fd, u->path, err));
    return ig_byte_stream_attach(u->bytes, u->a) == ARCHIVE_OK ? IG_ERR_OK : damaged(u, err);
}

/* *limit: reduced by the bytes written. */
static ig_code unpack(const char *archive, const char *const *member, const char *const *out, int n,
                      int64_t *limit, ig_err *err)
{
    unpacking u = {.path = archive, .member = member, .out = out, .n = n, .limit = *limit};
    u.a = archive_read_new();
    if (u.a == NULL)
        return ig_fail(err, IG_ERR_MEMORY, archive, 0, "cannot allocate a reader");
    archive_read_support_format_zip(u.a);
    archive_read_support_format_tar(u.a);
    archive_read_support_format_7zip(u.a);
    archive_read_support_filter_bzip2(u.a);
    archive_read_support_filter_xz(u.a);
    archive_read_support_filter_zstd(u.a);
    int fd = -1;
    ig_code code = open_archive(&u, &fd, err);
    IG_THEN(code, read_members(&u, err));
    /* The end of a tar is not the end of the file, where gzip has its checksum. */
    if (code == IG_ERR_OK && u.bzip2)
        code = ig_byte_stream_used(u.bytes, u.a, err);
    else if (code == IG_ERR_OK && u.bytes != NULL)
        code = ig_byte_stream_drain(u.bytes, *limit, err);
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        if ((u.done & (uint64_t)1 << i) == 0)
            code = ig_fail(err, IG_ERR_INPUT, archive, 0, "has no member '%.160s'", member[i]);
    for (int i = 0; i < n && code != IG_ERR_OK; i++)
        if (u.done & (uint64_t)1 << i)
            unlink(out[i]);
    archive_read_free(u.a);
    ig_byte_stream_free(u.bytes);
    if (fd >= 0)
        close(fd);
    *limit -= u.n_byte;
    return code;
}

/* Unpacks what lies in inner archives, each path of which is inner[i] for all members i of it. */
static ig_code unpack_inner(char *const *member, char *const *out, const char *const *inner, int n,
                            int64_t *limit, ig_err *err)
{
    bool done[most_chosen] = {false};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        const char *of[most_chosen] = {NULL}, *to[most_chosen] = {NULL};
        int n_of = 0;
        if (inner[i] == NULL || done[i])
            continue;
        for (int k = i; k < n; k++)
            if (inner[k] == inner[i]) {
                of[n_of] = strstr(member[k], "//") + 2;
                to[n_of++] = out[k];
            }
        code = unpack(inner[i], of, to, n_of, limit, err);
        for (int k = i; k < n && code == IG_ERR_OK; k++)
            done[k] = done[k] || inner[k] == inner[i];
        unlink(inner[i]);
    }
    for (int i = 0; i < n && code != IG_ERR_OK; i++) {
        if (inner[i] == NULL || done[i])
            unlink(out[i]);
        if (inner[i] != NULL)
            unlink(inner[i]);
    }
    return code;
}

ig_code ig_unpack(const char *archive, char *const *member, char *const *out, int n, int64_t limit,
                  ig_err *err)
{
    const char *of[most_chosen] = {NULL}, *to[most_chosen] = {NULL}, *inner[most_chosen] = {NULL};
    IG_SCOPED(ig_pool_free) ig_pool pool = {0};
    int n_of = 0;
    if (n > most_chosen)
        return ig_fail(err, IG_ERR_USAGE, archive, 0, "%d members, at most %d are chosen", n,
                       most_chosen);
    for (int i = 0; i < n; i++, n_of++) {
        const char *cut = strstr(member[i], "//");
        of[n_of] = member[i];
        to[n_of] = out[i];
        if (cut == NULL)
            continue;
        int k = 0; /* the first member of the same inner archive */
        while (strncmp(member[k], member[i], (size_t)(cut + 2 - member[i])) != 0)
            k++;
        if (k == i) {
            IG_TRY(ig_pool_print(&pool, &inner[i], err, "%s.archive", out[i]));
            IG_TRY(ig_pool_text(&pool, &of[n_of], member[i], (size_t)(cut - member[i]), err));
            to[n_of] = inner[i];
        } else {
            inner[i] = inner[k];
            n_of--;
        }
    }
    IG_TRY(unpack(archive, of, to, n_of, &limit, err));
    return unpack_inner(member, out, inner, n, &limit, err);
}
