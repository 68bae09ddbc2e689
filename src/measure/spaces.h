/* SPDX-License-Identifier: Apache-2.0
 *
 * How alike the spaces of two languages are, as they are and up to a rotation: linear centered
 * kernel alignment, and retrieval after an orthogonal map that was learned on other pairs. Conneau
 * et al. 2020, §5; docs/measures.md, "Two spaces".
 */
#ifndef IG_MEASURE_SPACES_H
#define IG_MEASURE_SPACES_H

#include "measure/retrieval.h"

/* Linear CKA of x[n, dx] and y[n, dy], rows i of which belong together (Kornblith et al. 2019):
 * ‖YᵀX‖²_F / (‖XᵀX‖_F ‖YᵀY‖_F) of the centered columns; sums in double and in a fixed order, the
 * same bits for any team. 0 … 1; NaN where a side does not vary or n < 2. */
ig_code ig_cka_linear(double *out, const float *x, int dx, const float *y, int dy, int64_t n,
                      ig_team *team, ig_err *err);

/* Retrieval after a map; the rows of x[0] that have gold are, in their order, by turns learned from
 * and asked about. Both sides are normalised iteratively (unit and center in turns), the orthogonal
 * matrix that brings the pairs learned from nearest to one another is applied to the first, then
 * the other pairs are looked for among all rows, both ways. Fewer than two rows with gold: nothing
 * is asked, .mean NaN. */
ig_code ig_mapped_retrieval(ig_retrieval_score *out, const ig_vector_pair *v,
                            const ig_retrieval_with *with, ig_err *err);

#endif
