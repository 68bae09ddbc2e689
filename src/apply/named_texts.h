/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences of several languages in memory, each from a file, as input for a model.
 */
#pragma once

#include "corpus/read/verse_ids.h"
#include "text/tokenizer/unknown_pieces.h"

enum { IG_NAMED_TEXTS_MAX = 16, IG_LANGUAGE_NAME = 32 };

typedef struct {
    char name[IG_LANGUAGE_NAME]; /* of the language */
    const char *path;
} ig_named_text;

typedef struct {
    const ig_named_text *text; /* [n_text] at most IG_NAMED_TEXTS_MAX */
    int n_text;
    const ig_verse_set *verses; /* to take, of verses; NULL: all */
    int64_t take;               /* the first so many lines or verses of each; 0: all */
    int64_t least;              /* sentences of each that are needed */
    bool unrelated;             /* they are no translations, even if of one length */
    bool parallel;              /* they must be translations */
} ig_texts_options;

typedef struct {
    char *text; /* sentences in sequence, each with a NUL */
    int64_t n_byte, have_byte;
    int64_t *start; /* [n] where each begins */
    int64_t *line;  /* [n] the number of its line, from 1; of verses their number */
    int64_t n, have, have_line;
    int64_t n_line; /* of the file, blank ones and those after the first N too */
} ig_sentence_list;

typedef struct {
    ig_sentence_list of[IG_NAMED_TEXTS_MAX];
    int n_language;
    bool parallel; /* sentence i of each is a translation of the others' */
} ig_texts;

static inline const char *ig_sentence(const ig_sentence_list *s, int64_t i)
{
    return s->text + s->start[i];
}

/* Texts of verses are joined by id; others are parallel by line where all have as many lines. Lines
 * that are blank in one of parallel texts are left out of all. IG_ERR_USAGE: a language twice;
 * IG_ERR_INPUT: too few sentences, verses beside lines. Freed with ig_texts_free, also after an
 * error. */
ig_code ig_texts_read(ig_texts *t, const ig_texts_options *o, ig_err *err);
/* Adds the pieces that a vocabulary makes of all sentences. */
ig_code ig_sentences_count(ig_unknown_pieces *u, const ig_sentence_list *text,
                           const ig_tokenizer *t, ig_err *err);
void ig_texts_free(ig_texts *t);
