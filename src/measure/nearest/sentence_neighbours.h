/* SPDX-License-Identifier: Apache-2.0
 *
 * Nearest neighbours of the sentence vectors of two languages: retrieval by three criteria,
 * hubness, and the language of the nearest neighbour.
 */
#pragma once

#include "measure/nearest/retrieval.h"

/* Neighbours that hubs are counted by and that CSLS averages over; and that the margin does. */
enum { IG_NEIGHBOURS = 10, IG_MARGIN_NEIGHBOURS = 4 };
/* Cosine, CSLS, margin. */
enum { IG_N_CRITERIA = 3 };

/* Means of both ways of P@1, row i of one side being the answer to row i of the other. */
typedef struct {
    double cosine;
    double csls;   /* 2 cos − r(x) − r(y), r the mean cosine to the 10 nearest of the other side
                    * (Conneau et al. 2018, §2.3) */
    double margin; /* cos / ((r(x) + r(y)) / 2) with 4 (Artetxe & Schwenk 2019, eq. 2, ratio) */
    double hubness; /* skewness of how often a row is among the 10 nearest of the other side's rows,
                     * mean of both ways (Radovanović et al. 2010, eq. 1); NaN: all equally often */
    double hubness_error; /* its standard error over the rows */
    double own;           /* share of rows whose nearest other row is of their own language */
    /* the first side asks, the other asks */
    double cosine_way[2], csls_way[2], margin_way[2];
} ig_neighbour_scores;

/* Scores of nothing: NaN. */
ig_neighbour_scores ig_neighbour_scores_none(void);

/* Rows of unit length or zero of both sides. */
typedef struct {
    const float *const *x; /* [2][n, d] */
    int64_t n;             /* ≥ 2 */
    int d;
    const float *const *nearest; /* [2][n] the largest cosine of each row with another row of its
                                  * side (ig_nearest_own); NULL: own is NaN */
    int32_t *const
        *answer; /* [2 × IG_N_CRITERIA] each [n]: gets the answers to the first side's rows
                  * by each criterion, then those to the other's; NULL: not needed */
} ig_sentence_rows;
/* Ties go to
 * the row that comes first. Memory: a block of rows × n per thread, n × 10 numbers. The same result
 * for any team. */
ig_code ig_neighbour_scores_run(ig_neighbour_scores *out, const ig_sentence_rows *of,
                                const ig_retrieval_with *with, ig_err *err);

/* out[n]: the largest cosine of each row with another one. */
ig_code ig_nearest_own(float *out, const float *x, int64_t n, int d, const ig_retrieval_with *with,
                       ig_err *err);
