/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a dictionary found through a map learned from its other words (Conneau et al. 2020,
 * §5.1.1, Figure 4): every second query word is for training, the others are evaluated.
 */
#pragma once

#include "measure/nearest/retrieval.h"

/* A dictionary with a vector for each of its words. pair[n_pair, 2]: numbers of a word of each
 * side, sorted by the first, then the second, each pair once; x[side] has a row for each number, of
 * zeros where a word has no vector: its pairs do not count. Borrowed. */
typedef struct {
    const int32_t *pair;
    int64_t n_pair;
    const float *x[2];
    int d;
} ig_lexicon_space;

/* P@1 as MUSE counts it: over the distinct query words, any listed translation being
 * right. [0]: words of the first side ask, [1]: of the second. NaN: nobody asks. */
typedef struct {
    double csls[2], cosine[2];
    int64_t n_query[2];
} ig_lexicon_score;

/* Both sides' words that have a pair are normalised iteratively. Of the first side's, by their
 * numbers, the map is learned from the pairs of every second one; the others ask, and of the second
 * side's those none of whose pairs was learned from. Answers are looked for among all of the other
 * side's words that have a pair; CSLS has 10 neighbours. The same numbers for any team. */
ig_code ig_lexicon_map(ig_lexicon_score *out, const ig_lexicon_space *s,
                       const ig_retrieval_with *with, ig_err *err);
