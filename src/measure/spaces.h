/* SPDX-License-Identifier: Apache-2.0
 *
 * Similarity of the spaces of two languages, as they are and up to a rotation: linear centered
 * kernel alignment, and retrieval after an orthogonal map that was learned on other pairs. Conneau
 * et al. 2020, §5; docs/measures.md, "Two spaces".
 */
#pragma once

#include "measure/nearest/retrieval.h"

/* Retrieval after a map; the rows of x[0] that have gold are, in their order, by turns learned from
 * and looked for. Both sides are normalised iteratively (unit and center in turns), the orthogonal
 * matrix that brings the pairs learned from nearest to one another is applied to the first, then
 * the other pairs are looked for among all rows, both ways. Fewer than two rows with gold: nothing
 * is looked for, .mean NaN. */
ig_code ig_mapped_retrieval(ig_retrieval_score *out, const ig_vector_pair *v,
                            const ig_retrieval_with *with, ig_err *err);
