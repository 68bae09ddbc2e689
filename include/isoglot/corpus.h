/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages over token shards. A language is a text and a pipeline of transforms, each of which
 * carries the gold word alignment and the gold dictionary along; sequences come out with their
 * special tokens, ready for a batch.
 */
#ifndef ISOGLOT_CORPUS_H
#define ISOGLOT_CORPUS_H

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ig_shard;
struct ig_trace;

enum { IG_SEQUENCE_MAX = 2048 }; /* longest sequence that a corpus makes */
enum { IG_LANGUAGES_MAX = 32 };  /* languages that are sampled and measured */

/* The result of a pipeline on a language. Ids are of the whole model's vocabulary. A position of
 * the block whose number within the block is that of a special token has no content in any
 * language. */
typedef struct {
    char name[32];
    char pipeline[512];     /* normal form, e.g. "shift | invert | positions | specials" */
    int32_t first_id, n_id; /* its block of the vocabulary: first_id .. first_id + n_id − 1 */
    int32_t pad, unk, cls, sep, mask; /* the special tokens that its sequences use; −1: none */
    int32_t pos_offset, segment;      /* positions are pos_offset + 0, 1, 2, … */
    int32_t reverse; /* the marker of "reverse", a row after all blocks; 0: it has none */
} ig_language;

/* All borrowed. */
typedef struct {
    const char *name;
    const char *pipeline; /* "" or NULL: the text as it is; see docs/languages.md */
    const struct ig_shard *source;
    /* [pieces of source] which pieces continue a word; NULL: no word has more than one token. */
    const bool *continues;
    /* The rest is of a language whose shard was made of a transformed text. */
    /* [pieces of source] id in the base vocabulary of the piece with the same string, −1: none.
     * NULL: the two vocabularies are the same, or share nothing. */
    const int32_t *same;
    /* Traces pieces back to the text before it was transformed and tokenized (corpus/trace.h);
     * NULL: the shard is the text. */
    const struct ig_trace *trace;
    /* [n_pivot] the piece that each piece of the vocabulary that dictionaries go through became,
     * −1: none. NULL: not known (without a trace: the
     * pieces themselves). */
    const int32_t *from_pivot;
    int32_t n_pivot;
    /* For a language whose dictionary is a file: [n_gold] pairs of such a piece and one of its
     * translations, by the first, then by the second, each once; a piece may have several. Used in
     * place of from_pivot; NULL: it has none. */
    const int32_t (*gold)[2];
    int64_t n_gold;
    /* 1 + the number of an earlier language of the same vocabulary whose block of ids `shift`
     * reuses for this one; 0: it has its own block. */
    int shares_block;
} ig_language_spec;

typedef struct {
    int32_t base_vocab; /* pieces of the vocabulary of the languages without "shift" */
    int32_t pad, unk, cls, sep,
        mask;         /* special tokens, the same ids in the vocabulary of every shard */
    int32_t block;    /* longest sequence, specials included; longer text is cut before the
                       * transforms, sequences that these lengthen are cut after them */
    bool development; /* for measuring: "unigram" does not change the text */
    bool bare;        /* a special token may be missing (−1), and two may be one (GPT-2, Llama) */
    uint64_t seed;    /* of IG_STREAM_TRANSFORM */
    int32_t parts;    /* segments that each language has in a row, 2 for pairs; 0 counts as 1 */
} ig_corpus_options;

typedef struct ig_corpus ig_corpus;

/* IG_ERR_USAGE for a pipeline or option that is wrong, IG_ERR_INPUT for a shard that does not fit
 * or a language without sequences. The shards must outlive the corpus. */
ig_code ig_corpus_new(ig_corpus **out, const ig_language_spec *spec, int n_language,
                      const ig_corpus_options *options, ig_err *err);
void ig_corpus_free(ig_corpus *c);

int ig_corpus_n_language(const ig_corpus *c);
const ig_language *ig_corpus_language(const ig_corpus *c, int language);
const ig_corpus_options *ig_corpus_get_options(const ig_corpus *c);
/* Rows that a model over all languages needs (2048 + 2048 for a text and its shifted copy). */
int32_t ig_corpus_vocab_size(const ig_corpus *c);
int64_t ig_corpus_n_sequence(const ig_corpus *c, int language);

/* Special tokens around a sequence of the language: [CLS] and [SEP], of those that it has. */
static inline int32_t ig_language_around(const ig_language *l)
{
    return (l->cls >= 0) + (l->sep >= 0);
}

/* Writes sequence i, [CLS] … [SEP], into id[block]; returns its length. Thread-safe. */
int32_t ig_corpus_sequence(const ig_corpus *c, int language, int64_t i, int32_t *id);
/* Gives its content alone, at most `most` tokens (≤ IG_SEQUENCE_MAX), made of the first `most` of
 * the text; returns their number. origin: a number for each token that no other token of the
 * sequence has and that a transform of the order, of ids or of positions keeps, above 0 and never
 * 0xFFFF: the key of random draws. word: the origin of the first token of the word in the text that
 * the token comes from (its own where words are not known or it comes from none). Thread-safe. */
int32_t ig_corpus_content(const ig_corpus *c, int language, int64_t i, int32_t most, int32_t *id,
                          uint32_t *origin, uint32_t *word);
/* The id in the model's vocabulary of a piece of the language's own vocabulary; −1: it has none. */
int32_t ig_corpus_id(const ig_corpus *c, int language, int32_t piece);
/* Returns whether the two sequences come from the same sentence of the same text, or of texts that
 * are translations of each other. */
bool ig_corpus_parallel(const ig_corpus *c, int a, int b, int64_t i);
/* Finds all sequences of a and b that are parallel, at any index: pairs of numbers, sorted by that
 * of a, each sequence in at most one (of sentences with one number the first is used). *pairs is
 * freed with ig_free. */
ig_code ig_corpus_parallel_pairs(const ig_corpus *c, int a, int b, int32_t **pairs, int64_t *n,
                                 ig_err *err);
/* Gives the gold word alignment of sequence i of language a with sequence i of language b: pairs of
 * positions within the two sequences ([CLS] is position 0, and is in no pair), sorted by first,
 * then second. Writes at most 2·block pairs (4·block numbers); returns their number, or −1 when it
 * is not known: the two sequences do not come from the same sentence of the same text.
 * Thread-safe. */
int32_t ig_corpus_gold_alignment(const ig_corpus *c, int a, int b, int64_t i, int32_t *pairs);

/* Returns whether the dictionary of a with b comes from a file (of either of them), which may list
 * several translations of a word. */
bool ig_corpus_gold_listed(const ig_corpus *c, int a, int b);

/* Gives the gold dictionary of a with b: pairs of content ids, sorted by the first, then by the
 * second, each once; all listed translations of a word are in it. *pairs is freed with ig_free; n
 * is the number of pairs, 0 when no dictionary is known (shards of different vocabularies). The
 * special tokens are in it, too, where the two languages do not share them (Dufter & Schütze's word
 * translation counts all 2048 ids: measure/). */
ig_code ig_corpus_gold_dictionary(const ig_corpus *c, int a, int b, int32_t **pairs, int64_t *n,
                                  ig_err *err);

#ifdef __cplusplus
}
#endif

#endif
