/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an open file for libarchive: gzip, whose checksum and length libarchive does not
 * compare, is decompressed and checked; any other file is passed on unchanged.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

struct archive;
typedef struct ig_byte_stream ig_byte_stream;

/* Returns whether a file that begins with these bytes is treated as gzip. */
bool ig_is_gzip(const void *data, int64_t n);

/* `fd` stays the caller's and is read from its current offset; `where` is not copied. Freed with
 * ig_byte_stream_free. */
ig_code ig_byte_stream_new(ig_byte_stream **out, int fd, const char *where, ig_err *err);
/* Opens the archive on the stream; ARCHIVE_OK or as archive_read_open. */
int ig_byte_stream_attach(ig_byte_stream *s, struct archive *a);
/* At the end of what the archive gives: IG_ERR_INPUT if it left bytes unread, as libarchive's
 * filter of bzip2 does without an error if no whole header follows a stream. */
ig_code ig_byte_stream_used(ig_byte_stream *s, struct archive *a, ig_err *err);
/* Reads the rest, so that it is checked: at most `limit` bytes, otherwise IG_ERR_INPUT. */
ig_code ig_byte_stream_drain(ig_byte_stream *s, int64_t limit, ig_err *err);
/* Returns the first error of the stream itself: IG_ERR_IO if the file could not be read,
 * IG_ERR_INPUT if gzip is damaged, truncated or followed by other bytes. IG_ERR_OK: there was none,
 * and *err is unchanged. */
ig_code ig_byte_stream_error(const ig_byte_stream *s, ig_err *err);
void ig_byte_stream_free(ig_byte_stream *s);
