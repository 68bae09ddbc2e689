/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences with dependency trees in CoNLL-U (universaldependencies.org/format.html). What is read
 * of a word is its number, form, universal tag, head and relation.
 */
#ifndef IG_CORPUS_READ_CONLLU_H
#define IG_CORPUS_READ_CONLLU_H

#include "corpus/phrase.h"

enum { IG_TREE_NODES = 4096 };

typedef struct ig_conllu ig_conllu;

/* May be compressed, or "-". */
ig_code ig_conllu_open(ig_conllu **out, const char *path, ig_err *err);
/* The next sentence: its syntactic words, each its own node and unit of the text; ranges ("3-4")
 * and empty nodes ("5.1") are passed over. p->n is 0 at the end. What is not CoNLL-U, a head that
 * is not there, a cycle, no root or two are IG_ERR_INPUT with file and line. */
ig_code ig_conllu_next(ig_conllu *c, ig_phrase *p, ig_err *err);
void ig_conllu_close(ig_conllu *c);

#endif
