/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages in words: "en; de(text=deu, share=2) = drop:20 | tokenize | shift". docs/languages.md
 * describes it.
 */
#pragma once

#include "corpus/words/word_step.h"
#include "isoglot/corpus.h"

enum { IG_SPEC_TEXT = 512 };

/* A language as it was described. Texts are "" where nothing was said. */
typedef struct {
    char name[32];
    char words[IG_SPEC_TEXT];    /* transforms of words: the pipeline before `tokenize` */
    char pipeline[IG_SPEC_TEXT]; /* transforms of pieces: behind it, or the whole pipeline */
    int at_words, at_pipeline;   /* the places of their first characters, from 1 */
    char text[IG_FILE_NAME], dev[IG_FILE_NAME]; /* names of files */
    char gold[IG_FILE_NAME];  /* dictionary of the first language's words into its own */
    char tags[IG_FILE_NAME];  /* treebank that says which part of speech its words are */
    char vocab[IG_FILE_NAME]; /* languages that name one share a vocabulary of theirs; "own": alone
                               */
    bool world;        /* its text is the generated world's, in a language of that description */
    char grammar[128]; /* "SOV,post": of that language; "" with `world`: its name's profile */
    double share;
    int64_t take; /* sentences of its text; 0: all */
} ig_language_words;

/* A text of its own, transforms of words, a vocabulary of its own: whatever one shard for all
 * languages cannot hold. */
bool ig_language_words_any(const ig_language_words *l, int n);

/* Reads at most `most` languages. IG_ERR_USAGE names the place of a mistake in the text and the
 * nearest match. Pipelines are checked too. */
ig_code ig_language_spec_parse(ig_language_words *out, int *n, int most, const char *text,
                               ig_err *err);
