/* SPDX-License-Identifier: Apache-2.0
 *
 * Bilingual lexicon induction: how often a word's nearest vector in the other space is its
 * translation. Counted as in MUSE (Lample et al. 2018): over the distinct source words that have a
 * known translation; any of a word's translations is right.
 */
#pragma once

#include "embed/search/dictionary.h"
#include "embed/search/retrieve.h"
#include "embed/vectors/vectors.h"

#include <stdbool.h>

enum { IG_BLI_N_K = 3 };

typedef struct {
    bool method[IG_RETRIEVE_N]; /* which criteria */
    int csls_k;                 /* 10 */
    double beta;                /* inverted softmax; 30 as in MUSE */
    bool dictionary_candidates; /* answers only among the words that the dictionary has on the
                                 * other side (Liu et al. 2020); false: all of the space */
    int n_answer;               /* of each query, kept in the result; 0: none */
} ig_bli_options;

typedef struct {
    double p[IG_BLI_N_K]; /* share of queries with a right answer among the first k */
    double mrr;           /* mean of 1 / rank of the first right answer */
    int64_t *rank;        /* [n_query] from 0 */
    int32_t *answer; /* [n_query, n_answer] words of the target, −1 where there are no more */
} ig_bli_score;

typedef struct {
    int64_t n_query, n_candidate;
    ig_bli_score of[IG_RETRIEVE_N]; /* p and mrr are NaN for criteria that were not requested */
} ig_bli_result;

/* v: source and target, rows of length one (ig_unit_rows). rows: the result of ig_dictionary_find;
 * without pairs IG_ERR_INPUT. Freed with ig_bli_free. */
ig_code ig_bli(ig_bli_result *out, const ig_vectors v[2], const ig_dictionary_rows *rows,
               const ig_bli_options *o, ig_vector_work with, ig_err *err);
void ig_bli_free(ig_bli_result *r);
