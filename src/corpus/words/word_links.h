/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments from files: one sentence pair a line, as Pharaoh-style pairs of positions ("0-0
 * 1-2", possible links "3p4" or "3?4"), alone or after the two sentences ("a b<TAB>c d<TAB>0-0
 * 1-1"). docs/formats.md, "Word alignments".
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_WORD_MAX = 100000 }; /* largest position in a sentence */

/* Positions count from 0. */
typedef struct {
    int32_t a, b;
    bool possible; /* sure otherwise */
} ig_word_link;

/* A line: links sorted by a, then b, each pair once (sure when any mention of it is). Valid until
 * the next. */
typedef struct {
    const ig_word_link *link;
    int32_t n;
    int32_t n_a, n_b;            /* words of the sentences; −1: not in the file */
    const char *text_a, *text_b; /* NULL: likewise */
} ig_word_links;

typedef struct ig_word_link_reader ig_word_link_reader;

/* `base` 0 or 1: the number of the first word. May be compressed, or "-". */
ig_code ig_word_links_open(ig_word_link_reader **out, const char *path, int base, ig_err *err);
/* *end at the end; otherwise *out is the next line; an empty one is a pair without links. A line in
 * any other form is IG_ERR_INPUT with file and line, the text found and the form expected. */
ig_code ig_word_links_next(ig_word_link_reader *r, ig_word_links *out, bool *end, ig_err *err);
const char *ig_word_links_where(const ig_word_link_reader *r);
uint64_t ig_word_links_line(const ig_word_link_reader *r);
void ig_word_links_close(ig_word_link_reader *r);
