/* SPDX-License-Identifier: Apache-2.0
 *
 * How texts become a sequence of a model: the special tokens before, between and after them, and
 * the type of each token, as in the post_processor of a tokenizer.json.
 */
#pragma once

#include "isoglot/tokenizer.h"

#include <jansson.h>

enum { IG_TEMPLATE_TOKENS = 8 };

typedef struct {
    int32_t id, type;
} ig_template_token;

/* Tokens before text k, then those after the last. */
typedef struct {
    int n_text;   /* 1 or 2 */
    int32_t n[3]; /* [n_text + 1] */
    ig_template_token token[3][IG_TEMPLATE_TOKENS];
    int32_t type[2]; /* of the texts */
    const char
        *missing; /* a token that a text should have and the vocabulary does not; NULL: none */
} ig_template;

/* Returns the template of one text or of two. */
const ig_template *ig_tokenizer_template(const ig_tokenizer *t, bool pair);
/* Returns its number of special tokens. */
int32_t ig_template_n_special(const ig_template *t);
/* Adds a token after the first `place` texts; −1: none. */
void ig_template_add(ig_template *t, int place, int32_t id, int32_t type);
/* Makes [CLS] a [SEP] and [CLS] a [SEP] b [SEP]; a token that is −1 is left out. */
void ig_template_bert(ig_template out[2], int32_t cls, int32_t sep);
/* Makes <s> a </s> and <s> a </s></s> b </s>, all of type 0. */
void ig_template_roberta(ig_template out[2], int32_t cls, int32_t sep);

/* Sets t's roles from the tokens that its template has around one text, if there is at most one
 * token on a side; none is −1. */
void ig_template_roles(ig_tokenizer *t);

/* Returns t's template as the TemplateProcessing of a post_processor. */
json_t *ig_template_json(const ig_tokenizer *t);
/* Reads a post_processor; null leaves *found false and `out` unchanged. The tokens must be pieces
 * of t, and the texts in order. */
ig_code ig_template_read(ig_template out[2], bool *found, const json_t *p, const ig_tokenizer *t,
                         const char *where, ig_err *err);
