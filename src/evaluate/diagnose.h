/* SPDX-License-Identifier: Apache-2.0
 *
 * A report card of any encoder: one pass of a text of each language through the model, then every
 * measure of every layer and pair of languages. docs/diagnose.md says what each measure is.
 */
#pragma once

#include "measure/nearest/sentence_neighbours.h"
#include "apply/named_texts.h"
#include "apply/states.h"
#include "apply/states_file.h"
#include "text/tokenizer/unknown_pieces.h"

#include <jansson.h>

enum {
    IG_DIAGNOSE_LANGUAGES = IG_NAMED_TEXTS_MAX,
    IG_DIAGNOSE_PAIRS = IG_DIAGNOSE_LANGUAGES * (IG_DIAGNOSE_LANGUAGES - 1) / 2,
    IG_DIAGNOSE_NAME = IG_LANGUAGE_NAME
};

typedef struct {
    ig_states_options states; /* layers and likeliest are set here */
    ig_texts_options texts;   /* 2 to IG_DIAGNOSE_LANGUAGES; `least` is set here */
    const char *dictionary;   /* of the first two languages; NULL: none */
    const char *gold;         /* their word alignments (evaluate/gold_alignment.h); NULL: none */
    ig_states_files files;    /* instead of a model; `texts` are of its languages then, or none;
                               * `least`    is set here */
} ig_diagnose_options;

/* The numbers of a layer, then those of a pair of languages at it. */
enum {
    IG_DIAGNOSE_PROBE, /* analyse/moments.h */
    IG_DIAGNOSE_ISOTROPY,
    IG_DIAGNOSE_CONSTANT,
    IG_DIAGNOSE_MEAN_COSINE,
    IG_DIAGNOSE_N_OF_LAYER,
    IG_DIAGNOSE_COSINE = IG_DIAGNOSE_N_OF_LAYER, /* measure/nearest/sentence_neighbours.h */
    IG_DIAGNOSE_CSLS,
    IG_DIAGNOSE_MARGIN,
    IG_DIAGNOSE_CENTRED, /* retrieval by cosine without each language's mean */
    IG_DIAGNOSE_WORDS,   /* word translation by cosine, mean of P@1 both ways */
    IG_DIAGNOSE_F1,      /* of word alignments, against gold */
    IG_DIAGNOSE_AER,
    IG_DIAGNOSE_CKA, /* analyse/similarity.h */
    IG_DIAGNOSE_CKA_DEBIASED,
    IG_DIAGNOSE_HUBNESS,
    IG_DIAGNOSE_OWN,
    IG_DIAGNOSE_N
};
/* A number's key in JSON, its name, the digits that are shown. */
typedef struct {
    const char *key, *name;
    int digits;
} ig_diagnose_number;
extern const ig_diagnose_number ig_diagnose_numbers[IG_DIAGNOSE_N];

typedef struct {
    char name[IG_DIAGNOSE_NAME];
    const char *path; /* of its text, borrowed from the options */
    int64_t n_sentence, n_cut, n_word, n_byte;
    ig_unknown_pieces unknown;
    int64_t n_masked;
    double perplexity; /* NaN: the model has no head of masked words */
} ig_diagnose_language;

typedef struct {
    ig_diagnose_language language[IG_DIAGNOSE_LANGUAGES];
    int n_language, n_pair, n_layer, d; /* layers 0 (embeddings) to n_layer − 1 */
    bool parallel;
    bool of_files;   /* states came from files: no pieces, no perplexity; n_word 0: no texts */
    char model[128]; /* of these */
    int pair[IG_DIAGNOSE_PAIRS][2]; /* [n_pair] the languages of each */
    double *value; /* [n_layer][1 + n_pair][IG_DIAGNOSE_N]: of a layer, of each pair at it; NaN: not
                      measured */
    int64_t n_word_pair; /* of the dictionary; 0: none */
    int64_t n_word[2];   /* its words of both languages */
    int64_t n_gold_pair; /* sentence pairs with gold word alignments */
    double seconds;
} ig_diagnosis;

/* The numbers of a pair at a layer; pair −1: of the layer. */
static inline double *ig_diagnose_at(const ig_diagnosis *d, int layer, int pair)
{
    return d->value + ((int64_t)layer * (d->n_pair + 1) + pair + 1) * IG_DIAGNOSE_N;
}

/* IG_ERR_USAGE: fewer than two texts, a name twice; IG_ERR_INPUT: fewer than ten sentences. Memory:
 * layers × sentences × hidden floats, told in advance. The same numbers for any number of threads.
 * Freed with ig_diagnosis_free, also after an error. */
ig_code ig_diagnose(ig_diagnosis *out, const ig_diagnose_options *o, ig_err *err);
void ig_diagnosis_free(ig_diagnosis *d);

/* The keys of docs/diagnose.md. NULL: no memory. */
json_t *ig_diagnosis_json(const ig_diagnosis *d, const char *model);
