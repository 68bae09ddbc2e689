/* SPDX-License-Identifier: Apache-2.0
 *
 * Word similarity: do cosines order pairs of words as people do?
 */
#pragma once

#include "embed/vectors/vectors.h"

#include <stdbool.h>

typedef struct {
    int64_t n;                /* pairs of the file */
    int64_t n_covered;        /* both words have a vector */
    double spearman, pearson; /* over the covered pairs; NaN for fewer than 2 or a constant side */
} ig_similarity;

/* Human judgements of word pairs. */
typedef struct {
    const char *path;
    int column;
    bool lowercase;
} ig_similarity_set;
/* A pair a line: two words and a score in field `column` (from 1, at least 3), between tabs where
 * there are any, else commas or semicolons, else blanks. A first line whose score is no number is a
 * heading. First words are looked up in a, second ones in b (the same, or the other language); rows
 * of length one, of the same dimension. IG_ERR_INPUT with file and line otherwise. */
ig_code ig_similarity_file(ig_similarity *out, const ig_vectors *a, const ig_vectors *b,
                           const ig_similarity_set *set, ig_err *err);
