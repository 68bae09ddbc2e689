/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of a file of words in columns, inferred from its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool tabs;            /* columns are separated by tabs, otherwise by blanks */
    bool conllu;          /* ten columns, the first of which counts words */
    bool counted;         /* the first column counts the words of each sentence: 1, 2, 3 … */
    bool spans;           /* the tags are those of spans, with few exceptions */
    bool head;            /* the first row has names, as word and tag */
    bool named;           /* a comment has them: "# global.columns = ID FORM UPOS" (CoNLL-U Plus) */
    bool blank;           /* a sentence ends within the beginning */
    const char *no_words; /* why the first column, that of the words, has none; NULL: it may */
    int n_column;         /* of its first row; 0: there is none */
    bool tag_first;       /* it has tags of spans, and the last column has none */
    uint64_t line;        /* of that row */
    int word, tag; /* indices: by the names, by the layout of counted files, by that of CoNLL-2003;
                      tag −1: unknown */
} ig_word_shape;

ig_word_shape ig_word_shape_of(const char *text, int64_t n);
/* Returns whether a line is a comment. inside: after a word of its sentence. */
bool ig_word_shape_comment(const ig_word_shape *s, const char *line, bool inside);
/* Returns whether it is one of CoNLL-2003's lines between documents. */
bool ig_word_shape_document(const char *line);
/* Kinds of entries in the first column of a counted file. */
typedef enum { IG_COUNT_NONE, IG_COUNT_WORD, IG_COUNT_RANGE, IG_COUNT_EMPTY } ig_word_count;
ig_word_count ig_word_shape_count(const char *cell);
