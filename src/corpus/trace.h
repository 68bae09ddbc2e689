/* SPDX-License-Identifier: Apache-2.0
 *
 * The origin of the pieces of a shard in the text that it was made from, before any transform of
 * words and any tokenizer: a memory-mapped file beside the shard (docs/formats.md). A text is
 * measured in units, IG_TRACE_UNIT to a word; every piece covers ranges of it. Pieces of two
 * languages made from one text are aligned if their ranges overlap.
 */
#pragma once

#include "base/file.h"
#include "isoglot/error.h"

#include <stdint.h>

enum { IG_TRACE_UNIT = 4096 };

typedef struct {
    int32_t piece, from, to; /* the piece's position in its sentence; units [from, to) */
} ig_trace_link;

/* Read only. */
typedef struct ig_trace {
    ig_map map;
    int64_t n_sentence, n_link;
    uint64_t text; /* texts with the same key have the same units: gold alignment is known between
                    * them */
    uint64_t numbers; /* texts with the same key number their sentences in the same way: equal
                       * numbers are parallel */
    const ig_trace_link *link; /* [n_link] */
    const uint64_t *first;     /* [n_sentence + 1] */
    const int64_t *number;     /* [n_sentence] of the sentence in the text */
} ig_trace;

/* Maps and checks the file. */
ig_code ig_trace_open(ig_trace **out, const char *path, ig_err *err);
void ig_trace_close(ig_trace *t);
/* Returns the links of sentence i, sorted by piece; valid until the trace is closed. */
const ig_trace_link *ig_trace_links(const ig_trace *t, int64_t i, int32_t *n);

typedef struct ig_trace_writer ig_trace_writer;
ig_code ig_trace_create(ig_trace_writer **out, const char *path, uint64_t text, uint64_t numbers,
                        ig_err *err);
/* Adds the next sentence of the shard; links sorted by piece. */
ig_code ig_trace_add(ig_trace_writer *w, int64_t number, const ig_trace_link *link, int32_t n,
                     ig_err *err);
/* Completes the file under its final name; frees the writer in any case. */
ig_code ig_trace_commit(ig_trace_writer *w, ig_err *err);
void ig_trace_discard(ig_trace_writer *w);
