/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a file or of standard input, plain or compressed (gzip, bzip2, xz, zstd: told from
 * the first bytes, not from the name), in memory bounded by the longest line.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_LINE_MAX = 64 << 20 }; /* bytes */

typedef struct ig_line_reader ig_line_reader;

/* "-" is standard input. That it is an archive of several files is told with the first line. Closed
 * with ig_line_close. */
ig_code ig_line_open(ig_line_reader **out, const char *path, ig_err *err);
/* The next line without its LF or CR LF and, in the first, without a byte-order mark; *line is NULL
 * at the end, NUL-terminated otherwise, and valid until the next call. Well-formed UTF-8
 * without zero bytes: a line that is not is an error, as are UTF-16, damaged compression and a line
 * of more than IG_LINE_MAX bytes. */
ig_code ig_line_next(ig_line_reader *r, char **line, int64_t *n, ig_err *err);
/* What the next lines begin with (decompressed), as far as it is there already: up to 64 KiB. */
ig_code ig_line_peek(ig_line_reader *r, const char **text, int64_t *n, ig_err *err);
/* All that has not been read yet, decompressed and as it is: freed with ig_free, NULL when there is
 * nothing. Nothing can be read afterwards. */
ig_code ig_line_rest(ig_line_reader *r, char **out, int64_t *n, ig_err *err);
/* Whether a line of a list (pairs, judgements, questions) is a comment: it begins with #. */
static inline bool ig_line_is_comment(const char *line)
{
    return line[0] == '#';
}
/* For messages: the name of the file, the number of the line that was read last. */
const char *ig_line_where(const ig_line_reader *r);
uint64_t ig_line_number(const ig_line_reader *r);
/* Whether that line has its end: false of a last line without LF, as a file that was cut has. */
bool ig_line_ended(const ig_line_reader *r);
/* That line is IG_ERR_INPUT; the rest as of ig_fail. */
#define ig_line_fail(r, err, ...)                                                                  \
    ig_fail(err, IG_ERR_INPUT, ig_line_where(r), ig_line_number(r), __VA_ARGS__)
void ig_line_close(ig_line_reader *r);
