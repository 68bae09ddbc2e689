/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of a tokenizer.json: its pieces with their ids, scores or merges; and functions shared
 * by readers of such files.
 */
#pragma once

#include "text/tokenizer/tokenizer_internal.h"

#include <jansson.h>

/* Names in model.type, by ig_tokenizer_kind. */
extern const char *const ig_tokenizer_models[IG_N_TOKENIZER_KIND];

/* Fails with IG_ERR_INPUT: "KEY is FOUND, expected EXPECTED". */
ig_code ig_json_unlike(const json_t *found, const char *key, const char *expected,
                       const char *where, ig_err *err);
bool ig_json_is(const json_t *j, const char *text);
/* Returns whether a value is null or missing, which mean the same. */
bool ig_json_is_none(const json_t *j);
/* Read and write strip_accents: true, false, or null, as with case. */
ig_code ig_accents_read(ig_tokenizer_accents *out, const json_t *j, const char *key,
                        const char *where, ig_err *err);
json_t *ig_accents_json(ig_tokenizer_accents a);

/* Pieces by id while they are read, before their text is copied. */
typedef struct {
    const char **piece; /* [n], borrowed; freed with ig_free */
    int64_t n, have;
} ig_pieces;
ig_code ig_pieces_add(ig_pieces *p, const char *piece, json_int_t id, const char *where,
                      ig_err *err);
ig_code ig_pieces_vocab(ig_vocab *v, const ig_pieces *p, const char *where, ig_err *err);

/* Returns the id of a piece in a model's vocabulary, with scores or without; −1: it has none. */
int64_t ig_model_piece(const json_t *model, const char *text);
/* Reads model.type, or infers it from the keys of an older file. */
ig_code ig_model_kind(ig_tokenizer_kind *kind, const json_t *model, const char *where, ig_err *err);
/* Reads kind, pieces, scores and rules of t from a model. *unknown is the unknown piece; NULL:
 * there is none. */
ig_code ig_model_read(ig_tokenizer *t, ig_pieces *p, const char **unknown, const json_t *model,
                      const char *where, ig_err *err);
/* Finds the pieces of bytes that stand for unknown characters, when the vocabulary is made. */
ig_code ig_model_read_bytes(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err);
/* Reads the merges, if the kind has any, after the vocabulary and the trie are made. */
ig_code ig_model_read_merges(ig_tokenizer *t, const json_t *model, const char *where, ig_err *err);
/* Parses a whole file: duplicate keys are allowed, since it may name a piece twice. */
ig_code ig_tokenizer_json_load(json_t **out, const char *data, int64_t n, const char *where,
                               ig_err *err);
/* Reads a whole file, already parsed, into a new tokenizer: tokenizer_json.c chooses its reader.
 * `p` holds the pieces of a model without a vocabulary; roles NULL: the usual special tokens. */
ig_code ig_tokenizer_json_read(ig_tokenizer *t, ig_pieces *p, const json_t *j,
                               const ig_role_names *roles, const char *where, ig_err *err);
