/* SPDX-License-Identifier: Apache-2.0
 *
 * A dictionary from two mapped spaces: for each word of either side the best of the other by CSLS
 * (Lample, Conneau, Ranzato, Denoyer, Jégou, "Word translation without parallel data", ICLR 2018),
 * among the pairs that dropout keeps (Artetxe, Labaka, Agirre, "A robust self-learning method for
 * fully unsupervised cross-lingual mappings of word embeddings", ACL 2018, §3.3).
 */
#pragma once

#include "embed/search/retrieve.h"

#include <stdbool.h>
#include <stdint.h>

/* All figures are of products of rows; these are cosines if the caller gives rows of unit
 * length. */
typedef struct {
    int64_t n, m; /* words of the source and of the target */
    int k;
    ig_vector_work with;
    int32_t *forward;  /* [n] the chosen target of each source; −1: all were left out */
    int32_t *backward; /* [m] */
    float *near[2]; /* [n, max(k, 1)], [m, max(k, 1)] largest products, falling, dropout or not; −∞
                     * where there are fewer */
    int32_t *near_at[2]; /* whose they are; −1 where there are fewer */
    float *mean[2];      /* [n], [m] mean of the k largest: r of CSLS; 0 for k = 0 */
    double objective[2]; /* mean of the largest: of the source words, of the target words */
    int64_t n_again[2];  /* words that the last ig_induce_next had to search twice */
    /* internal: */
    float *penalty[2], *score[2], *before[2];
    ig_retrieve_want list[2]; /* the best few by the penalties before */
    int32_t *again[2];
    bool has_before;
} ig_induce;

/* Allocates buffers for n source and m target vectors; k: neighbours of CSLS, 0: by the product
 * alone. Freed with ig_induce_free, also after an error. */
ig_code ig_induce_new(ig_induce *s, int64_t n, int64_t m, int k, ig_vector_work with, ig_err *err);
void ig_induce_free(ig_induce *s);

/* x[n, d], z[m, d]. Only pairs that `drop` keeps may be chosen (NULL: all). Score of j for i: x_i
 * z_j − r_j / 2; ties go to the lower number. The same bits for any team. */
ig_code ig_induce_run(ig_induce *s, const float *x, const float *z, const ig_retrieve_dropout *drop,
                      ig_err *err);

/* Gives the same bits as ig_induce_run. Takes one walk instead of two, and less time, when the
 * vectors are much like those of the last call. */
ig_code ig_induce_next(ig_induce *s, const float *x, const float *z,
                       const ig_retrieve_dropout *drop, ig_err *err);
