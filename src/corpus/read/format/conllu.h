/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences with dependency trees in CoNLL-U (universaldependencies.org/format.html). Number,
 * form, universal tag, head and relation of a word are read.
 */
#pragma once

#include "corpus/phrase.h"
#include "corpus/read/line_reader.h"

enum { IG_TREE_NODES = 4096 };

typedef enum {
    IG_CONLLU_WORD,
    IG_CONLLU_RANGE,      /* "3-4", a multiword token */
    IG_CONLLU_EMPTY_NODE, /* "5.1" */
    IG_CONLLU_END,        /* of a sentence, also of one that has only comments */
    IG_CONLLU_DONE
} ig_conllu_kind;

typedef struct {
    ig_conllu_kind kind;
    /* of a word; of a multiword token only the form. Valid until the next row. */
    char *form, *lemma, *upos, *feats, *deprel;
    int32_t from, to; /* of a multiword token, 1-based; 0: not two numbers */
    int32_t head;     /* 1-based, 0: the root, −1: "_" */
    uint64_t line;
} ig_conllu_row;

typedef struct ig_conllu ig_conllu;

/* May be compressed, or "-". */
ig_code ig_conllu_open(ig_conllu **out, const char *path, ig_err *err);
/* Reads from lines that are already open; they are closed with it, also after an error. */
ig_code ig_conllu_of_lines(ig_conllu **out, ig_line_reader *lines, ig_err *err);
void ig_conllu_close(ig_conllu *c);

/* Returns the next sentence: its syntactic words, each its own node and unit of the text; ranges
 * and empty nodes are skipped. p->n is 0 at the end. A line that is not CoNLL-U, and a sentence
 * that ig_conllu_check_tree refuses, are IG_ERR_INPUT with file and line. */
ig_code ig_conllu_next(ig_conllu *c, ig_phrase *p, ig_err *err);

/* Returns the next line that is not a comment. Words are numbered from 1 without gaps, at most
 * IG_TREE_NODES of them. */
ig_code ig_conllu_next_row(ig_conllu *c, ig_conllu_row *row, ig_err *err);
/* Checks that the sentence whose IG_CONLLU_END was read last is a tree: all heads exist, there is
 * one root and no cycle. */
ig_code ig_conllu_check_tree(const ig_conllu *c, ig_err *err);
/* Return the number of words of the sentence so far, or of the one that ended; the line of its
 * first row, comments included. */
int32_t ig_conllu_n_word(const ig_conllu *c);
uint64_t ig_conllu_first_line(const ig_conllu *c);
