/* SPDX-License-Identifier: Apache-2.0
 *
 * How a file of words in columns is laid out, seen from its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool tabs;     /* columns are between tabs, else between blanks */
    bool conllu;   /* ten columns, of which the first counts */
    bool counted;  /* the first column counts the words of each sentence: 1, 2, 3 … */
    bool numbers;  /* the first column has nothing but numbers, which may count */
    bool spans;    /* the tags are those of spans, but for a few */
    bool head;     /* the first row has names, as word and tag */
    int n_column;  /* of its first row; 0: there is none */
    uint64_t line; /* of that row */
    int word, tag; /* places: by the names, of files that are counted, of CoNLL-2003; tag −1: not to
                      be told */
} ig_word_shape;

ig_word_shape ig_word_shape_of(const char *text, int64_t n);
/* Whether a line is a comment. inside: behind a word of its sentence. */
bool ig_word_shape_comment(const ig_word_shape *s, const char *line, bool inside);
/* Whether it is one of CoNLL-2003's lines between documents. */
bool ig_word_shape_document(const char *line);
/* What the first column of a counted file numbers. */
typedef enum { IG_COUNT_NONE, IG_COUNT_WORD, IG_COUNT_RANGE, IG_COUNT_EMPTY } ig_word_count;
ig_word_count ig_word_shape_count(const char *cell);
