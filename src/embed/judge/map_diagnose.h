/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a finished map worth anything? Figures from the mapped vectors alone, no gold needed, and a
 * verdict from them and from what chance gives (map_chance.h). docs/mapping.md lists each
 * figure for maps whose worth is known.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "embed/judge/map_chance.h"

typedef struct {
    int64_t n, m;        /* first words of each side that were evaluated */
    double objective[2]; /* mean cosine of a word's nearest: of source words, of target words */
    /* Words of the smaller side that are in no pair of the dictionary; mutual pairs and the figures
     * derived from them are among these. 0: there is no dictionary, or fewer than 20 such words:
     * among all. */
    int64_t n_outside;
    double mutual; /* share of words of the smaller side that are the best of their best by CSLS */
    int64_t n_mutual;
    /* Correlation of cosines within the source with those of the mutual pairs' targets within the
     * target (relational similarity: Vulić, Ruder, Søgaard, EMNLP 2020). */
    double relational;
    /* Words (not punctuation) that are spelled the same in both vocabularies, and the share of them
     * that have each other as best by CSLS, seen from the source. No map but --mode identical looks
     * at spelling. NaN without such words. */
    int64_t n_same;
    double same;
    bool blind; /* the map was made without spelling and without a dictionary */
    /* The pairs that a dictionary gave: share of the pairs in one half that a map of the other
     * half, in VecMap's steps, finds as nearest in the spaces before the map. NaN without a
     * dictionary, or for fewer than 20 pairs. */
    int64_t n_given;
    double given;
} ig_map_health;

/* Inputs of the diagnosis, beside the mapped vectors. */
typedef struct {
    const ig_lexicon *source, *target; /* NULL: spelling is not compared */
    const ig_map_pairs *given;         /* NULL: no dictionary */
    const ig_map_spaces *original;     /* before the map; needed with a dictionary */
    bool blind;                        /* the map used nothing but the vectors */
    int64_t most;                      /* first words of each side */
    int k;                             /* neighbours */
    uint64_t seed;                     /* for halves and samples */
} ig_diagnose_options;

/* mapped: both sides after the map, rows of any length. */
ig_code ig_map_diagnose(ig_map_health *out, const ig_map_spaces *mapped,
                        const ig_diagnose_options *o, ig_err *err);

enum { IG_VERDICT_SIZE = 600 };
/* Writes "this mapping is degenerate, because …" (true), or "no sign of a degenerate mapping" with
 * the figures for that (false). chance: NULL where it was not measured. */
bool ig_map_verdict(char text[IG_VERDICT_SIZE], const ig_map_health *h,
                    const ig_map_chance *chance);
