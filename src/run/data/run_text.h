/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of a run, as vocabularies and shards are made of them: the one text that all languages
 * share, which a tokenizer cuts line by line, or each language's own, whose sentences are words
 * (run/data/language_text.h) that a tokenizer cuts one by one. The two give other pieces where a
 * tokenizer cuts a line otherwise than its words (docs/architecture.md); everything else is one
 * way.
 */
#pragma once

#include "apply/folder/run_folder.h"
#include "corpus/phrase.h"
#include "corpus/read/sentences.h"
#include "run/data/language_text.h"
#include "text/tokenizer/unknown_pieces.h"

typedef struct {
    const ig_data_settings *settings;
    const char *dir;            /* of the data: the text of a generated world is written there */
    bool shared;                /* one text is that of all languages */
    ig_language_texts *own;     /* NULL until the first language is read */
    ig_word_pipeline *pipeline; /* [n] transforms of each language's words, while `fitted` */
    bool fitted[IG_RUN_MAX_LANGUAGE];
} ig_run_texts;

ig_code ig_run_texts_new(ig_run_texts *t, const ig_data_settings *settings, const char *dir,
                         ig_err *err);
void ig_run_texts_free(ig_run_texts *t);
/* The transforms of the words of language k, fitted on its text the first time. */
ig_code ig_run_texts_fit(ig_run_texts *t, int k, ig_err *err);

typedef struct {
    ig_sentences *lines;     /* of a shared text */
    const char *path;        /* borrowed by `lines` */
    char world[IG_PATH];     /* path where that is a generated world's text */
    ig_language_text *words; /* of a language's own */
    ig_pieces pieces;
    ig_unknown_pieces unknown; /* among the pieces given so far */
    char *line;
    int64_t have;
} ig_run_text;

/* The training or the development text of language k (of all, where it is shared). Closed also
 * after an error. */
ig_code ig_run_text_open(ig_run_text *t, ig_run_texts *all, int k, bool dev, ig_err *err);
void ig_run_text_close(ig_run_text *t);
/* The next sentence as text, NULL at the end; valid until the next call. */
ig_code ig_run_text_line(ig_run_text *t, const char **line, int64_t *n, ig_err *err);
/* The next one as pieces, in *out with their links (none of a shared text); NULL at the end. */
ig_code ig_run_text_pieces(ig_run_text *t, const ig_tokenizer *tokenizer, const ig_pieces **out,
                           ig_err *err);
/* Returns which text it is, for messages. */
const char *ig_run_text_where(const ig_run_text *t);
