/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors that an edit is learned from: one of each sentence of some languages, at one layer.
 */
#pragma once

#include "run/measure/states.h"

typedef enum {
    IG_SAMPLE_TOKEN,        /* one token of the sentence, drawn, not [CLS] or [SEP] */
    IG_SAMPLE_TOKEN_OR_SEP, /* the same, [SEP] among them (gonenhila/mbert's randrange(1, len)) */
    IG_SAMPLE_MEAN          /* the mean over its tokens, without [CLS] and [SEP] */
} ig_sample_kind;

/* Where the sentences of a language come from. */
typedef struct {
    const char *name;
    const char *path; /* NULL: a corpus's */
    int language;     /* of the model */
} ig_sample_source;

/* Zeroed: none. Freed with ig_state_sample_free. */
typedef struct {
    int64_t n;
    int d;
    float *row;     /* [n, d] */
    int32_t *label; /* [n] which source it is of */
    int64_t have_row, have_label;
} ig_state_sample;

typedef struct {
    ig_states *states; /* of one layer */
    const ig_corpus *corpus;
    ig_sample_kind kind;
    int64_t take;  /* sentences of each source at most */
    uint64_t seed; /* of IG_STREAM_SAMPLE */
} ig_sample_ask;

/* Sources one after another, the labels in their order. Sentences without tokens have no row. */
ig_code ig_state_sample_take(ig_state_sample *s, const ig_sample_ask *ask,
                             const ig_sample_source *source, int n_source, ig_err *err);
/* Means of two parallel sources, whatever the kind: rows 2 i and 2 i + 1 are sentence i in both,
 * line i of the files, or sequences of the corpus that are parallel. Pairs of which one has no
 * token are left out. */
ig_code ig_state_sample_pairs(ig_state_sample *s, const ig_sample_ask *ask,
                              const ig_sample_source source[2], ig_err *err);
/* The sentences of both sources in turns, sentence i of one and of the other, through ask->states
 * to fn. */
ig_code ig_state_sample_put_pairs(const ig_sample_ask *ask, const ig_sample_source source[2],
                                  ig_states_fn *fn, void *arg, ig_err *err);
/* Room for one more row. */
ig_code ig_state_sample_grow(ig_state_sample *s, ig_err *err);
void ig_state_sample_free(ig_state_sample *s);
