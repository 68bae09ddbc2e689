/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector of a sentence as a folder of sentence-transformers makes it: pooling of the last
 * layer's states, dense layers, unit length (modules.json and the folders that it names).
 */
#pragma once

#include "apply/states.h"

typedef struct ig_sentence_model ig_sentence_model;

typedef struct {
    const char
        *prompt; /* the name of one in config_sentence_transformers.json; NULL: its default */
} ig_sentence_model_options;

/* For a folder without modules.json *out is NULL. What is not applied here (another module or
 * pooling, lower case by sentence_bert_config.json) is IG_ERR_INPUT, an unknown prompt
 * IG_ERR_USAGE. Closed with ig_sentence_model_close. */
ig_code ig_sentence_model_open(ig_sentence_model **out, const char *dir, const ig_encoder *e,
                               const ig_sentence_model_options *o, ig_err *err);
void ig_sentence_model_close(ig_sentence_model *m);

int ig_sentence_model_size(const ig_sentence_model *m);     /* numbers of a vector */
int32_t ig_sentence_model_most(const ig_sentence_model *m); /* tokens of a sentence; 0: no limit */
const char *ig_sentence_model_text(const ig_sentence_model *m); /* what is applied, in words */
/* Sentences so far of which no token was left without the prompt: all tokens are pooled. */
int64_t ig_sentence_model_whole(const ig_sentence_model *m);
/* The sentence as it goes into the model: the prompt, then the text. Valid until the next call. */
ig_code ig_sentence_model_prompted(const char **out, int64_t *n_out, ig_sentence_model *m,
                                   const char *text, int64_t n, ig_err *err);
/* The vector of states at layer l of the requested ones, which is the last: out[size]. */
void ig_sentence_model_apply(ig_sentence_model *m, float *out, const ig_sentence_states *s, int l);
