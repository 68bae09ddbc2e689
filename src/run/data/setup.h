/* SPDX-License-Identifier: Apache-2.0
 *
 * From the settings of a run to what it works on: vocabulary, token shards, corpora. What is made
 * is kept in the run's folder (vocab.txt, train.shard, dev.shard), complete or not at all, and
 * found there the next time: the folder, not the text it once came from, is what a run was trained
 * on.
 */
#pragma once

#include "apply/folder/run_dir.h"
#include "isoglot/tokenizer.h"
#include "run/data/language_data.h"
#include "run/run_config.h"

typedef struct {
    ig_language_data *languages; /* tokenizers, shards, dictionaries */
    ig_tokenizer *tokenizer;     /* the base vocabulary: the first of theirs */
    ig_corpus *train, *dev;      /* dev: over the training text when there is no other */
} ig_setup;

/* `data_dir` is made when it is missing. What it holds already is used as it is. Training and
 * development corpora have the same languages and vocabulary; the halves of no-parallel are cut
 * from the training text only. */
ig_code ig_setup_open(ig_setup *s, const ig_data_settings *d, const char *data_dir, ig_err *err);
/* Opens the data in a run's folder. */
ig_code ig_setup_open_in(ig_setup *s, const ig_run_config *c, const char *run_dir, ig_err *err);
void ig_setup_close(ig_setup *s);

/* Another development text, in the languages and with the vocabulary of `s`, cleaned as the run's
 * own. A setup whose languages have texts of their own is IG_ERR_USAGE. */
typedef struct {
    const char *path;
    ig_text_kind format;
    ig_verse_set verses;
    int64_t take;      /* 0: all */
    const char *shard; /* its sentences are kept here; used as it is when it is there */
} ig_setup_text;
ig_code ig_setup_open_text(ig_corpus **corpus, ig_shard **tokens, const ig_setup *s,
                           const ig_data_settings *d, const ig_setup_text *text, ig_err *err);

/* Checks whether the model has the positions and segments of every language, as IG_ERR_USAGE that
 * names the key and the language. */
ig_code ig_setup_fits(const ig_setup *s, const ig_bert_config *model, ig_err *err);

/* The whole model's vocabulary, a piece per row: the base pieces, then a block per language of its
 * own, written as "::piece" (third language ":::piece", …), since a Hugging Face vocabulary wants
 * distinct strings. pieces[i] are owned; freed with ig_free_list. */
ig_code ig_setup_pieces(const ig_setup *s, char ***pieces, int32_t *n, ig_err *err);
/* Returns config.json's members beyond Hugging Face's keys: {"isoglot": {"base_vocab_size",
 * "languages": […]}}; owned by the caller, NULL: no memory. */
json_t *ig_setup_json(const ig_setup *s);
/* Writes a model and its tokenizer into a folder: as BERT's, or as the base vocabulary's
 * tokenizer.json, where pieces alone do not say how words are cut. step: of the model, into
 * config.json; −1: none. */
ig_code ig_setup_save(const ig_setup *s, const ig_bert *model, int64_t step, const char *dir,
                      ig_err *err);

/* Logs, for each text, how many tokens training does not see because its sentences are longer than
 * a sequence, and how many evaluation does not. */
void ig_setup_warn_lost(const ig_setup *s, const ig_run_objective *o, bool evaluated);
