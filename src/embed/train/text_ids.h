/* SPDX-License-Identifier: Apache-2.0
 *
 * The text that static embeddings are trained on, in memory: word numbers, line by line, and the
 * counts of the words. Words are numbered by falling count, equal counts by their bytes; those
 * below the minimum count are removed from the lines, as in word2vec and fastText (the words on
 * both sides of one become neighbours).
 */
#pragma once

#include "base/strings/lexicon.h"
#include "corpus/read/sentences.h"
#include "corpus/read/shard.h"
#include "isoglot/corpus.h"
#include "isoglot/tokenizer.h"

/* BLANKS: words are separated by blanks, as for the original programs. WORDS: BERT's split;
 * punctuation marks are words of their own. */
typedef enum { IG_SPLIT_BLANKS, IG_SPLIT_WORDS } ig_text_split;

typedef struct {
    ig_text_split split;
    bool lowercase;       /* case only; accents stay */
    int64_t min_count;    /* ≥ 1 */
    const char *line_end; /* a word added at the end of each line (fastText: "</s>"); NULL */
    int32_t max_line;     /* longer lines are broken; 0: no limit */
    bool allow_unknown;   /* of pieces (text/tokenizer/unknown_pieces.h) */
    bool joined;          /* WORDS: fill `joined`; min_count is 1 then */
} ig_text_ids_options;

/* Freed with ig_text_ids_free. */
typedef struct {
    ig_lexicon words;
    int64_t *count;         /* [words.n] */
    int64_t n_count;        /* their sum, = n_token */
    int64_t n_read, n_type; /* words of the text before rare ones were left out */
    int64_t n_too_long;     /* not among them: longer than any word (docs/embeddings.md) */
    int32_t *id;            /* [n_token] */
    uint8_t
        *joined; /* [n_token] whether the word begins a line or no blank is before it; or NULL */
    int64_t n_token;
    int64_t *line; /* [n_line + 1], where a line begins in id; the last: n_token */
    int64_t n_line;
} ig_text_ids;

/* Reads the words of sentences, or with a tokenizer (NULL: none) the pieces of them. */
ig_code ig_text_ids_read(ig_text_ids *out, ig_sentences *s, const ig_tokenizer *t,
                         const ig_text_ids_options *o, ig_err *err);
/* Reads the sentences of a shard; t is the tokenizer it was made with (checked). */
ig_code ig_text_ids_shard(ig_text_ids *out, const ig_shard *shard, const char *where,
                          const ig_tokenizer *t, const ig_text_ids_options *o, ig_err *err);

typedef struct {
    const ig_corpus *corpus;
    const char *const *pieces; /* token `id` is the word pieces[id] */
    int language;              /* −1: all, one after another */
    int64_t most;              /* first sequences of each language; 0: all */
    int32_t length;            /* first tokens of each sequence */
} ig_text_ids_sequences;
/* Reads sequences without [CLS] and [SEP], each a line. */
ig_code ig_text_ids_corpus(ig_text_ids *out, const ig_text_ids_sequences *of,
                           const ig_text_ids_options *o, ig_err *err);
void ig_text_ids_free(ig_text_ids *t);
