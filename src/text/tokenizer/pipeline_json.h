/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of the parts of a tokenizer.json.
 */
#pragma once

#include "text/tokenizer/model_json.h"

/* Fills t, a new tokenizer, whose pipeline is NULL if its words are BERT's and its pieces the usual
 * ones. `p` holds the pieces of a model without a vocabulary; roles NULL: the usual special
 * tokens. */
ig_code ig_tokenizer_parts_read(ig_tokenizer *t, ig_pieces *p, const json_t *j,
                                const ig_role_names *roles, const char *where, ig_err *err);
