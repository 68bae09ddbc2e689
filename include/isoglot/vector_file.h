/* SPDX-License-Identifier: Apache-2.0
 *
 * Word vectors of a file, any of the formats of docs/embeddings.md: words with a row of float32
 * each, read once and used in place.
 */
#ifndef ISOGLOT_VECTOR_FILE_H
#define ISOGLOT_VECTOR_FILE_H

#include "isoglot/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ig_word_vectors ig_word_vectors;

/* The file's first max_word words; 0: all. Closed with ig_word_vectors_close. */
ig_code ig_word_vectors_open(ig_word_vectors **out, const char *path, int64_t max_word,
                             ig_err *err);
void ig_word_vectors_close(ig_word_vectors *v);

int32_t ig_word_vectors_n_word(const ig_word_vectors *v);
int32_t ig_word_vectors_size(const ig_word_vectors *v); /* D */
/* [n_word, D], borrowed, may be changed. NULL where there is no word. */
float *ig_word_vectors_rows(ig_word_vectors *v);
/* Borrowed; NULL: there is no word of that number. */
const char *ig_word_vectors_word(const ig_word_vectors *v, int32_t i);
/* The number of a word; −1: there is none. */
int32_t ig_word_vectors_find(const ig_word_vectors *v, const char *word);

#ifdef __cplusplus
}
#endif

#endif
