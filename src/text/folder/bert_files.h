/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a BertTokenizer, for a model that isoglot writes.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* Checks the pieces of a whole model, one a row: distinct, since transformers would lose a row for
 * a duplicate, not empty, and without line ends. Otherwise IG_ERR_INPUT. */
ig_code ig_bert_pieces_check(const char *const *pieces, int32_t n, const char *where, ig_err *err);
/* The model that the tokenizer is for. */
typedef struct {
    int32_t max_length;
    bool modern; /* a ModernBERT, which transformers opens with no BertTokenizer, and gives no types
                  */
} ig_bert_tokenizer_use;

/* Writes vocab.txt (line i + 1 is pieces[i]), tokenizer_config.json and special_tokens_map.json;
 * the class is BertTokenizer, with t's switches and special tokens. The pieces are checked first.
 * A tokenizer.json is written for a ModernBERT, too, and with pieces NULL in place of vocab.txt. */
ig_code ig_bert_tokenizer_write(const char *dir, const char *const *pieces, int32_t n,
                                const ig_tokenizer *t, const ig_bert_tokenizer_use *use,
                                ig_err *err);
