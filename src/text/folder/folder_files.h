/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that a folder's tokenizer is made from, and the tokens that they add.
 */
#pragma once

#include "text/tokenizer/model_json.h"

/* Zeroed: none. A member is NULL if its file does not exist. */
typedef struct {
    char path[4096];   /* of tokenizer_config.json, for messages */
    json_t *settings;  /* tokenizer_config.json */
    json_t *model;     /* config.json */
    json_t *map;       /* special_tokens_map.json; NULL if `settings` has added_tokens_decoder */
    json_t *added;     /* added_tokens.json; likewise */
    json_t *tokenizer; /* tokenizer.json */
    char *where;       /* path of tokenizer.json or vocab.txt */
    ig_vocab vocab;    /* vocab.txt */
} ig_folder_files;

ig_code ig_folder_files_read(ig_folder_files *f, const char *dir, ig_err *err);
void ig_folder_files_free(ig_folder_files *f);

/* Returns the value of a key such as "cls_token"; special_tokens_map.json comes first. NULL: not
 * there. */
const json_t *ig_folder_value(const ig_folder_files *f, const char *key);
/* Returns the text of a special token: a string, or an object with a content; NULL: neither. */
const char *ig_token_text(const json_t *j);

/* A class's special tokens in transformers' order; NULL: none by default. */
enum { IG_N_NAMED_TOKEN = 7 };
extern const char *const ig_named_tokens[IG_N_NAMED_TOKEN]; /* bos_token … mask_token */
typedef struct {
    const char *name[IG_N_NAMED_TOKEN];
    bool as_it_is; /* the tokens of tokenizer.json come first, in its order */
    bool camembert;
    bool blank_of_mask; /* a mask token has the blank before it, where the files do not say */
} ig_class_tokens;

/* Makes the list "added_tokens" of a tokenizer.json with all tokens that the folder adds, each with
 * the id that transformers gives it. It is an error if the model has no row for one, unless only
 * its name is known. *out is NULL after an error. */
ig_code ig_folder_added(json_t **out, const ig_folder_files *f, const ig_class_tokens *c,
                        ig_err *err);
