/* SPDX-License-Identifier: Apache-2.0
 *
 * Translation token by token without training (Liu et al., "A Study of Cross-Lingual Ability and
 * Language-specific Information in Multilingual BERT", §4.2): a sentence goes in as it is, nothing
 * masked; at one layer every state is shifted by α (mean of the target language − mean of the
 * source's); the output is the likeliest piece at each token.
 */
#pragma once

#include "apply/edit/language_means.h"
#include "apply/edit/translation_score.h"

/* The sentences that are translated, in memory. Zeroed: none. */
typedef struct {
    int from, to; /* languages of the model */
    int64_t n;
    int64_t *start, *ref_start, *gold_start; /* [n + 1] */
    int32_t *id;                             /* [CLS] … [SEP] of the source language */
    int32_t *ref;                            /* the reference, without these */
    int32_t (*gold)[2];                      /* place among a sentence's tokens, piece that is
                                              * right there; by place, a place may have several */
    int64_t n_cut;                           /* sentences that lost their ends */
    bool has_reference, has_gold;
    bool *source, *target; /* [V] the pieces of the texts, V_s and V_t */
    int64_t have[6];
} ig_translation_set;

/* A file's sentences, and a file with as many lines of their translations (NULL: none), both a
 * sentence a line. The same file twice is a text whose two languages are copies of each other: then
 * the right piece of each token is known. */
typedef struct {
    const char *text, *reference;
    int64_t take; /* the first so many; 0: all */
} ig_translation_files;
ig_code ig_translation_set_read(ig_translation_set *t, ig_states *s,
                                const ig_translation_files *files, ig_err *err);
/* The sentences of a corpus that are parallel, of which its gold alignment knows right pieces. */
ig_code ig_translation_set_corpus(ig_translation_set *t, const ig_states *s, const ig_corpus *c,
                                  int64_t take, ig_err *err);
void ig_translation_set_free(ig_translation_set *t);

/* Called with each sentence's output, n pieces. */
typedef ig_code ig_translated_fn(void *arg, const int32_t *piece, int32_t n, ig_err *err);

typedef struct {
    int layer;
    double alpha;
    bool words;          /* BLEU-1 of words instead of pieces */
    const ig_edit *edit; /* [n_edit] made before the shift; may be NULL */
    int n_edit;
    ig_translated_fn *each; /* may be NULL */
    void *arg;
} ig_translation;
/* With the shift from mean[0] to mean[1], [D] each, in *count. `states` asks for the likeliest. */
ig_code ig_translate(ig_translation_count *count, ig_states *states, const ig_translation_set *t,
                     const ig_translation *how, const double *const mean[2], ig_err *err);

/* A piece as text; of a copy of a vocabulary as its rows have it, "::piece". */
const char *ig_translation_piece(const ig_states *s, int32_t id);
