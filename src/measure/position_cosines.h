/* SPDX-License-Identifier: Apache-2.0
 *
 * Similarity of position embeddings: whether position i of one language is nearest to position i of
 * the other, where languages have positions of their own. It puts into numbers what Dufter &
 * Schütze 2020, §3.2, read from Figures 5 and 8; docs/measures.md.
 */
#pragma once

#include "isoglot/error.h"

/* NaN: there is nothing to average, or it was not measured. */
typedef struct {
    int n;          /* positions of each language that are compared; 0: not measured */
    int n_frequent; /* the first so many are frequent, the others rare */
    double nearest; /* of the frequent ones, both ways: the share whose nearest position among all
                       n of the other language is the same one (the first of equals counts) */
    double
        diagonal; /* mean cosine with the same position, less that with the other frequent ones */
    double order; /* Kendall's τ-b of the frequent positions and their nearest ones, mean of both
                     ways: 1 along the diagonal, −1 along any anti-diagonal */
    double nearest_rare, diagonal_rare; /* of the rare ones, among all n and among the rare ones */
} ig_position_cosines;

enum { IG_POSITION_NUMBERS = 5 };

/* cosine[n, n]: of position i of the one language (row) with j of the other; n_frequent ≤ n. */
ig_code ig_position_cosines_of(ig_position_cosines *out, const double *cosine, int n,
                               int n_frequent, ig_err *err);
