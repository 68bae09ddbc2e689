/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of a tokenizer, for the files that make and use one.
 */
#pragma once

#include "isoglot/tokenizer.h"
#include "text/normalize.h"
#include "text/tokenizer/bpe.h"
#include "text/tokenizer/pipeline.h"
#include "text/tokenizer/template.h"
#include "text/tokenizer/vocab.h"
#include "text/tokenizer/wordpiece_trie.h"

enum { IG_WORD_CHARS_MAX = 100, IG_SPECIAL_MAX = 64, IG_PREFIX_MAX = 16 };

struct ig_tokenizer {
    ig_tokenizer_kind kind;
    ig_tokenizer_options options;
    ig_vocab vocab;
    ig_trie trie;
    int32_t *added; /* [n_added] pieces that are not in the trie: added tokens, which the model of a
                       pipeline does not know */
    int32_t n_added;
    ig_chars *chars;
    char prefix[IG_PREFIX_MAX]; /* of pieces inside a word: "##", or the prefix in a pipeline's file
                                 */
    int32_t inside;             /* trie state after the prefix; −1: none */
    int64_t most_chars;         /* of a word that WordPiece cuts; longer ones are [UNK] */
    int32_t unk;                /* −1: none (only with a pipeline) */
    ig_special special[IG_SPECIAL_MAX];
    int n_special;
    ig_bpe bpe;                     /* IG_TOKENIZER_BPE */
    double *score;                  /* [pieces] IG_TOKENIZER_UNIGRAM: log probabilities */
    double unk_score;               /* of a character that no piece begins with */
    bool fuse_unknown, whole_first; /* IG_TOKENIZER_BPE: a run of [UNK] is one; a word that is a
                                       piece is not split */
    bool byte_fallback;         /* BPE, UNIGRAM: a character that is no piece becomes bytes, … */
    int32_t byte[256];          /* … these pieces, <0x00> to <0xFF> */
    ig_text_pipeline *pipeline; /* NULL: the words are BERT's */
    int32_t role[IG_N_TOKENIZER_ROLE];
    ig_template template[2]; /* of one text, of two */
    bool has_template;       /* its file has one */
};

/* Names of special tokens by role; NULL: the usual ones. */
typedef struct {
    const char *name[IG_N_TOKENIZER_ROLE];
} ig_role_names;

/* Returns the character rules of the options. */
ig_chars_rules ig_tokenizer_chars(const ig_tokenizer_options *o);
/* Completes a tokenizer whose kind, options, vocabulary, and merges or scores are set: makes trie,
 * special tokens, [UNK]. `special` NULL: the five of BERT that the vocabulary has. */
ig_code ig_tokenizer_prepare(ig_tokenizer *t, const char *const *special, int n_special,
                             const char *where, ig_err *err);
/* Makes it a unigram tokenizer with these scores [pieces], which it then owns. */
void ig_tokenizer_set_scores(ig_tokenizer *t, double *score);
/* Reads a tokenizer.json. */
ig_code ig_tokenizer_json_parse(ig_tokenizer *t, const char *data, int64_t n, const char *where,
                                ig_err *err);

/* Writes the ids of one word of n bytes into id[n]; returns their number. `work` has
 * IG_UNIGRAM_WORK(n) bytes. */
#define IG_UNIGRAM_WORK(n) (((int64_t)(n) + 4) * 24)
int64_t ig_unigram_cut(const ig_tokenizer *t, const uint8_t *word, int64_t n, int32_t *id,
                       void *work);

/* WordPiece: splits a word of n bytes into at most n ids; returns their number, 0 if it cannot be
 * split to its end. Inline: most of the time of tokenizing is spent here. */
static inline int ig_longest_match(const ig_tokenizer *t, const uint8_t *word, int64_t n,
                                   int32_t *id)
{
    const ig_trie_cell *cell = t->trie.cell;
    int n_id = 0;
    int32_t begin = 0;
    for (int64_t i = 0; i < n; begin = t->inside) {
        int32_t state = begin, best = -1;
        int64_t stop = i;
        if (begin < 0)
            return 0;
        for (int64_t j = i; j < n; j++) {
            int32_t to = cell[state].base ^ (int32_t)word[j];
            if (cell[to].check != state)
                break;
            state = to;
            if (cell[state].value >= 0) {
                best = cell[state].value;
                stop = j + 1;
            }
        }
        if (best < 0)
            return 0;
        id[n_id++] = best;
        i = stop;
    }
    return n_id;
}
