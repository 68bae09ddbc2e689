/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as others publish them, made into files of isoglot's own formats (docs/formats.md). Input
 * may be compressed (corpus/read/line_reader.h), output is when its name says so (fetch/sink.h).
 * Damaged input is an error with its line, and nothing is left.
 */
#pragma once

#include "fetch/catalogue.h"
#include "isoglot/error.h"

#include <stdint.h>

/* in[n_in] become out[n_out], in the order of ig_catalogue_entry.to (a converter's files of every
 * language together); n_line[n_out] gets the lines written, −1 of a copy of a compressed
 * file. Folders of out must be there.
 *
 *   copy   in[i] as it is, also if it is compressed
 *   text   in[i]: UTF-8, LF, no byte order mark
 *   vpl    in[i]: "GEN 1:1 text" a line → "01001001<TAB>text", ascending; books that are not among
 *          the 66 are left out
 *   vref   in[0]: "GEN 1:1" a line; in[i], i ≥ 1: the text of the same line → verses; empty lines
 *          and "<range>" (part of the verse before) are left out
 *   paste  the lines of all files beside each other, with tabs between
 *   nli    in[i]: a table with a head; the columns sentence1, sentence2, gold_label, of the rows
 *          whose `language` is listed; rows without a gold label ("-") are left out. Also
 *          premise, hypo, label, whose "contradictory" becomes "contradiction" */
typedef struct {
    ig_convert_kind kind;
    char *const *in; /* [n_in] */
    int n_in;
    char *const *language; /* [n_language] */
    int n_language;
    char *const *out; /* [n_out] */
    int n_out;
} ig_conversion;
ig_code ig_convert(int64_t *n_line, const ig_conversion *c, ig_err *err);

/* 1 … 66 for a book's code of three letters, USFM's or the older one of verse-per-line files ("MRK"
 * and "MAR"); 0 for any other. */
int ig_bible_book(const char *code);

/* The converter of verses, of one file; reference NULL: vpl. */
ig_code ig_convert_verses(const char *reference, const char *in, const char *out, int64_t *n_line,
                          ig_err *err);
