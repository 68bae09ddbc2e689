/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages over token shards. A language is a text and a pipeline of transforms, each of which
 * carries the gold word alignment and the gold dictionary along; sequences come out with their special
 * tokens, ready for a batch.
 */
#ifndef ISOGLOT_CORPUS_H
#define ISOGLOT_CORPUS_H

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ig_shard;

/* What a pipeline made of a language. Ids are of the whole model's vocabulary. */
typedef struct {
    char name[32];
    char pipeline[256];              /* normal form, e.g. "shift | invert | positions | specials" */
    int32_t first_id, n_id;          /* its block of the vocabulary: first_id .. first_id + n_id − 1 */
    int32_t pad, unk, cls, sep, mask; /* the special tokens that its sequences use */
    int32_t pos_offset, segment;     /* positions are pos_offset + 0, 1, 2, … */
} ig_language;

typedef struct {
    const char *name;
    const char *pipeline;          /* "" or NULL: the text as it is; see docs/languages.md */
    const struct ig_shard *source; /* borrowed */
} ig_language_spec;

typedef struct {
    int32_t base_vocab;               /* pieces of the vocabulary that the shards were made with */
    int32_t pad, unk, cls, sep, mask; /* its special tokens */
    int32_t block;                    /* longest sequence, specials included; longer ones lose their end */
    uint64_t seed;                    /* of IG_STREAM_TRANSFORM */
} ig_corpus_options;

typedef struct ig_corpus ig_corpus;

ig_code ig_corpus_new(ig_corpus **out, const ig_language_spec *spec, int n_language,
                      const ig_corpus_options *options, ig_err *err);
void ig_corpus_free(ig_corpus *c);

int ig_corpus_n_language(const ig_corpus *c);
const ig_language *ig_corpus_language(const ig_corpus *c, int language);
const ig_corpus_options *ig_corpus_get_options(const ig_corpus *c);
/* Rows that a model over all languages needs (2048 + 2048 for a text and its shifted copy). */
int32_t ig_corpus_vocab_size(const ig_corpus *c);
int64_t ig_corpus_n_sequence(const ig_corpus *c, int language);

/* Writes sequence i, [CLS] … [SEP], into id[block]; returns its length. Thread-safe. */
int32_t ig_corpus_sequence(const ig_corpus *c, int language, int64_t i, int32_t *id);

/* Gold word alignment of sequence i of language a with sequence i of language b: pairs of places
 * within the two sequences ([CLS] is place 0, and is in no pair), sorted by the first. Writes at most
 * 2·block pairs of int32_t; returns their number, or −1 when the two are not parallel. Thread-safe. */
int32_t ig_corpus_gold_alignment(const ig_corpus *c, int a, int b, int64_t i, int32_t *pairs);

/* Gold dictionary of a with b: pairs of content ids, sorted by the first. *pairs is freed with
 * ig_free; n is the number of pairs, 0 when no dictionary is known. Special tokens are in it when both
 * languages have their own (Dufter & Schütze's word translation counts all 2048 ids: measure/). */
ig_code ig_corpus_gold_dictionary(const ig_corpus *c, int a, int b, int32_t **pairs, int64_t *n,
                                  ig_err *err);

#endif
