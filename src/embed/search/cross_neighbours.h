/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest words of every word in the spaces of the other languages, for knn-replace (Dufter &
 * Schütze 2020, §4).
 */
#ifndef IG_EMBED_SEARCH_CROSS_NEIGHBOURS_H
#define IG_EMBED_SEARCH_CROSS_NEIGHBOURS_H

#include "base/threads/team.h"
#include "corpus/language/neighbour_table.h"
#include "embed/vectors/vectors.h"

/* space[l] has the vectors of language l, all mapped into one space, under the names of `pieces`
 * [vocabulary of the corpus]; the same struct may stand for several languages. A piece without a
 * vector, one whose vector is zero and a special token has no neighbours and is none.
 *
 * k neighbours by cosine, the smaller id on ties: in each other language, or (`pooled`) among all
 * words of all other languages. *covered is the share of pieces that have a vector, of the language
 * that has the fewest. Spaces of different dimensions are IG_ERR_INPUT. */
ig_code ig_cross_neighbours(ig_neighbour_table *out, double *covered, const ig_corpus *c,
                            const ig_vectors *const *space, const char *const *pieces, int k,
                            bool pooled, ig_team *team, ig_err *err);

#endif
