/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a finished map worth anything? Figures from the mapped vectors alone, no gold needed, and a
 * verdict from them. docs/mapping.md says what each was on maps whose worth is known.
 */
#ifndef IG_EMBED_MAP_DIAGNOSE_H
#define IG_EMBED_MAP_DIAGNOSE_H

#include "base/lexicon.h"
#include "embed/map.h"
#include "embed/map_linear.h"

typedef struct {
    int64_t n, m;        /* first words of each side that were looked at */
    double objective[2]; /* mean cosine of a word's nearest: of source words, of target words */
    /* N_k, how often a word is among the k nearest of the other side's words (Radovanović,
     * Nanopoulos, Ivanović, "Hubs in space", JMLR 2010): of target words, of source words. */
    double hub_skewness[2], hub_largest[2]; /* third standardised moment; the largest N_k */
    double hub_never[2];                    /* share of words with N_k 0 */
    double mutual; /* share of words of the smaller side that are the best of their best by CSLS */
    int64_t n_mutual;
    /* How far the nearest stands before the others, in both directions. Where none of the
     * candidates is special, i (s_i − s_{i+1}) of the ordered cosines s has the same mean for every
     * i (Rényi 1953: exponential tails, roughly so for the cosines of many dimensions): the first
     * of these over the mean of those from 2 to k − 1. 1: the nearest is no nearer than by chance.
     * NaN for k < 4. */
    double gap[2];
    /* Correlation of cosines within the source with those of the mutual pairs' targets within the
     * target (relational similarity: Vulić, Ruder, Søgaard, EMNLP 2020). */
    double relational;
    /* Of pairs of one half of the mutual ones, share that an orthogonal map of the other half finds
     * again as nearest; by chance 1/m. NaN for fewer than 20. */
    double refit;
    /* Words (not punctuation) that are spelled the same in both vocabularies, and the share of them
     * that have each other as best by CSLS, seen from the source. No map but --mode identical looks
     * at spelling. NaN without such words. */
    int64_t n_same;
    double same;
    bool blind; /* the map has looked at neither spelling nor a dictionary */
    /* The pairs that a dictionary gave: share of one half's that an orthogonal map of the other
     * half finds as nearest. NaN without a dictionary, or for fewer than 20 pairs. */
    int64_t n_given;
    double given;
} ig_map_health;

/* What is diagnosed, beside the mapped vectors. */
typedef struct {
    const ig_lexicon *source, *target; /* NULL: spelling is not looked at */
    const ig_map_pairs *given;         /* NULL: no dictionary */
    bool blind;                        /* nothing but the vectors was looked at */
    int64_t most;                      /* first words of each side */
    int k;                             /* neighbours */
    uint64_t seed;                     /* of halves and samples */
} ig_diagnose_options;

/* What the same spaces give to a map that has nothing to go by. Self-learning from random pairs
 * ends at some objective, too, where words of like surroundings lie together without being
 * translations; a map is worth something if its pairs lead to a better one. */
typedef struct {
    int64_t n, m;         /* first words of each side */
    double objective[2];  /* where the map's own pairs lead, where random pairs do */
    double relational[2]; /* of the mutual pairs there */
    double agree;         /* share of the mutual pairs of chance that are the map's, too */
    int starts;           /* of random pairs; the best one counts */
    /* In how many directions the words of each side vary: (Σ λ)² / Σ λ² of their covariance's
     * eigenvalues λ (participation ratio); 1 … d of d. */
    int d;
    double directions[2];
} ig_map_chance;

enum { IG_CHANCE_REFINE = 10 };

/* Where random pairs lead: a matter of the spaces and of how is learnt, not of a map. */
typedef struct {
    int starts; /* 0: not yet known */
    double objective, relational;
    ig_map_pairs pairs; /* mutual ones */
} ig_map_random;
void ig_map_random_free(ig_map_random *r);

/* original: both sides before the map, rows of unit length. `pairs` are those of the map. Random
 * pairs of the first `most` words are learnt from with chance as `learn` says, then refined; a
 * map's own pairs are refined alone. Refinement is IG_CHANCE_REFINE rounds of orthogonal maps with
 * all the pairs of both directions. With learn NULL (a map that was not self-learnt) both are only
 * refined. random: {0} at first; another map of the same spaces, learnt alike, gives the same one
 * again, and what is longest is not done twice. */
ig_code ig_map_chance_measure(ig_map_chance *out, ig_map_random *random,
                              const ig_map_spaces *original, const ig_map_pairs *pairs,
                              int64_t most, const ig_map_options *learn, int k, uint64_t seed,
                              ig_err *err);

/* mapped: both sides after the map, rows of any length. */
ig_code ig_map_diagnose(ig_map_health *out, const ig_map_spaces *mapped,
                        const ig_diagnose_options *o, ig_err *err);

enum { IG_VERDICT_SIZE = 600 };
/* "this mapping is degenerate, because …" (true), or "no sign of a degenerate mapping" with the
 * figures that say so (false). chance: NULL where it was not measured. */
bool ig_map_verdict(char text[IG_VERDICT_SIZE], const ig_map_health *h,
                    const ig_map_chance *chance);

/* Third standardised moment; 0 where nothing varies. */
double ig_skewness(const int32_t *count, int64_t n);

#endif
