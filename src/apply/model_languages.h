/* SPDX-License-Identifier: Apache-2.0
 *
 * The languages of a model folder (config.json, isoglot.languages), and how a text
 * becomes one of them: the pieces of the folder's vocabulary go through the language's transforms,
 * so that Fake by index, an inverted order, positions, segments and special tokens of a language's
 * own are those of its pre-training.
 */
#pragma once

#include "corpus/language/transform.h"
#include "isoglot/bert.h"
#include "isoglot/tokenizer.h"

#include <jansson.h>

typedef struct {
    ig_language info;
    ig_pipeline pipeline;
    ig_tokenizer *own; /* of a vocabulary of its own; NULL: the folder's */
    int32_t *same; /* with that, [n_id] the id of the same piece in the first vocabulary, or −1 */
} ig_model_language;

typedef struct {
    int n; /* at least 1: a folder without a list has one, without a name */
    ig_model_language *language;
    ig_corpus_options options;
} ig_model_languages;

/* From config.json's member "isoglot" (NULL: none) of a model of this shape, whose special tokens
 * are the tokenizer's. A language whose rows of vocab.txt are other pieces than the first ones has
 * a vocabulary of its own, and so has one whose "tokenizer" is a file. What does not fit the model
 * is IG_ERR_INPUT at `where`. */
ig_code ig_model_languages_parse(ig_model_languages *out, const json_t *isoglot,
                                 const ig_bert_config *c, const ig_tokenizer *t, const char *where,
                                 ig_err *err);
/* Reads the languages of a folder. */
ig_code ig_model_languages_read(ig_model_languages *out, const char *dir, const ig_bert_config *c,
                                const ig_tokenizer *t, ig_err *err);
/* Writes the tokenizers of languages that the folder's have not, as this list of languages names
 * them, to another folder. */
ig_code ig_model_languages_copy(const ig_model_languages *l, const json_t *list, const char *dir,
                                ig_err *err);
void ig_model_languages_free(ig_model_languages *l);

/* Returns whether any has segments of its own. */
bool ig_model_languages_segments(const ig_model_languages *l);
/* Returns whether the model does not tell languages a and b apart: they are one, or have the same
 * ids, special tokens, positions, segment, transforms and parts. */
bool ig_model_languages_alike(const ig_model_languages *l, const ig_bert_config *model, int a,
                              int b);
/* Its number; −1: there is none of that name. */
int ig_model_languages_find(const ig_model_languages *l, const char *name);
/* Finds the number of a requested language. NULL is the first; a single language goes by any name.
 * Else an unknown name is IG_ERR_USAGE at `where`. */
ig_code ig_model_languages_find_requested(int *language, const ig_model_languages *l,
                                          const char *name, const char *where, ig_err *err);
/* Positions that sequences of a language have: up to where another one's begin. */
int32_t ig_model_languages_positions(const ig_model_languages *l, int language,
                                     const ig_bert_config *model);

/* The language's ids of the pieces of sentence number `sentence`: n of them, at most
 * IG_SEQUENCE_MAX. */
void ig_model_language_tokens(const ig_model_languages *l, int language, int64_t sentence,
                              const int32_t *id, int32_t n, ig_tokens *out);
