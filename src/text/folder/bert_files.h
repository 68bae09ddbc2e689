/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a BertTokenizer, for a model that isoglot writes.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* Checks the pieces of a whole model, one a row: distinct, since transformers would lose a row for
 * a duplicate, not empty, and without line ends. Otherwise IG_ERR_INPUT. */
ig_code ig_bert_pieces_check(const char *const *pieces, int32_t n, const char *where, ig_err *err);
/* Writes vocab.txt (line i + 1 is pieces[i]), tokenizer_config.json and special_tokens_map.json;
 * the class is BertTokenizer, with t's switches and special tokens. The pieces are checked first.
 * With pieces NULL, for a folder with a tokenizer.json, no vocab.txt is written. */
ig_code ig_bert_tokenizer_write(const char *dir, const char *const *pieces, int32_t n,
                                const ig_tokenizer *t, int32_t model_max_length, ig_err *err);
