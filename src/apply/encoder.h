/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that is only to encode: a Hugging Face folder, or a run's newest checkpoint, with the
 * tokenizer beside it. Heads need not be there.
 */
#pragma once

#include "isoglot/bert.h"
#include "isoglot/tokenizer.h"
#include "apply/folder/run_folder.h"
#include "text/folder/tokenizer_folder.h"

typedef struct {
    char dir[IG_PATH]; /* the folder of the model itself */
    ig_bert *model;
    ig_tokenizer *tokenizer;
    ig_tokenizer_choice choice; /* how it was made of the folder */
    bool lowercase;             /* as requested, or as the folder says */
    bool masked;                /* the head of masked words is there, all of it */
    char head_tensor[96];       /* one of a head that the model lacks; empty: there is none */
    char no_head[96];           /* one that the head of masked words lacks, if it has others */
    int32_t cls, sep, unk;
} ig_encoder;

/* A tensor of the encoder that is missing, a vocabulary with more pieces than the model's embedding
 * has rows, one without [CLS] and [SEP], or a tokenizer that transformers would read otherwise is
 * IG_ERR_INPUT. Freed with ig_encoder_close, also after an error. */
ig_code ig_encoder_open(ig_encoder *e, const char *path, bool lowercase, ig_err *err);
/* bare: also one whose tokenizer has no [CLS], no [SEP] or neither (GPT-2, Llama). */
ig_code ig_encoder_open_any(ig_encoder *e, const char *path, bool lowercase, bool bare,
                            ig_err *err);
void ig_encoder_close(ig_encoder *e);

/* The paper's layers 0 and 8 of 12, carried over to any depth L: 0 and ⌈2L/3⌉. */
void ig_measure_mu_layers(int num_hidden_layers, int layer[2]);

/* The layer that --layer names; −1: the upper one of μ, two thirds of the depth. One that the model
 * does not have is IG_ERR_USAGE. */
ig_code ig_encoder_layer(int *layer, const ig_encoder *e, int requested, ig_err *err);
