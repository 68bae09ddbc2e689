/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary of a run, or of one of its languages, as a file of its data: copied from one that
 * the settings name, or made of text.
 */
#pragma once

#include "isoglot/corpus.h"
#include "isoglot/tokenizer.h"
#include "run/run_config.h"

/* The vocabulary that the settings name (k->vocab), if they do: whether it can be used. */
ig_code ig_run_vocabulary_check(const ig_run_tokens *k, ig_err *err);
/* Writes it to path. */
ig_code ig_run_vocabulary_copy(const ig_run_tokens *k, const char *path, ig_err *err);

/* Made of lines, wherever they come from, and written to path: of pieces that say everything as a
 * vocab.txt, else as a tokenizer.json; whoever reads it sees which. With k->world_words it has the
 * whole words of the lines. */
ig_code ig_run_vocabulary_make(const ig_data_settings *d, const char *path, ig_text_source_fn *next,
                               void *source, ig_err *err);

ig_code ig_run_vocabulary_load(ig_tokenizer **out, const ig_run_tokens *k, const char *path,
                               ig_err *err);

/* The special tokens and the size of the base vocabulary, which lies at path. */
ig_code ig_run_vocabulary_special(ig_corpus_options *o, const ig_tokenizer *t, const char *path,
                                  ig_err *err);
