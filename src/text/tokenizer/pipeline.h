/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenization by a tokenizer.json whose words are not BERT's: added tokens are separated from the
 * text, the rest is normalized and split by the pre-tokenizers, and the model splits each part
 * into pieces.
 */
#pragma once

#include "text/text_split.h"
#include "text/text_steps.h"
#include "text/tokenizer/word_cut.h"

/* A string that is one token wherever it occurs. */
typedef struct {
    char *text; /* owned */
    int64_t n;
    int32_t id;
    bool left, right; /* white space before and after it belongs to it */
    bool word;        /* only where no letter or digit is next to it */
    bool normalized;  /* searched for after normalization, itself normalized */
} ig_added_token;

typedef struct {
    ig_text_steps normalizers;
    ig_split_steps splits;
    ig_added_token *added;
    int n_added;
    int64_t have_added;
    bool begins[2][256]; /* an added token, raw or normalized, begins with that byte */
    char *source;        /* [n_source] the whole file; owned */
    int64_t n_source;
} ig_text_pipeline;

void ig_text_pipeline_free(ig_text_pipeline *p);
/* Completes a pipeline after all its parts are read: sorts added tokens by falling length, and
 * normalizes those that are searched for in normalized text. */
ig_code ig_text_pipeline_prepare(ig_text_pipeline *p, ig_err *err);
/* Keeps a copy of the file. */
ig_code ig_text_pipeline_keep(ig_text_pipeline *p, const char *data, int64_t n, ig_err *err);
/* Appends the ids of n bytes. */
ig_code ig_text_pipeline_encode(const ig_tokenizer *t, const char *text, int64_t n, ig_ids *out,
                                ig_err *err);

/* Appends a piece's text without marks of a word's beginning or inside, bytes as themselves; of a
 * tokenizer without a pipeline, too. */
ig_code ig_tokenizer_piece_text(ig_byte_text *out, const ig_tokenizer *t, int32_t id, ig_err *err);
/* Returns whether a piece of the vocabulary continues the word before it. */
bool ig_text_pipeline_continues(const ig_tokenizer *t, int32_t id);
