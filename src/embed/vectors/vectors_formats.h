/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers and writers behind vectors.h, one pair per format.
 */
#pragma once

#include "embed/vectors/vectors.h"

/* Reasons to leave out a word or a row. */
typedef enum {
    IG_VEC_TWICE,
    IG_VEC_ILL,     /* not UTF-8 */
    IG_VEC_CONTROL, /* control characters, or a blank where the format has none */
    IG_VEC_LENGTH,  /* empty or too long */
    IG_VEC_ROW,     /* damaged; only with skip_bad */
    IG_VEC_SKIP_N
} ig_vec_skip;
enum { IG_VEC_NAMED = 5, IG_VEC_NAMED_BYTES = 400 };
typedef struct {
    int64_t n[IG_VEC_SKIP_N];
    char named[IG_VEC_SKIP_N][IG_VEC_NAMED_BYTES]; /* the first IG_VEC_NAMED of them */
} ig_vec_skipped;

/* The bytes of a file and what messages call it. */
typedef struct {
    const char *data;
    int64_t size;
    const char *where;
    bool skip_bad;
    int64_t max_word; /* INT32_MAX: all */
    ig_vec_skipped *skipped;
} ig_vec_source;

/* Counts an entry that is left out: `line` of a text file, or 0 and the number of the row. */
void ig_vec_skip_note(const ig_vec_source *s, ig_vec_skip why, const char *word, int64_t n,
                      uint64_t line, int64_t row);
/* Prints a line on stderr where something was left out. */
void ig_vec_skipped_log(const ig_vec_skipped *k, const char *where);
/* Prints one where the header's count is wrong, which skip_bad accepts. */
void ig_vec_count_log(const char *where, int64_t rows, int64_t header);
/* Adds the hint of damaged rows to the error. */
ig_code ig_vec_row_hint(ig_err *err);

/* Reads "N D" in the first line: true with *at after its LF. */
bool ig_vec_header(const ig_vec_source *s, int64_t *n, int64_t *d, int64_t *at);
/* Checks the two numbers of a header. */
ig_code ig_vec_header_check(const ig_vec_source *s, int64_t n, int64_t d, ig_err *err);
/* A word as it is in a file: in a line (text), or as row number `row`, from 0. */
typedef struct {
    const char *text;
    int64_t n;
    uint64_t line; /* 0: a file without lines, whose words have no blanks */
    int64_t row;
} ig_vec_found;
/* Adds a new word of 1 to 4096 bytes of UTF-8 without control characters. Any other is counted as
 * left out: then *added is false. */
ig_code ig_vec_word(ig_lexicon *w, const ig_vec_source *s, const ig_vec_found *f, bool *added,
                    ig_err *err);

ig_code ig_vec_text_parse(ig_vectors *out, const ig_vec_source *s, bool header, ig_team *team,
                          ig_err *err);
ig_code ig_vec_text_write(const ig_vectors *v, ig_out *f, bool header, ig_err *err);
ig_code ig_vec_binary_parse(ig_vectors *out, const ig_vec_source *s, ig_err *err);
ig_code ig_vec_binary_write(const ig_vectors *v, ig_out *f, ig_err *err);
