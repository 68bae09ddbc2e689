/* SPDX-License-Identifier: Apache-2.0
 *
 * A report card of any encoder: one pass of a text of each language through the model and through
 * an untrained one of its shape, then every measure of every layer and pair of languages, each with
 * its interval, beside chance and the untrained model. docs/diagnose.md says what each measure is.
 */
#pragma once

#include "apply/named_texts.h"
#include "apply/states.h"
#include "apply/states_file.h"
#include "evaluate/card/influence.h"
#include "evaluate/card/text_faults.h"
#include "measure/nearest/sentence_neighbours.h"

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
    ig_states_files fresh;    /* the same of an untrained model of its shape; n 0: none */
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
} ig_diagnose_label;
extern const ig_diagnose_label ig_diagnose_numbers[IG_DIAGNOSE_N];

/* Retrieval that is held out: what is learned from the sentences of even numbers is tested on those
 * of odd ones, and the other way round, among as many candidates as are tested. */
typedef enum {
    IG_HELD_COSINE,
    IG_HELD_CSLS,
    IG_HELD_CENTRED, /* without the means of the other half's sentences of each language */
    IG_HELD_LAYERED, /* the last that every layer has */
    IG_HELD_LEACE = IG_HELD_LAYERED, /* without what a linear classifier sees of the language
                                      * (Belrose et al. 2023) */
    IG_HELD_ROTATED,                 /* after a rotation learned from the other half */
    IG_HELD_N
} ig_held;
extern const char *const ig_held_keys[IG_HELD_N];

/* Where a pair's held-out numbers are from: the last layer, the best one, the sentence row. */
enum { IG_HELD_AT_LAST, IG_HELD_AT_BEST, IG_HELD_AT_SENTENCE, IG_HELD_AT_N };

/* Whose hits: the model's, the same on the sentences alone that the untrained model reads, the
 * untrained model's. */
typedef enum { IG_CARD_MODEL, IG_CARD_BESIDE, IG_CARD_UNTRAINED, IG_CARD_N } ig_card_of;
/* It reads so many sentences of each text: it is a reference, and takes as long as the model. */
enum { IG_DIAGNOSE_UNTRAINED = 500 };

typedef struct {
    char name[IG_DIAGNOSE_NAME];
    const char *path;   /* of its text, borrowed from the options; "": there is none */
    const char *states; /* of its file of states; NULL: of a model */
    int64_t n_sentence, n_cut, n_masked;
    int64_t *line;  /* [n_sentence] the number of its line in `path`; NULL: of no text */
    int64_t n_line; /* of `path`; 0: of no text */
    ig_text_counts text;
    ig_card_number unknown, cut, pieces_per_word, pieces_per_character, bytes_per_piece,
        perplexity; /* NaN: the model has no head of masked words */
    int64_t n_same; /* sentences that are those of the first language that shares them */
    int same_as;    /* … with the same transforms; −1: none */
    double spread, untrained_spread; /* of its vectors at layer 0: 1 − the mean cosine of two */
} ig_diagnose_language;

/* Holds what is measured of a pair beside the numbers of layers. */
typedef struct {
    int rotated_layer;                            /* where CKA is largest; −1: not measured */
    ig_card_number held[IG_HELD_AT_N][IG_HELD_N]; /* ROTATED at its own layer */
    ig_card_number probe[3]; /* of the language, held out at the best layer: as it is,
                              * without means, after LEACE */
    uint8_t *rotated;        /* [n] of `hit` */
    int32_t *answer[2];      /* [n_sentence of each side] nearest of the other, at the layer where
                              * most of them agree on a distance */
    int64_t n_agree;         /* so many */
} ig_diagnose_pair;

