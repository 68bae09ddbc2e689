/* SPDX-License-Identifier: Apache-2.0
 *
 * Verse ids of the Parallel Bible Corpus (Mayer & Cysouw 2014): BBCCCVVV, book 01–66, chapter,
 * verse; and sets of them.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { IG_VERSE_RANGE_MAX = 64 };

typedef struct {
    int n;                                /* 0: every verse */
    int32_t range[IG_VERSE_RANGE_MAX][2]; /* from, to, both inside */
} ig_verse_set;

/* Reads "NT", "OT", "40-66", "40,43-45", "40001-40004" (chapters), "40001001-40001017" (verses),
 * "4*" (ids that begin with these digits), and comma-separated lists of these; NULL and "": every
 * verse. Errors are reported at `where`, the option. */
ig_code ig_verse_set_parse(ig_verse_set *out, const char *text, const char *where, ig_err *err);
bool ig_verse_set_has(const ig_verse_set *s, int32_t id);
