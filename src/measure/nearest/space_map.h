/* SPDX-License-Identifier: Apache-2.0
 *
 * A rotation of one space of states onto another, learned from some pairs and judged by others
 * (Conneau et al. 2020, §5.1).
 */
#pragma once

#include "embed/map/map_linear.h"
#include "measure/nearest/sentence_neighbours.h"

/* States of two sides, [2]. Row i of a side belongs to row i of the other. */
typedef struct {
    const float *learn[2]; /* [n_learn, d] what the map is learned from */
    const float *judge[2]; /* [n_judge, d] what retrieval is measured on; n_judge ≥ 2 */
    int64_t n_learn, n_judge;
    int d;
    int step; /* rows are every step-th of those there; 0: every one */
    /* Directions of which the rows to learn from say little are left as they are: so much of the
     * root mean square of the cross product's singular values is added to its diagonal. 0: nothing.
     */
    double ridge;
    int32_t *const *answer; /* as of ig_sentence_rows; NULL: not needed */
} ig_space_pair;

/* Each side's rows, of both sets together, are normalised iteratively (Zhang et al. 2019), the
 * first side is rotated onto the other by Procrustes (Schönemann 1966), and the rows to judge are
 * retrieved both ways; `own` is NaN. The same numbers for any team. */
ig_code ig_space_map_judge(ig_neighbour_scores *out, const ig_space_pair *p,
                           const ig_retrieval_with *with, ig_err *err);

/* Both sides x[n, d] are normalised iteratively, and the first, x[0], makes way for what the
 * orthogonal matrix makes of it that brings its rows of `learn` nearest to those of the other. Rows
 * are of unit length then. */
ig_code ig_rotate_first(float *x[2], const int64_t n[2], int d, const ig_map_pairs *learn,
                        const ig_retrieval_with *with, ig_err *err);
