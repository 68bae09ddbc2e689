/* SPDX-License-Identifier: Apache-2.0
 *
 * How alike two spaces are before any map, from distances within each: if no rotation can bring
 * them together, no method finds one.
 */
#pragma once

#include "embed/map/map_linear.h"

typedef struct {
    int64_t n; /* first words of each side that were measured */
    /* Laplacian eigenvalues λ of the graphs in which a word is joined with its nearest: Σ (λ1 −
     * λ2)² of the largest n_value, which are more than 0.9 of the sum on one side (Søgaard, Ruder,
     * Vulić, "On the limitations of unsupervised bilingual dictionary induction", ACL 2018, §3). 0:
     * the graphs may be the same. */
    double eigen;
    int64_t n_value;
    /* Bottleneck distance of the 0-dimensional persistence diagrams of the Vietoris–Rips
     * filtrations (Patra et al., "Bilingual lexicon induction with semi-supervision in
     * non-isometric embedding spaces", ACL 2019, §3.3): half of it bounds the Gromov–Hausdorff
     * distance from below. */
    double bottleneck;
} ig_isometry;

/* Measures the first n words of each side (fewer where there are fewer), by cosine: rows of any
 * length; k neighbours in the graphs. n² floats and doubles of memory, n³ time. */
ig_code ig_isometry_measure(ig_isometry *out, const ig_map_spaces *s, int64_t n, int k,
                            ig_err *err);

/* Bottleneck distance of two diagrams of rising deaths, all born at 0: the least ε so that all
 * points that are further than ε from the diagonal (length / 2) have partners within ε. */
double ig_isometry_bottleneck(const double *a, int64_t n_a, const double *b, int64_t n_b);
