/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures how far maps learnt from random starts come on the same two spaces. Self-learning from
 * such starts also ends at some objective, where words of like surroundings lie together without
 * being translations; a map is worth something if its pairs lead to a better one.
 */
#pragma once

#include "embed/map/map.h"
#include "embed/map/map_linear.h"

typedef struct {
    int64_t n, m; /* first words of each side */
    /* objective that the map's own pairs lead to, and that of the best random start that leads
     * elsewhere; NaN: there is none */
    double objective[2];
    double relational[2]; /* of the mutual pairs there */
    double
        agree;  /* share of the mutual pairs of a random start that are the map's, too: the most */
    int starts; /* random ones */
    int same; /* of these, how many lead to the map: in IG_CHANCE_AGREE of their pairs, at least */
    /* In how many directions the words of each side vary: (Σ λ)² / Σ λ² of their covariance's
     * eigenvalues λ (participation ratio); 1 … d of d. */
    int d;
    double directions[2];
} ig_map_chance;

/* Maps of unrelated spaces agree in up to .07 of their pairs, maps that find translations in .3 to
 * 1 (experiments/mapping/README.md). */
#define IG_CHANCE_AGREE 0.2

enum { IG_CHANCE_REFINE = 10 };

typedef struct {
    int64_t most;                /* first words of each side */
    const ig_map_options *learn; /* NULL: the map was not self-learnt */
    int k;                       /* neighbours of CSLS */
    uint64_t seed;
} ig_chance_options;

/* original: both sides before the map, rows of unit length. `pairs` are those of the map. Random
 * pairs of the first `most` words are learnt with dropout as `learn` says, then refined; a map's
 * own pairs are only refined. Refinement is IG_CHANCE_REFINE rounds of orthogonal maps with all the
 * pairs of both directions. With learn NULL both are only refined. */
ig_code ig_map_chance_measure(ig_map_chance *out, const ig_map_spaces *original,
                              const ig_map_pairs *pairs, const ig_chance_options *c, ig_err *err);
