/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the first pairs of a map without any: soft pairs harden. None of the papers does this.
 * Wasserstein–Procrustes (Grave, Joulin, Berthet, "Unsupervised alignment of embeddings with
 * Wasserstein Procrustes", AISTATS 2019) is close to it, with random parts of the words at one
 * temperature.
 */
#pragma once

#include "embed/map/map_linear.h"
#include "embed/map/map_normalise.h"

typedef struct {
    int64_t words;    /* first words of each side; at most those of the smaller one */
    int k;            /* neighbours of CSLS, at the end */
    double from, to;  /* temperature, > 0 … */
    double factor;    /* … and its factor for each round, < 1 */
    double frequency; /* κ ≥ 0 */
    bool random;      /* the first P comes from products under a random W, not from sorted
                       * similarities */
    uint64_t seed;
    uint32_t draw; /* selects the random W */
} ig_anneal_options;

/* With P[n, n] soft pairs, rows and columns of sum 1, rounds of
 *
 *   W = argmax tr(W Xᵀ P Z) orthogonal,  P = Sinkhorn(exp(x_i W z_j / τ − κ |l(i) − l(j)|)),
 *
 * while the temperature τ falls. l(i) = ln(10 + i), i the number of a row: the most frequent words
 * come first, and words of like frequency are more likely pairs, whatever the temperature. The
 * first P is made of products of the sorted similarities within the languages (map_seed.h) in place
 * of x_i W z_j. Adds the best of each word by CSLS under the last W, both directions, as in
 * ig_map_seed_similarity. The same bits for any team. 4 n² floats of memory. steps: NULL where the
 * start is random. */
ig_code ig_map_seed_annealed(ig_map_pairs *p, const ig_map_spaces *s, const ig_anneal_options *o,
                             const ig_steps *steps, ig_err *err);
