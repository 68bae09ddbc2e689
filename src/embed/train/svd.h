/* SPDX-License-Identifier: Apache-2.0
 *
 * Word vectors from counts: positive pointwise mutual information, factorised (Levy, Goldberg,
 * "Neural word embedding as implicit matrix factorization", NIPS 2014; Levy, Goldberg, Dagan,
 * "Improving distributional similarity with lessons learned from word embeddings", TACL 2015).
 */
#pragma once

#include "embed/train/cooccur.h"
#include "embed/vectors/vectors.h"

typedef struct {
    ig_cooccur_options cooccur;
    int dim;
    double smoothing; /* context counts to this power (TACL 2015: 0.75); 1: none */
    double shift;     /* max(PMI − log shift, 0); 1: none */
    double power;     /* vectors are U S^power */
    int passes;       /* of subspace iteration; 0: until it has converged */
    uint64_t seed;
} ig_svd_options;

typedef struct {
    int64_t n_cell;     /* positive ones */
    double first, last; /* singular values, largest and smallest of those used */
    double share;       /* of the squared values of the table that these explain */
    int passes;         /* passes done */
} ig_svd_report;

/* Moves the words of `text` into *out. dim must be at most the number of words. */
ig_code ig_svd(ig_vectors *out, ig_text_ids *text, const ig_svd_options *o, ig_team *team,
               ig_svd_report *report, ig_err *err);
