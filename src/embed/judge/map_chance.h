/* SPDX-License-Identifier: Apache-2.0
 *
 * What a map learnt from random starts reaches on the same two spaces. Self-learning from such
 * starts also ends at some objective, where words of like surroundings lie together without being
 * translations; a map is worth something if its pairs lead to a better one.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "embed/map/map.h"
#include "embed/map/map_anneal.h"
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
    /* The best of the starts that lead further than the map (1 − objective smaller by 1 %) and that
     * are not alone: the map or another start agrees. −1: none. */
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

/* Where random starts lead. This depends on the spaces and the learning, not on a map. */
typedef struct {
    int starts; /* 0: not yet known */
    ig_map_random_start start[IG_CHANCE_STARTS];
} ig_map_random;
void ig_map_random_free(ig_map_random *r);

typedef struct {
    int64_t most;                /* first words of each side */
    const ig_map_options *learn; /* NULL: the map was not self-learnt */
    /* An unsupervised map: chance gets as good a search as the map had, so all starts but the first
     * are annealed, from a random map (`random`, `seed` and `draw` are ignored). NULL: all are
     * random pairs. */
    const ig_anneal_options *anneal;
    int k; /* neighbours of CSLS */
    uint64_t seed;
} ig_chance_options;

/* original: both sides before the map, rows of unit length. `pairs` are those of the map. Random
 * starts among the first `most` words are learnt with dropout as `learn` says (annealed ones
 * without), then refined; a map's own pairs are only refined. Refinement is IG_CHANCE_REFINE rounds
 * of orthogonal maps with all the pairs of both directions. With learn NULL both are only refined.
 * random: {0} at first; another map of the same spaces, learnt alike, passes the same one again,
 * which saves the longest part. */
ig_code ig_map_chance_measure(ig_map_chance *out, ig_map_random *random,
                              const ig_map_spaces *original, const ig_map_pairs *pairs,
                              const ig_chance_options *c, ig_err *err);
