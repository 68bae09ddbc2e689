/* SPDX-License-Identifier: Apache-2.0
 *
 * Means of languages: the mean of the hidden states of a language's text at each layer (Liu et al.,
 * "A Study of Cross-Lingual Ability and Language-specific Information in Multilingual BERT", §4.1),
 * and their file: a safetensors file with a tensor mean.LANGUAGE [layers + 1, hidden] for each, and
 * the digest of the model that they are of.
 */
#pragma once

#include "corpus/batch/batch_options.h"
#include "model/bert_digest.h"
#include "apply/states.h"

/* IG_VARIANT_PAPER_TEXT: the mean over all tokens of the text, [CLS] and [SEP] not among them.
 * IG_VARIANT_PAPER_CODE: the mean over sentences of the mean over their tokens, [CLS] and [SEP]
 * among them. */
typedef struct {
    char name[32];
    int64_t n_sentence, n_token; /* n_token: that are in the mean */
    int64_t n_cut;               /* sentences longer than the model's positions */
    double *mean;                /* [n_layer, d] */
} ig_language_mean;

/* Zeroed: none. Freed with ig_language_means_free. */
typedef struct {
    int n, n_layer, d;
    char model[IG_BERT_DIGEST]; /* of which they are; "": not known */
    ig_language_mean language[IG_LANGUAGES_MAX];
} ig_language_means;

/* Adds the mean of a language's text; `states` has all layers. A text without tokens is
 * IG_ERR_INPUT, a name that is there already IG_ERR_USAGE. */
ig_code ig_language_means_add(ig_language_means *m, ig_states *states, const ig_states_source *text,
                              ig_variant variant, ig_err *err);
void ig_language_means_free(ig_language_means *m);

/* The file: complete or not at all. */
ig_code ig_language_means_write(const ig_language_means *m, const char *path, ig_err *err);
/* Reads the means of a model of this many layers + 1 and this hidden size; another shape, a value
 * that is not finite or a file without means is IG_ERR_INPUT. Counts are not known: 0. */
ig_code ig_language_means_read(ig_language_means *m, const char *path, int n_layer, int d,
                               ig_err *err);
/* That means of a file are of the model with this digest, or of the one that the model in `dir`
 * (may be NULL) was fine-tuned from; others are IG_ERR_INPUT. A file that does not tell is not
 * refused. */
ig_code ig_language_means_check(const ig_language_means *m, const char *path, const char *digest,
                                const char *dir, ig_err *err);
/* The mean of a language at a layer, [d]; none of that name is IG_ERR_USAGE at `where`. */
ig_code ig_language_means_find(const double **mean, const ig_language_means *m, const char *name,
                               int layer, const char *where, ig_err *err);
