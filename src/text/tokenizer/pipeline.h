/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenization by a tokenizer.json whose words are not BERT's: added tokens are taken out of the
 * text, what is between them goes through the normalizers, is cut by the pre-tokenizers, and each
 * part is cut into pieces by the model.
 */
#pragma once

#include "text/text_split.h"
#include "text/text_steps.h"
#include "text/tokenizer/word_cut.h"

/* A string that stands for itself wherever it occurs. */
typedef struct {
    char *text; /* owned */
    int64_t n;
    int32_t id;
    bool left, right; /* white space before and behind it belongs to it */
    bool word;        /* only where no letter or digit is next to it */
    bool normalized;  /* looked for behind the normalizers, itself normalized */
} ig_added_token;

typedef struct {
    ig_text_steps normalizers;
    ig_split_steps splits;
    ig_added_token *added;
    int n_added;
    int64_t have_added;
    char *source; /* [n_source] of the whole file; owned */
    int64_t n_source;
} ig_text_pipeline;

void ig_text_pipeline_free(ig_text_pipeline *p);
/* When all is there: longer added tokens first, those that are normalized so. */
ig_code ig_text_pipeline_prepare(ig_text_pipeline *p, ig_err *err);
/* Keeps a copy of the file. */
ig_code ig_text_pipeline_keep(ig_text_pipeline *p, const char *data, int64_t n, ig_err *err);
/* Appends the ids of n bytes. */
ig_code ig_text_pipeline_encode(const ig_tokenizer *t, const char *text, int64_t n, ig_ids *out,
                                ig_err *err);

/* Whether a piece (of the vocabulary) goes on with the word before it. */
bool ig_text_pipeline_continues(const ig_tokenizer *t, int32_t id);
