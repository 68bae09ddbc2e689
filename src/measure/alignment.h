/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignment by mutual argmax and its precision, recall and F1.
 * Jalili Sabet et al. 2020 ("Argmax"); Dufter & Schütze 2020, §2.2.1.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Edges, pooled over all sentence pairs (micro average). Zeroed to begin with. */
typedef struct {
    int64_t n_predicted; /* |P| */
    int64_t n_gold;      /* |G| */
    int64_t n_right;     /* |P ∩ G| */
} ig_alignment_count;

/* p = |P∩G|/|P|, r = |P∩G|/|G|, F1 = 2pr/(p+r) = 2|P∩G|/(|P|+|G|). NaN where the denominator is 0.
 */
typedef struct {
    double precision, recall, f1;
} ig_alignment_score;

/* sim is [na, nb] with row stride ld. Edge (i, j) is predicted when j is the argmax of row i and i
 * the argmax of column j; the first index wins a tie. Writes at most min(na, nb) pairs (i, j),
 * sorted by i, into pairs[2·min]; returns their number. work: nb elements. */
int32_t ig_alignment_argmax(const float *sim, int ld, int32_t na, int32_t nb, int32_t *pairs,
                            int32_t *work);

/* Adds one sentence pair. Both lists hold n pairs (i, j) sorted by i, then j, each pair once; any
 * gold: identity, anti-diagonal, unequal lengths, n to m, empty. */
void ig_alignment_add(ig_alignment_count *c, const int32_t *predicted, int32_t n_predicted,
                      const int32_t *gold, int32_t n_gold);

ig_alignment_score ig_alignment_get(const ig_alignment_count *c);
