/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives for tests, honest and hostile, written by libarchive, which puts into them what it is
 * told to.
 */
#pragma once

#include "test.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

typedef struct {
    const char *name;
    unsigned type; /* AE_IFREG, … */
    const char *text, *link;
    int64_t repeat;   /* text so often; 0: once */
    const void *data; /* bytes in place of text */
    int64_t n_data;
} archive_member;

/* A name that ends in .zip gives a zip, in .bz2 a tar of bzip2, any other a gzipped tar. */
static inline void make_archive(const char *path, const archive_member *m, int n)
{
    struct archive *a = archive_write_new();
    size_t k = strlen(path);
    if (k > 4 && strcmp(path + k - 4, ".zip") == 0) {
        assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    } else {
        assert_int_equal(archive_write_set_format_pax_restricted(a), ARCHIVE_OK);
        const int bzip2 = k > 4 && strcmp(path + k - 4, ".bz2") == 0;
        assert_int_equal(bzip2 ? archive_write_add_filter_bzip2(a)
                               : archive_write_add_filter_gzip(a),
                         ARCHIVE_OK);
    }
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (int i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        const void *data = m[i].data != NULL ? m[i].data : m[i].text;
        int64_t len = m[i].data != NULL   ? m[i].n_data
                      : m[i].text != NULL ? (int64_t)strlen(m[i].text)
                                          : 0,
                repeat = m[i].repeat > 0 ? m[i].repeat : 1;
        archive_entry_set_pathname(e, m[i].name);
        archive_entry_set_perm(e, 0644);
        if (m[i].link != NULL && m[i].type == AE_IFREG)
            archive_entry_set_hardlink(e, m[i].link);
        else
            archive_entry_set_filetype(e, m[i].type);
        if (m[i].link != NULL && m[i].type == AE_IFLNK)
            archive_entry_set_symlink(e, m[i].link);
        if (m[i].type == AE_IFREG && m[i].link == NULL)
            archive_entry_set_size(e, len * repeat);
        assert_true(archive_write_header(a, e) >= ARCHIVE_WARN);
        for (int64_t r = 0; r < repeat && len > 0; r++)
            assert_int_equal(archive_write_data(a, data, (size_t)len), len);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}
