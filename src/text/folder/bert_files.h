/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a BertTokenizer, for a model that is written here.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* Pieces of a whole model, row by row: distinct, since one that is named twice would lose a row
 * when transformers reads it, not empty, and without line ends. Else IG_ERR_INPUT. */
ig_code ig_bert_pieces_check(const char *const *pieces, int32_t n, const char *where, ig_err *err);
/* vocab.txt (line i + 1 is pieces[i]), tokenizer_config.json and special_tokens_map.json; the class
 * is BertTokenizer, with these switches. The pieces are checked first. pieces NULL: for a folder
 * with a tokenizer.json, without vocab.txt. */
ig_code ig_bert_tokenizer_write(const char *dir, const char *const *pieces, int32_t n,
                                const ig_tokenizer_options *how, int32_t model_max_length,
                                ig_err *err);
