/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers and writers behind vectors.h, one pair per format.
 */
#pragma once

#include "embed/vectors/vectors.h"

/* The bytes of a file and what messages call it. */
typedef struct {
    const char *data;
    int64_t size;
    const char *where;
} ig_vec_source;

/* "N D" in the first line: true with *at behind its LF. */
bool ig_vec_header(const ig_vec_source *s, int64_t *n, int64_t *d, int64_t *at);
/* Checks the two numbers of a header. */
ig_code ig_vec_header_check(const ig_vec_source *s, int64_t n, int64_t d, ig_err *err);
/* Adds a word: 1 to 4096 bytes of UTF-8 without blanks and control characters that is
 * not there yet. `line` is the line of a
 * text file; 0: the number of the word goes into the message. */
ig_code ig_vec_word(ig_lexicon *w, const ig_vec_source *s, const char *word, int64_t n,
                    uint64_t line, ig_err *err);

ig_code ig_vec_text_parse(ig_vectors *out, const ig_vec_source *s, bool header, int64_t max_word,
                          ig_team *team, ig_err *err);
ig_code ig_vec_text_write(const ig_vectors *v, ig_out *f, bool header, ig_err *err);
ig_code ig_vec_binary_parse(ig_vectors *out, const ig_vec_source *s, int64_t max_word, ig_err *err);
ig_code ig_vec_binary_write(const ig_vectors *v, ig_out *f, ig_err *err);
