/* SPDX-License-Identifier: Apache-2.0
 *
 * The sentences of one language of a run as words: from its text (of the run, of its own, of a
 * treebank, of the generated world), through its transforms of words.
 */
#pragma once

#include "corpus/world/world.h"
#include "run/run_config.h"

typedef struct ig_language_texts ig_language_texts;
typedef struct ig_language_text ig_language_text;

/* Opens what the languages of a run share: the world, the verses that all development texts have.
 * The parts of the settings are borrowed until the end. */
ig_code ig_language_texts_new(ig_language_texts **out, const ig_data_settings *settings,
                              ig_err *err);
void ig_language_texts_free(ig_language_texts *t);

/* Parses the transforms of a language and fits them on its training text. The following functions
 * borrow both. */
ig_code ig_language_texts_fit(ig_word_pipeline *p, const ig_language_texts *t, int language,
                              ig_err *err);

/* The sentences of a language, of the training text or the development text. */
ig_code ig_language_text_open(ig_language_text **out, const ig_language_texts *t, int language,
                              bool dev, ig_word_pipeline *p, ig_err *err);
/* The next one; *out is NULL at the end, and valid until the next call. *number is its own in the
 * text; *source (may be NULL) the words before the transforms. */
ig_code ig_language_text_next(ig_language_text *t, const ig_phrase **out, const ig_phrase **source,
                              int64_t *number, ig_err *err);
/* The text [n bytes] of the last one, which can be cut as it is; NULL: it is generated or a tree's,
 * or a language of the run has transforms of words or another vocabulary, so that pieces of two
 * languages correspond by their words alone. */
const char *ig_language_text_line(const ig_language_text *t, int64_t *n);
/* With the sentences, too, that the training text leaves out for words that are held out. */
void ig_language_text_whole(ig_language_text *t);
/* Returns the number by which the last sentence is matched with those of other languages: its
 * number; in a training text with tlm, its verse's id or its line. */
int64_t ig_language_text_number(const ig_language_text *t);
/* Keys for corpus/trace.h. */
uint64_t ig_language_text_key(const ig_language_text *t);
uint64_t ig_language_text_numbers(const ig_language_text *t);
const char *ig_language_text_where(const ig_language_text *t);
void ig_language_text_close(ig_language_text *t);

/* Returns the readers of dictionaries and treebanks named in --files; `d` is borrowed. */
ig_file_finder ig_language_files(const ig_run_data *d);

/* The world of the settings in these languages ("eng; x:SOV", as corpus/world/world.h has them). */
ig_code ig_run_world_new(ig_world **out, const ig_run_data *d, const char *languages, ig_err *err);
