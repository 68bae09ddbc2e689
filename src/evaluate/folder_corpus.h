/* SPDX-License-Identifier: Apache-2.0
 *
 * Corpus for the measurement of a model that was not trained here: the model's folder, texts and a
 * dictionary that are given with it. Every language is a text. Where the folder lists languages
 * (config.json, isoglot.languages), their transforms are applied to it.
 */
#pragma once

#include "corpus/read/shard.h"
#include "corpus/trace.h"
#include "apply/encoder.h"
#include "apply/model_languages.h"
#include "apply/named_texts.h"

typedef struct {
    const char *model;  /* the folder */
    bool lowercase;     /* overrides tokenizer_config.json */
    bool allow_unknown; /* else a text with too many unknown pieces is an error */
    ig_texts_options texts;
    const char *dictionary; /* pairs of words of the first two texts; NULL: none */
} ig_folder_options;

/* Zeroed: nothing. Freed with ig_folder_corpus_close, also after an error. */
typedef struct {
    ig_encoder encoder;
    ig_model_languages languages;
    ig_corpus *corpus;
    ig_shard *shard[IG_NAMED_TEXTS_MAX]; /* of each text */
    ig_trace *trace[IG_NAMED_TEXTS_MAX];
    char *dir;          /* where they lie */
    int32_t *pieces;    /* [rows] 0, 1, 2, …: a dictionary begins with pieces of the first text */
    int32_t (*gold)[2]; /* [n_gold] of those pairs both of whose words are one piece */
    int64_t n_gold;
} ig_folder_corpus;

/* A folder with several languages requires a text's name: else IG_ERR_USAGE. */
ig_code ig_folder_corpus_open(ig_folder_corpus *f, const ig_folder_options *o, ig_err *err);
void ig_folder_corpus_close(ig_folder_corpus *f);
