/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of parallel sentences from files: two files of verses joined by id, two files parallel by
 * line, or one file whose first two columns are the pair.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct ig_parallel ig_parallel;

/* IG_ERR_INPUT, with both numbers, unless two files have equally many lines; standard input is not
 * read. */
ig_code ig_parallel_lines(const char *a, const char *b, ig_err *err);
/* b NULL: a has columns. `ids`: verses to keep (corpus/read/verse_ids.h), for files of verses;
 * NULL: all. Files may be compressed. Verses in one file and plain text in the other are
 * IG_ERR_INPUT. */
ig_code ig_parallel_open(ig_parallel **out, const char *a, const char *b, const char *ids,
                         ig_err *err);
/* Returns the next pair, valid until the next call; text[0] is NULL at the end. If files that are
 * parallel by line have different numbers of lines, it is IG_ERR_INPUT. */
ig_code ig_parallel_next(ig_parallel *p, const char *text[2], ig_err *err);
/* For messages: the first file. */
const char *ig_parallel_where(const ig_parallel *p);
void ig_parallel_close(ig_parallel *p);
