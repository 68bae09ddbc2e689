/* SPDX-License-Identifier: Apache-2.0
 *
 * Bilingual dictionaries in MUSE's format (Lample, Conneau, Ranzato, Denoyer, Jégou, ICLR 2018): a
 * pair of words a line, source first, between blanks or a tab; a word with several translations has
 * as many lines. Also finds the pairs that two vocabularies know.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. Freed with ig_dictionary_free. */
typedef struct {
    ig_lexicon word[2]; /* [0] source, [1] target: distinct words in the order of the file */
    int32_t *pair;      /* [n_pair, 2] numbers in word[0] and word[1], in the order of the file */
    int64_t n_pair;     /* distinct ones */
    int64_t n_repeated; /* lines that repeat a pair; it is counted once */
} ig_dictionary;

/* Reads lines of two words; with a tab between them a word may have blanks inside. A number (a
 * count) may follow and then anything, as in a world's A-B.dict. Plain or compressed, "-" is
 * standard input. Empty lines are skipped, and those that start with #, unless both words do. With
 * `lowercase` all words become lower case. IG_ERR_INPUT with file and line: another number of
 * words, ill-formed UTF-8, a NUL; and a file without pairs. */
ig_code ig_dictionary_read(ig_dictionary *out, const char *path, bool lowercase, ig_err *err);
void ig_dictionary_free(ig_dictionary *d);
/* Says on how many of a dictionary's pairs, each word of which is one piece, τ and μ rest; warns
 * where they are few. */
void ig_dictionary_say(const char *name, int64_t pieces, int64_t all);

/* The pairs of which both words are known. Freed with ig_dictionary_rows_free. */
typedef struct {
    int32_t *pair;  /* [n_pair, 2] numbers in the vocabularies, sorted by source, then target */
    int64_t n_pair; /* each once */
    int32_t *query; /* [n_query] the distinct source words among them, rising */
    int64_t
        *start; /* [n_query + 1] translations of query i: answer[start[i]] .. start[i + 1] − 1 */
    int32_t *answer; /* [n_pair] rising within a query */
    int64_t n_query;
    int64_t all_pair, all_query; /* of the dictionary */
    int64_t unknown_source;      /* source words that the first vocabulary does not have */
    int64_t unknown_target; /* source words that it has, none of whose translations the other has */
} ig_dictionary_rows;

/* A source word counts as known when it and one of its translations are, as in MUSE and VecMap. No
 * pair at all is no error here: n_pair is 0. */
ig_code ig_dictionary_find(ig_dictionary_rows *out, const ig_dictionary *d,
                           const ig_lexicon *source, const ig_lexicon *target, ig_err *err);
/* Makes them from pairs [n, 2] that are sorted by source, then target, each once. */
ig_code ig_dictionary_rows_of(ig_dictionary_rows *out, const int32_t *pair, int64_t n, ig_err *err);
void ig_dictionary_rows_free(ig_dictionary_rows *r);
