/* SPDX-License-Identifier: Apache-2.0
 *
 * Similarity of two models, or of two languages in one: the mean states of sentences at each layer
 * are compared layer by layer, or all layers with all (Conneau et al. 2020, §5.2 and Figure 7).
 * docs/similarity.md.
 */
#pragma once

#include "analyse/similarities.h"
#include "apply/named_texts.h"
#include "apply/states.h"
#include "apply/states_file.h"

#include <jansson.h>

/* The first text is read by `states.model`, the others by `other`. A single text is read by both
 * models. */
typedef struct {
    ig_states_options states; /* layers, likeliest, fresh are set here */
    const char *other;        /* NULL: the same model */
    ig_texts_options texts;   /* at least one; parallel */
    ig_texts_options learn;   /* what a map between the sides is learned from; none: no map. The
                               * languages of `texts`; parallel */
    ig_states_files files;    /* instead of models and texts, of which there are none then; `least`,
                               * `parallel`, `models` are set here */
    bool all_pairs; /* of layers; else each with the same of the other, up to the last of both */
    bool random;    /* also compares the first model with the other at random weights, seeded by
                       `states.seed` */
} ig_compare_options;

/* Numbers that follow the similarities: P@1 through a map (measure/nearest/space_map.h), averaged
 * over both directions, of sentences, words and words in context (measure/words/word_levels.h).
 */
enum {
    IG_COMPARED_MAP = IG_SIMILARITY_N,
    IG_COMPARED_MAP_CSLS,
    IG_COMPARED_WORD,
    IG_COMPARED_WORD_CSLS,
    IG_COMPARED_CONTEXT,
    IG_COMPARED_CONTEXT_CSLS,
    IG_COMPARED_N
};
const char *ig_compared_title(int m);

/* The first text's states against another's: value[i, j, m] of layer i of the first, j of the
 * other, number m (IG_SIMILARITY_…, IG_COMPARED_…); NaN where i ≠ j unless all pairs are
 * compared. Behind them [m] of the vectors that both models' modules make (ig_compared_sentence).
 */
typedef struct {
    char name[2 * IG_LANGUAGE_NAME + 1]; /* "en-fr" */
    int n_layer[2];
    int n_number;           /* IG_SIMILARITY_N; with a map IG_COMPARED_N */
    bool sentence;          /* both are folders of sentence-transformers */
    double *value, *random; /* random NULL: not requested */
} ig_comparison;

typedef struct {
    ig_comparison *of; /* [n] */
    int n;
    int64_t n_sentence;
    bool all_pairs;
} ig_comparisons;

/* IG_ERR_USAGE: no text, a text to learn from missing; IG_ERR_INPUT: texts that are not parallel,
 * fewer than ten sentences, a map between models of different hidden sizes. The same numbers for
 * any number of threads. Freed with ig_comparisons_free, also after an error. */
ig_code ig_compare(ig_comparisons *out, const ig_compare_options *o, ig_err *err);
void ig_comparisons_free(ig_comparisons *c);

/* value[i, j, m] of `value` or `random`. */
static inline double ig_compared(const ig_comparison *c, const double *value, int i, int j, int m)
{
    return value[((int64_t)i * c->n_layer[1] + j) * c->n_number + m];
}
static inline double ig_compared_sentence(const ig_comparison *c, const double *value, int m)
{
    return value[(int64_t)c->n_layer[0] * c->n_layer[1] * c->n_number + m];
}
/* Mean over equal layers. */
double ig_compared_mean(const ig_comparison *c, const double *value, int m);

/* The keys of docs/similarity.md. NULL: no memory. */
json_t *ig_comparisons_json(const ig_comparisons *c);
