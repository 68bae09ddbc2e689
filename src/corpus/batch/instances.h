/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances: the sequences that a model is trained on, made of the sentences of a corpus. They come
 * in groups: one for each language, then one for each pair of languages of translation language
 * modelling.
 */
#pragma once

#include "corpus/batch/batch_options.h"
#include "corpus/batch/masking.h"
#include "isoglot/corpus.h"

typedef struct ig_instances ig_instances;

/* Borrows the corpus. The pairs of `instances` pairs are drawn from IG_STREAM_PAIRS of `seed`. */
ig_code ig_instances_new(ig_instances **out, const ig_corpus *c, const ig_batch_options *options,
                         uint64_t seed, ig_err *err);
void ig_instances_free(ig_instances *x);

/* Returns the number of sentences of a document in a text of n_sentence: `requested`, or, if that
 * is 0, n_sentence / 100, but at least 32 and at most the 4 096 of K et al. 2020. So a text has
 * enough documents for random next sentences from others, and the one in ten with shorter pairs is
 * never all of it. */
int64_t ig_pairs_document(int64_t n_sentence, int64_t requested);

int ig_instances_n_group(const ig_instances *x);
/* Returns the number of sequences of a group in an epoch, all copies. */
int64_t ig_instances_count(const ig_instances *x, int group);
/* Returns the language of a group's sequences, of two the first. */
int ig_instances_language(const ig_instances *x, int group);
/* Returns the second of two, else the same. */
int ig_instances_other(const ig_instances *x, int group);
/* Returns the copy that sequence i of a group belongs to. */
uint32_t ig_instances_copy(const ig_instances *x, int group, int64_t i);
/* Returns the number of tokens of the longest sequence. */
int32_t ig_instances_longest(const ig_instances *x);

/* The output of a sequence; each array fits the longest. */
typedef struct {
    int32_t *id, *pos, *seg;
    int32_t *language; /* of each token */
    ig_token_key *key;
    int32_t *next; /* one number: the label of IG_HEAD_NEXT, −1: no pair */
} ig_instance_room;

/* Writes sequence i of a group, special tokens included; returns its length. Thread-safe. */
int32_t ig_instances_get(const ig_instances *x, int group, int64_t i, const ig_instance_room *room);
