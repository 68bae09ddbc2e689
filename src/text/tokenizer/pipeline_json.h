/* SPDX-License-Identifier: Apache-2.0
 *
 * Reader of a tokenizer.json whose words are not BERT's, as published multilingual encoders have
 * them.
 */
#pragma once

#include "text/tokenizer/model_json.h"

/* Fills t, a new tokenizer, and adds a pipeline, also in case of failure. `p` holds the pieces of a
 * model without a vocabulary; roles NULL: the usual special tokens. */
ig_code ig_text_pipeline_read(ig_tokenizer *t, ig_pieces *p, const json_t *j,
                              const ig_role_names *roles, const char *where, ig_err *err);
/* Reads the switches of a BertNormalizer. */
ig_code ig_bert_normalizer_read(ig_tokenizer_options *o, const json_t *n, const char *where,
                                ig_err *err);
