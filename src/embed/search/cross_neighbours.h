/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest words of every word in the spaces of the other languages, for knn-replace (Dufter &
 * Schütze 2020, §4).
 */
#pragma once

#include "base/threads/team.h"
#include "corpus/language/neighbour_table.h"
#include "embed/vectors/vectors.h"

typedef struct {
    const ig_corpus *corpus;
    const char *const *pieces; /* [vocabulary of the corpus] */
    /* [languages] their vectors, all mapped into one space, under the names of the pieces; several
     * languages may share a struct */
    const ig_vectors *const *space;
    int k;       /* neighbours */
    bool pooled; /* among all words of all other languages; else in each of them */
} ig_cross_search;

/* k neighbours by cosine, the smaller id on ties. A piece without a vector, one whose vector is
 * zero and a special token have no neighbours and are none. *covered is the lowest share, over
 * languages, of pieces that have a vector. Spaces of different dimensions are IG_ERR_INPUT. */
ig_code ig_cross_neighbours(ig_neighbour_table *out, double *covered, const ig_cross_search *of,
                            ig_team *team, ig_err *err);
