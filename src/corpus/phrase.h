/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence as words, each of which knows what part of the text it comes from: what transforms of
 * words work on (corpus/words/word_step.h). A text counts in units, IG_TRACE_UNIT to each of its
 * own words (or, in a generated world, to each node of the tree that all languages share); a word
 * covers stretches of it, which splitting divides and merging joins.
 */
#pragma once

#include "corpus/trace.h"
#include "isoglot/error.h"
#include "isoglot/tokenizer.h"

#include <stdint.h>

/* A word of a dependency tree, as CoNLL-U has it. */
typedef struct {
    int32_t head; /* of the nodes from 0; −1: the root */
    char upos[12], rel[20];
} ig_tree_node;

typedef struct {
    int32_t from, to; /* units [from, to) */
} ig_stretch;

typedef struct {
    int32_t n;
    char *text;     /* the words one behind another, each with its NUL */
    int64_t *start; /* [n + 1] word i is text + start[i] */
    int32_t *node;  /* [n] the node of the tree that the word stands for; −1: none */
    int32_t *first; /* [n + 1] its stretches are stretch[first[i]] .. stretch[first[i + 1] − 1] */
    ig_stretch *stretch;
    ig_tree_node *tree; /* [n_node]; n_node 0: no tree is known */
    int32_t n_node;
    int64_t have_text, have_start, have_node, have_first, have_stretch, have_tree;
} ig_phrase;

void ig_phrase_free(ig_phrase *p);
/* No words; a tree is kept only by ig_phrase_like. */
ig_code ig_phrase_clear(ig_phrase *p, ig_err *err);
/* No words, and the tree of `from`. */
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
/* The last word covers also part k of `of` of what word i of another sentence covers, and stands
 * for its node if it stands for none yet. */
ig_code ig_phrase_cover(ig_phrase *p, const ig_phrase *from, int32_t i, int32_t k, int32_t of,
                        ig_err *err);
/* The last word covers units [from, to). */
ig_code ig_phrase_cover_units(ig_phrase *p, int32_t from, int32_t to, ig_err *err);
/* Appends word i of another sentence as it is. */
ig_code ig_phrase_keep(ig_phrase *p, const ig_phrase *from, int32_t i, ig_err *err);

/* Appends the words of n bytes of text, as BERT's tokenizer tells them apart (white space,
 * punctuation, ideographs), each covering a word's units. `chars` of text/normalize.h. */
struct ig_chars;
ig_code ig_phrase_read(ig_phrase *p, const struct ig_chars *chars, const char *text, int64_t n,
                       ig_err *err);
/* The words with a space between; *out is grown with ig_grow; NUL-terminated, *n bytes. */
ig_code ig_phrase_text(const ig_phrase *p, char **out, int64_t *have, int64_t *n, ig_err *err);

/* Pieces of each word and the stretches they cover: piece k of a word's n covers part k of n of its
 * stretches, laid end to end. A sentence of no piece is one [UNK]. Arrays are grown with ig_grow.
 */
typedef struct {
    int32_t *id;
    int64_t n_id, have_id;
    ig_trace_link *link;
    int64_t n_link, have_link;
} ig_pieces;
ig_code ig_phrase_pieces(const ig_phrase *p, const ig_tokenizer *t, ig_pieces *out, ig_err *err);
void ig_pieces_free(ig_pieces *p);
