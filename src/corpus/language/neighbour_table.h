/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of other languages that may replace a word: for each id of each language's block of
 * the vocabulary a list of ids, found once before a training (Dufter & Schütze 2020, §4,
 * "knn-replace"). docs/formats.md describes the file.
 */
#pragma once

#include "isoglot/corpus.h"

/* Row first[k] + i is of id i of the block of language k; its neighbours are id[start[row]] ..
 * id[start[row + 1] − 1], language by language, the nearest first. If a row is empty, the word is
 * never replaced. Zeroed: empty. */
typedef struct {
    int32_t n_language, vocab_size;
    int64_t *first; /* [n_language + 1] */
    int64_t *start; /* [first[n_language] + 1] */
    int32_t *id;    /* [start[first[n_language]]] of the whole vocabulary */
} ig_neighbour_table;

/* Allocates first and start for the blocks of a corpus, and `most` ids. */
ig_code ig_neighbour_table_new(ig_neighbour_table *t, const ig_corpus *c, int64_t most,
                               ig_err *err);
void ig_neighbour_table_free(ig_neighbour_table *t);

/* Checks that the table is of the languages and the vocabulary of this corpus: otherwise
 * IG_ERR_INPUT at `where`. */
ig_code ig_neighbour_table_check(const ig_neighbour_table *t, const ig_corpus *c, const char *where,
                                 ig_err *err);

/* A file that is truncated, changed or foreign is IG_ERR_INPUT. */
ig_code ig_neighbour_table_read(ig_neighbour_table *t, const char *path, ig_err *err);
ig_code ig_neighbour_table_parse(ig_neighbour_table *t, const void *data, int64_t size,
                                 const char *where, ig_err *err);
ig_code ig_neighbour_table_write(const ig_neighbour_table *t, const char *path, ig_err *err);
