/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer of a model folder, as `model` and `info` show it: what was chosen, or why there is
 * none.
 */
#pragma once

#include "isoglot/error.h"

#include <jansson.h>

/* Zeroed: none. */
typedef struct {
    char *text;
    json_t *json;
} ig_shown_tokenizer;

/* A tokenizer that is refused is shown with the message of its refusal. */
ig_code ig_show_tokenizer(ig_shown_tokenizer *out, const char *dir, ig_err *err);
void ig_shown_tokenizer_free(ig_shown_tokenizer *t);
