/* SPDX-License-Identifier: Apache-2.0
 *
 * Nearest-neighbour retrieval by cosine, both ways: sentence retrieval (ρ) and word translation (τ)
 * are this one measure on two kinds of vectors. Dufter & Schütze 2020, §2.2.1 and A.1.
 */
#pragma once

#include "base/threads/stop.h"
#include "base/threads/team.h"
#include "isoglot/error.h"
#include "tensor/ops.h"

#include <stdint.h>

enum { IG_RETRIEVAL_N_K = 3 };
extern const int ig_retrieval_k[IG_RETRIEVAL_N_K]; /* 1, 5, 10 */

/* One way. A query counts as found at k when fewer than k candidates are better than its right
 * answer: strictly more similar, or equally similar with a lower index. With several right answers
 * the best of them by that order counts. */
typedef struct {
    int64_t n_query, n_candidate;
    int64_t n_found[IG_RETRIEVAL_N_K];
    int64_t n_tie; /* queries with a wrong candidate exactly as similar as the best right one */
    double p[IG_RETRIEVAL_N_K]; /* n_found / n_query; NaN without queries */
} ig_retrieval_way;

/* way[0]: a asks, b answers; way[1]: the other way. mean = mean of both P@1 (ρ or τ). strict: the
 * share of gold pairs, over all of them, that are more similar than either of the two is to any
 * other candidate. */
typedef struct {
    ig_retrieval_way way[2];
    double mean, strict;
} ig_retrieval_score;

/* Vectors of two languages and what belongs together. x[0] is [n[0], d], x[1] is [n[1], d]. gold:
 * n_gold pairs (i, j) of a row of each, each pair once, sorted by i then j; NULL stands for (0, 0),
 * (1, 1), … (n[0] = n[1] = n_gold). All borrowed. */
typedef struct {
    const float *x[2];
    int64_t n[2];
    int d;
    const int32_t *gold; /* [n_gold, 2] */
    int64_t n_gold;
} ig_vector_pair;

/* The operations and threads of a retrieval, borrowed; stop may be NULL. */
typedef struct {
    const ig_ops *ops;
    ig_team *team;
    const ig_stop *stop;
} ig_retrieval_with;

/* Rows are of unit length or zero. Queries are the rows that occur in gold; candidates are all rows
 * of the other side. Memory: a block of rows × candidates per thread, never the whole matrix. The
 * same result for any team. */
ig_code ig_retrieval_run(ig_retrieval_score *out, const ig_vector_pair *v,
                         const ig_retrieval_with *with, ig_err *err);

/* A score of nothing: NaN, counts of 0. */
ig_retrieval_score ig_retrieval_none(void);
