/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignment by mutual argmax and its precision, recall and F1.
 * Jalili Sabet et al. 2020 ("Argmax"); Dufter & Schütze 2020, §2.2.1.
 */
#pragma once

#include "tensor/ops.h"

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

/* IterMax as SimAlign computes it (Jalili Sabet et al. 2020, §2.2, in its program's form: two
 * rounds, α .9): those edges, then those among rows and columns one of which has no edge yet, where
 * both have none at full and else at .9 of the similarity. sim, cosines, becomes (1 + sim) / 2.
 * Writes at most 2 min(na, nb) pairs, those of the second round last. work: na + 2 nb elements. */
int32_t ig_alignment_itermax(float *sim, int ld, int32_t na, int32_t nb, int32_t *pairs,
                             int32_t *work);

/* Buffers for the comparison of two sentences. Zeroed: empty; freed with ig_alignment_buffers_free.
 */
typedef struct {
    int32_t n[2];    /* words or pieces of both */
    int d;           /* numbers of the states of each */
    float *unit[2];  /* [n, d] of unit length */
    float *sim;      /* [n[0], n[1]] */
    int32_t *pairs;  /* [2 min(n), 2] for who links them, … */
    int32_t *work;   /* … and for ig_alignment_argmax, _itermax */
    int64_t have[5]; /* of all these */
    ig_scratch scratch;
} ig_alignment_buffers;
/* The n states x[n, d] of one side. One that is not finite is IG_ERR_NUMERIC. */
ig_code ig_alignment_put(ig_alignment_buffers *r, int side, const float *x, int32_t n, int d,
                         ig_err *err);
/* Computes the cosines of both sides and allocates the links. */
ig_code ig_alignment_cosines(ig_alignment_buffers *r, const ig_ops *ops, ig_err *err);
void ig_alignment_buffers_free(ig_alignment_buffers *r);

/* Adds one sentence pair. Both lists hold n pairs (i, j) sorted by i, then j, each pair once; any
 * gold: identity, anti-diagonal, unequal lengths, n to m, empty. */
void ig_alignment_add(ig_alignment_count *c, const int32_t *predicted, int32_t n_predicted,
                      const int32_t *gold, int32_t n_gold);

ig_alignment_score ig_alignment_get(const ig_alignment_count *c);
