/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an open file for libarchive: out of gzip, whose checksum and length libarchive does
 * not compare, they come decompressed and checked; any other file comes as it is.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

struct archive;
typedef struct ig_byte_stream ig_byte_stream;

/* Whether a file that begins with these bytes is taken for gzip. */
bool ig_is_gzip(const void *data, int64_t n);

/* `fd` stays the caller's and is read from where it stands; `where` is not copied. Freed with
 * ig_byte_stream_free. */
ig_code ig_byte_stream_new(ig_byte_stream **out, int fd, const char *where, ig_err *err);
/* Opens the archive on the stream; ARCHIVE_OK or as archive_read_open. */
int ig_byte_stream_attach(ig_byte_stream *s, struct archive *a);
/* Reads what is left, so that its checks are made: at most `limit` bytes, then IG_ERR_INPUT. */
ig_code ig_byte_stream_drain(ig_byte_stream *s, int64_t limit, ig_err *err);
/* The first error of the stream itself: IG_ERR_IO when the file could not be read, IG_ERR_INPUT
 * where gzip is damaged, cut or followed by other bytes. IG_ERR_OK: there was none, and *err is
 * left alone. */
ig_code ig_byte_stream_error(const ig_byte_stream *s, ig_err *err);
void ig_byte_stream_free(ig_byte_stream *s);