typedef struct {
    ig_diagnose_language language[IG_DIAGNOSE_LANGUAGES];
    int n_language, n_pair, n_layer, d; /* layers 0 (embeddings) to n_layer − 1 */
    int n_row;                          /* layers, then the sentence row if there is one */
    char modules[400]; /* what makes its vectors (apply/sentence_model.h); "": no such row */
    int d_sentence;    /* their width */
    bool parallel;
    bool of_files;                  /* states came from files: no pieces, no perplexity */
    bool in_order;                  /* text i of each file is one sentence */
    char model[128];                /* of these */
    int pair[IG_DIAGNOSE_PAIRS][2]; /* [n_pair] the languages of each */
    ig_diagnose_pair of_pair[IG_DIAGNOSE_PAIRS];
    ig_card_number *value; /* [n_row][1 + n_pair][IG_DIAGNOSE_N]: of a layer, of each pair at it */
    /* [n_row][n_pair][IG_HELD_LAYERED][ig_diagnose_n_of]: how many of a sentence's two searches are
     * right, 0 to 2, held out. NULL: not parallel; BESIDE: as the model's. */
    uint8_t *hit[IG_CARD_N];
    int64_t n_untrained; /* sentences of the first text that the untrained model reads; 0: there is
                          * none */
    bool as_drawn;       /* no parameter differs from how it was initialised */
    char adapter[96];    /* a tensor or file of an adapter that is not applied; "": none */
    bool lowercases;     /* --lowercase can be given: the tokenizer is a vocab.txt's */
    bool lowercase, ignore_extra; /* are given */
    bool own_rules;               /* tokenizer.json says how text is spelled, not its config */
    bool unrelated;               /* as the user says */
    bool plain;                   /* texts are files that sed and paste read, a sentence a line */
    int64_t n_word_pair;          /* of the dictionary; 0: none */
    int64_t n_word[2];            /* its words of both languages */
    int64_t n_gold_pair;          /* sentence pairs with gold word alignments */
    double seconds;
} ig_diagnosis;

/* The numbers of a pair at a layer, or at the sentence row; pair −1: of the layer. */
static inline ig_card_number *ig_diagnose_at(const ig_diagnosis *d, int layer, int pair)
{
    return d->value + ((int64_t)layer * (d->n_pair + 1) + pair + 1) * IG_DIAGNOSE_N;
}
static inline int64_t ig_diagnose_n(const ig_diagnosis *d)
{
    return d->language[0].n_sentence;
}
static inline int64_t ig_diagnose_n_of(const ig_diagnosis *d, ig_card_of of)
{
    return of == IG_CARD_MODEL ? ig_diagnose_n(d) : d->n_untrained;
}
static inline uint8_t *ig_diagnose_hit(const ig_diagnosis *d, ig_card_of of, int layer, int pair,
                                       ig_held held)
{
    uint8_t *hit = d->hit[of] != NULL ? d->hit[of] : d->hit[IG_CARD_MODEL];
    return hit + (((int64_t)layer * d->n_pair + pair) * IG_HELD_LAYERED + (int)held) *
                     ig_diagnose_n_of(d, of);
}
/* The row whose vectors are used where nobody chooses: the sentence row, or else the last layer. */
static inline int ig_diagnose_used(const ig_diagnosis *d)
{
    return d->n_row - 1;
}
static inline bool ig_diagnose_has_sentence(const ig_diagnosis *d)
{
    return d->n_row > d->n_layer;
}

/* IG_ERR_USAGE: fewer than two texts, a name twice; IG_ERR_INPUT: fewer than ten sentences. Memory:
 * layers × sentences × hidden floats, printed in advance. The same numbers for any number of
 * threads. Freed with ig_diagnosis_free, also after an error. */
ig_code ig_diagnose(ig_diagnosis *out, const ig_diagnose_options *o, ig_err *err);
void ig_diagnosis_free(ig_diagnosis *d);

/* Returns whether anything of pairs of languages was measured. */
bool ig_diagnosis_has_pairs(const ig_diagnosis *d);
/* "layer 3", "sentence" */
void ig_diagnose_row_name(char *out, size_t n, const ig_diagnosis *d, int row);
/* "en-de" */
void ig_diagnose_pair_name(char *out, size_t n, const ig_diagnosis *d, int pair);

/* The keys of docs/diagnose.md. NULL: no memory. */
json_t *ig_diagnosis_json(const ig_diagnosis *d, const char *model);
