/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence as words, each with the part of the text that it comes from: the input and output of
 * transforms of words (corpus/words/word_step.h). A text is measured in units, IG_TRACE_UNIT to
 * each of its own words (or, in a generated world, to each node of the tree that all languages
 * share); a word covers ranges of them, which splitting divides and merging joins.
 */
#pragma once

#include "corpus/trace.h"
#include "isoglot/error.h"
#include "isoglot/tokenizer.h"

#include <stdint.h>

/* A word of a dependency tree, as in CoNLL-U. */
typedef struct {
    int32_t head; /* index of a node, from 0; −1: the root */
    char upos[12], rel[20];
    uint8_t number; /* of a finite verb in the third person of the present: 1 singular, 2 plural;
                     * of all others 0 */
    char bare[96];  /* such a verb without its agreement; of others not read */
} ig_tree_node;

typedef struct {
    int32_t from, to; /* units [from, to) */
} ig_stretch;

typedef struct {
    int32_t n;
    char *text;     /* the words in sequence, each NUL-terminated */
    int64_t *start; /* [n + 1] word i is text + start[i] */
    int32_t *node;  /* [n] the node of the tree that the word belongs to; −1: none */
    int32_t *first; /* [n + 1] its ranges are stretch[first[i]] .. stretch[first[i + 1] − 1] */
    ig_stretch *stretch;
    ig_tree_node *tree; /* [n_node]; n_node 0: there is no tree */
    int32_t n_node;
    int64_t have_text, have_start, have_node, have_first, have_stretch, have_tree;
} ig_phrase;

void ig_phrase_free(ig_phrase *p);
/* Removes all words; only ig_phrase_like keeps a tree. */
ig_code ig_phrase_clear(ig_phrase *p, ig_err *err);
/* Removes all words and copies the tree of `from`. */
ig_code ig_phrase_like(ig_phrase *p, const ig_phrase *from, ig_err *err);

static inline const char *ig_phrase_word(const ig_phrase *p, int32_t i)
{
    return p->text + p->start[i];
}
static inline int64_t ig_phrase_length(const ig_phrase *p, int32_t i)
{
    return p->start[i + 1] - p->start[i] - 1;
}

/* Appends a word of n bytes that covers nothing. */
ig_code ig_phrase_add(ig_phrase *p, const char *word, int64_t n, ig_err *err);
/* Adds part k of `of` of the ranges of a word i in another sentence to those of the last word,
 * which gets its node unless it has one. */
ig_code ig_phrase_cover(ig_phrase *p, const ig_phrase *from, int32_t i, int32_t k, int32_t of,
                        ig_err *err);
/* Adds units [from, to) to those of the last word. */
ig_code ig_phrase_cover_units(ig_phrase *p, int32_t from, int32_t to, ig_err *err);
/* Appends a word of n bytes with the ranges and the node of word i of another sentence; that word
 * itself. */
ig_code ig_phrase_replace(ig_phrase *p, const ig_phrase *from, int32_t i, const char *word,
                          int64_t n, ig_err *err);
ig_code ig_phrase_keep(ig_phrase *p, const ig_phrase *from, int32_t i, ig_err *err);

/* Appends the words of n bytes of text, split as BERT's tokenizer does (white space, punctuation,
 * ideographs), each covering a word's units. `chars` of text/normalize.h. */
struct ig_chars;
ig_code ig_phrase_read(ig_phrase *p, const struct ig_chars *chars, const char *text, int64_t n,
                       ig_err *err);
/* Joins the words with spaces; *out is grown with ig_grow; NUL-terminated, *n bytes. */
ig_code ig_phrase_text(const ig_phrase *p, char **out, int64_t *have, int64_t *n, ig_err *err);

/* Pieces of each word and the ranges they cover: piece k of a word's n covers part k of n of its
 * ranges, concatenated. A tokenizer with its own split gets every word but the first with the space
 * before it. A sentence without pieces is one [UNK]. Arrays are grown with ig_grow. */
typedef struct {
    int32_t *id;
    int64_t n_id, have_id;
    ig_trace_link *link;
    int64_t n_link, have_link;
} ig_pieces;
ig_code ig_phrase_pieces(const ig_phrase *p, const ig_tokenizer *t, ig_pieces *out, ig_err *err);
void ig_pieces_free(ig_pieces *p);
