/* SPDX-License-Identifier: Apache-2.0
 *
 * What two spaces give to a map that has nothing to go by. Self-learning from random starts ends at
 * some objective, too, where words of like surroundings lie together without being translations; a
 * map is worth something if its pairs lead to a better one.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "embed/map/map.h"
#include "embed/map/map_anneal.h"
#include "embed/map/map_linear.h"

typedef struct {
    int64_t n, m; /* first words of each side */
    /* Where the map's own pairs lead, and where the best of the random starts does that leads
     * elsewhere; NaN: there is none. */
    double objective[2];
    double relational[2]; /* of the mutual pairs there */
    double
        agree;  /* share of the mutual pairs of a random start that are the map's, too: the most */
    int starts; /* random ones */
    int same; /* of these, how many lead to the map: in IG_CHANCE_AGREE of their pairs, at least */
    /* The best of the starts that lead further than the map, 1 − objective smaller by 1 %, and that
     * do not stand alone: the map or another start agrees. −1: none. */
    int better;
    /* In how many directions the words of each side vary: (Σ λ)² / Σ λ² of their covariance's
     * eigenvalues λ (participation ratio); 1 … d of d. */
    int d;
    double directions[2];
} ig_map_chance;

/* Maps of unrelated spaces agree in up to .07 of their pairs, maps that find translations in .3 to
 * 1 (experiments/mapping/README.md). */
#define IG_CHANCE_AGREE 0.2

enum { IG_CHANCE_REFINE = 10, IG_CHANCE_STARTS = 5 };

typedef struct {
    double objective, relational;
    ig_map_pairs pairs; /* mutual ones */
} ig_map_random_start;

/* Where random starts lead: a matter of the spaces and of how is learnt, not of a map. */
typedef struct {
    int starts; /* 0: not yet known */
    ig_map_random_start start[IG_CHANCE_STARTS];
} ig_map_random;
void ig_map_random_free(ig_map_random *r);

typedef struct {
    int64_t most;                /* first words of each side */
    const ig_map_options *learn; /* NULL: the map was not self-learnt */
    /* Of an unsupervised map: chance has as good a search as it had, so all starts but the first
     * are annealed, from a random map (what it says of `random`, `seed` and `draw` does not
     * matter). NULL: all are random pairs. */
    const ig_anneal_options *anneal;
    int k; /* neighbours of CSLS */
    uint64_t seed;
} ig_chance_options;

/* original: both sides before the map, rows of unit length. `pairs` are those of the map. Random
 * starts among the first `most` words are learnt from with chance as `learn` says (annealed ones
 * without), then refined; a map's own pairs are refined alone. Refinement is IG_CHANCE_REFINE
 * rounds of orthogonal maps with all the pairs of both directions. With learn NULL both are only
 * refined. random: {0} at first; another map of the same spaces, learnt alike, gives the same one
 * again, and what is longest is not done twice. */
ig_code ig_map_chance_measure(ig_map_chance *out, ig_map_random *random,
                              const ig_map_spaces *original, const ig_map_pairs *pairs,
                              const ig_chance_options *c, ig_err *err);
