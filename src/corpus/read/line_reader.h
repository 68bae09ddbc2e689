/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a file or of standard input, plain or compressed (gzip, bzip2, xz, zstd: recognised
 * by the first bytes, not by the name), in memory bounded by the longest line.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_LINE_MAX = 64 << 20 }; /* bytes */

typedef struct ig_line_reader ig_line_reader;

/* "-" is standard input. An archive of several files is an error at the first line. Closed with
 * ig_line_close. */
ig_code ig_line_open(ig_line_reader **out, const char *path, ig_err *err);
/* Returns the next line without its LF or CR LF and, in the first, without a byte-order mark; *line
 * is NULL at the end, NUL-terminated otherwise, and valid until the next call. A line must be
 * well-formed UTF-8 without zero bytes; other bytes, UTF-16, damaged compression and a line of more
 * than IG_LINE_MAX bytes are errors. */
ig_code ig_line_next(ig_line_reader *r, char **line, int64_t *n, ig_err *err);
/* Returns the start of the next lines (decompressed), as far as it is already read: up to 64
 * KiB. */
ig_code ig_line_peek(ig_line_reader *r, const char **text, int64_t *n, ig_err *err);
/* Returns all bytes that have not been read yet, decompressed: freed with ig_free, NULL if there
 * are none. Nothing can be read afterwards. */
ig_code ig_line_rest(ig_line_reader *r, char **out, int64_t *n, ig_err *err);
/* Returns whether a line of a list (pairs, judgements, questions) is a comment: it begins with #.
 */
static inline bool ig_line_is_comment(const char *line)
{
    return line[0] == '#';
}
/* For messages: the name of the file, the number of the last line read. */
const char *ig_line_where(const ig_line_reader *r);
uint64_t ig_line_number(const ig_line_reader *r);
/* Returns whether that line has an LF: false for a last line without one, as in a truncated file.
 */
bool ig_line_ended(const ig_line_reader *r);
/* Fails with IG_ERR_INPUT at that line; arguments as of ig_fail. */
#define ig_line_fail(r, err, ...)                                                                  \
    ig_fail(err, IG_ERR_INPUT, ig_line_where(r), ig_line_number(r), __VA_ARGS__)
void ig_line_close(ig_line_reader *r);
