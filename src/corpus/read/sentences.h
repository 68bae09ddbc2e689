/* SPDX-License-Identifier: Apache-2.0
 *
 * The first n sentences of files, cleaned and split; as a stream, and as a token shard.
 */
#pragma once

#include "corpus/read/text_source.h"
#include "isoglot/corpus.h"
#include "isoglot/tokenizer.h"

typedef struct {
    ig_text_kind kind;
    ig_verse_set verses; /* verses that are kept */
    bool strip_quotes;   /* delete ” ’ ‘ “ ( ) */
    bool whole_lines;    /* a line or verse is one sentence */
    bool clauses;        /* break after ; and : too */
    bool abbreviations;  /* no break after those that CLDR lists for the locale */
    const char *locale;  /* NULL: "en" */
    int64_t take;        /* sentences; 0: all */
    bool places;         /* ig_sentences_place will be called */
} ig_sentence_options;

typedef struct ig_sentences ig_sentences;

/* Opens one file after another; the paths are borrowed until ig_sentences_close. */
ig_code ig_sentences_open(ig_sentences **out, const char *const *path, int n_path,
                          const ig_sentence_options *options, ig_err *err);
/* Returns the next sentence, never empty, single spaces only; *text is NULL at the end. Valid until
 * the next call. */
ig_code ig_sentences_next(ig_sentences *s, const char **text, int64_t *n, ig_err *err);
void ig_sentences_close(ig_sentences *s);
/* With `places`: returns a number for the position of the last sentence, which is the same in two
 * translations: its verse's id, or its line in a file without ids, the number of sentences of that
 * verse or line, and the sentence's number among them. So sentence k of n is parallel to sentence k
 * of n. */
int64_t ig_sentences_place(const ig_sentences *s);
/* The first file ("" if there is none), for errors that concern the whole text. */
const char *ig_sentences_where(const ig_sentences *s);

/* Writes the rest of the stream as a shard. Sentences without tokens are left out; it is an error
 * if none is left, or if too many pieces are unknown (text/tokenizer/unknown_pieces.h). */
ig_code ig_shard_from_sentences(const char *path, ig_sentences *s, const ig_tokenizer *t,
                                bool allow_unknown, ig_err *err);
/* Returns the end of the part of a sentence of n pieces that begins at piece `from`: sentences of a
 * shard have at most IG_SENTENCE_WHOLE pieces, as many as fit into a sequence, and longer ones are
 * split between words. */
enum { IG_SENTENCE_WHOLE = IG_SEQUENCE_MAX - 2 };
int64_t ig_sentence_part(const ig_tokenizer *t, const int32_t *id, int64_t n, int64_t from);
/* Identifies a shard's vocabulary: ig_hash over the pieces, each with its NUL, seeded with the hash
 * so far. */
uint64_t ig_vocab_fingerprint(const ig_tokenizer *t);
