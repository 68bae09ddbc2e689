/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of a run whose languages have texts, transforms of words or vocabularies of their own:
 * per language a shard with its trace, per vocabulary a vocab.txt, all in the folder of the data.
 * docs/languages.md.
 */
#ifndef IG_RUN_DATA_LANGUAGE_DATA_H
#define IG_RUN_DATA_LANGUAGE_DATA_H

#include "corpus/read/shard.h"
#include "corpus/trace.h"
#include "isoglot/tokenizer.h"
#include "run/run_config.h"

typedef struct {
    int n;
    const ig_language_words *language; /* [n] of the settings */
    ig_tokenizer **tokenizer;          /* [n] of each language; those of one vocabulary are one */
    ig_shard **shard[2];               /* [n] training, development */
    ig_trace **trace[2];
    bool **continues;             /* [n] of ig_corpus_set_words */
    int32_t **same, **from_pivot; /* [n] of ig_language_origin; NULL: none */
    int32_t n_pivot;
    int32_t (**gold)[2]; /* [n] likewise, of a dictionary that is a file */
    int64_t *n_gold;     /* [n] */
} ig_language_data;

/* How a vocabulary is made of lines, and how one is loaded; `path` is where it lies. */
typedef struct {
    ig_code (*train)(const ig_run_tokens *k, int n_thread, const char *path,
                     ig_text_source_fn *next, void *source, ig_err *err);
    ig_code (*load)(ig_tokenizer **out, const ig_run_tokens *k, const char *path, ig_err *err);
} ig_vocabulary_maker;

/* Makes what is missing in data_dir, and opens it. The vocabulary of the first language is
 * vocab.txt; a vocabulary of the settings (`vocab`) lies there already. */
ig_code ig_language_data_open(ig_language_data **out, const ig_data_settings *settings,
                              const char *data_dir, const ig_vocabulary_maker *maker, ig_err *err);
void ig_language_data_close(ig_language_data *d);
/* The corpus over the training or (o->development) the development shards; halves of no-parallel
 * are cut from the training text only. */
ig_code ig_language_data_corpus(ig_corpus **out, const ig_language_data *d,
                                const ig_run_languages *l, const ig_corpus_options *o, ig_err *err);

#endif
