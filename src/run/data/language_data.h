/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of a run's languages, in the folder of its data: per vocabulary a vocab.txt, and either
 * one shard for the text that all share, or per language a shard with its trace
 * (docs/languages.md, docs/architecture.md).
 */
#pragma once

#include "corpus/read/shard.h"
#include "corpus/trace.h"
#include "isoglot/corpus.h"
#include "isoglot/tokenizer.h"
#include "run/run_config.h"

typedef struct {
    int n;
    const ig_language_words *language;            /* [n] of the settings */
    ig_tokenizer *tokenizer[IG_RUN_MAX_LANGUAGE]; /* those of one vocabulary are one */
    ig_shard *shard[2][IG_RUN_MAX_LANGUAGE];      /* training, development; one of a shared text */
    ig_trace *trace[2][IG_RUN_MAX_LANGUAGE];      /* NULL: of a shared text */
    bool *continues[IG_RUN_MAX_LANGUAGE];         /* of ig_language_spec */
    int32_t *same[IG_RUN_MAX_LANGUAGE];           /* of ig_language_spec; NULL: none */
    int32_t *from_pivot[IG_RUN_MAX_LANGUAGE];     /* likewise, [n_pivot] */
    int32_t n_pivot;
    int32_t (*gold[IG_RUN_MAX_LANGUAGE])[2]; /* likewise, of a dictionary that is a file */
    int64_t n_gold[IG_RUN_MAX_LANGUAGE];
} ig_language_data;

/* Makes what is missing in data_dir, and opens it. The vocabulary of the first language is
 * vocab.txt: the base vocabulary, whose size and special tokens are put into *o. */
ig_code ig_language_data_open(ig_language_data **out, const ig_data_settings *settings,
                              const char *data_dir, ig_corpus_options *o, ig_err *err);
void ig_language_data_close(ig_language_data *d);
/* A shard, if it was made with this vocabulary; *out is the caller's also after that error. */
ig_code ig_language_shard_open(ig_shard **out, const char *path, const ig_tokenizer *t,
                               ig_err *err);
