/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which vectors of one space are nearest to which of another, by inner products of all pairs,
 * made in tiles and used up at once, so that no n × m matrix is ever in memory. A candidate's score
 * is
 *
 *   s(i, j) − penalty[j]
 *
 * and the criteria of the literature are that with different penalties (ig_retrieve_penalty).
 * Answers are the first k in the order (score falling, number rising). The same bits for any team.
 */
#pragma once

#include "base/rng.h"
#include "base/threads/stop.h"
#include "base/threads/team.h"
#include "isoglot/error.h"
#include "tensor/ops.h"

#include <stdbool.h>
#include <stdint.h>

/* n vectors: the rows row[0], row[1], … of x [·, d], or with row NULL its first n. For cosines rows
 * have length one (ig_unit_rows) or are zero. "Number" of a vector below: its position among the
 * n. */
typedef struct {
    const float *x;
    const int32_t *row;
    int64_t n;
} ig_retrieve_side;

/* How vectors of d numbers are multiplied: by these ops, over a team (NULL: one thread). */
typedef struct {
    int d;
    const ig_ops *ops;
    ig_team *team;
} ig_vector_work;

/* A search in one direction: the k best answers to each vector. */
typedef struct {
    int k;                /* 0: nothing */
    const float *penalty; /* one for each possible answer; NULL: 0 */
    int32_t *answer;      /* [queries, k] numbers, best first; −1 where there are fewer than k */
    float *score;         /* [queries, k]; −INFINITY where there are fewer */
    float *product;       /* [queries, k] the score without its penalty; NULL: not needed */
} ig_retrieve_want;

/* In each direction only a share `keep` of the pairs is considered, drawn independently (the
 * stochastic dictionary induction of Artetxe, Labaka, Agirre, ACL 2018, §3.3; there a dropped pair
 * has score 0, here it is no answer). keep ≥ 1: all pairs. `round` gives each call its own draws.
 * The draws of a query that is a chosen row are that row's; with `back` those that it has where it
 * is on the other side. */
typedef struct {
    double keep;
    ig_rng_key key;
    uint32_t round;
    bool back;
} ig_retrieve_dropout;

/* want[0]: a asks, b answers; want[1]: b asks, a answers. Both use the same products, so both cost
 * little more than one, and so do several such searches. drop may be NULL. */
typedef struct {
    const ig_retrieve_want *want; /* [2] */
    const ig_retrieve_dropout *drop;
    const ig_stop *stop; /* of the first question: polled now and then; NULL: never */
} ig_retrieve_question;
ig_code ig_retrieve_ask(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_question *question, int n, ig_vector_work with,
                        ig_err *err);
/* Runs a single search. */
ig_code ig_retrieve_top(const ig_retrieve_side *a, const ig_retrieve_side *b,
                        const ig_retrieve_want want[2], const ig_retrieve_dropout *drop,
                        ig_vector_work with, ig_err *err);

/* Means of the first k (as many as there are) of each list of `scores` [n, k]: CSLS's r. */
void ig_retrieve_list_means(float *mean, const float *scores, int64_t n, int k);
/* mean[i]: mean of the inner products of vector i of `of` with its k nearest among `among`: r_T of
 * a source word, r_S of a target word (Lample et al. 2018, §2.3). */
ig_code ig_retrieve_means(float *mean, const ig_retrieve_side *of, const ig_retrieve_side *among,
                          int k, ig_vector_work with, ig_err *err);

typedef enum {
    IG_RETRIEVE_NN,      /* nearest neighbour: penalty 0, score = cosine */
    IG_RETRIEVE_SOFTMAX, /* inverted softmax (Smith et al., ICLR 2017): penalty_j = log Σ_i
                          * exp(β s_ij) / β over all sources i; exp(β score) is the probability */
    IG_RETRIEVE_CSLS,    /* Lample et al. 2018, eq. 3: penalty_j = r_S(j) / 2; CSLS = 2 score −
                          * r_T(i), and r_T(i) does not change the order of i's answers */
    IG_RETRIEVE_N
} ig_retrieve_method;
extern const char *const ig_retrieve_method_names[]; /* nn softmax csls, NULL */

typedef struct {
    ig_retrieve_method method;
    int k;       /* CSLS's neighbours */
    double beta; /* inverse temperature of the softmax */
} ig_retrieve_criterion;

/* penalty[n of candidate], from all sources. */
ig_code ig_retrieve_penalty(float *penalty, ig_retrieve_criterion by,
                            const ig_retrieve_side *source, const ig_retrieve_side *candidate,
                            ig_vector_work with, ig_err *err);

/* out[n of a, n of b]: all inner products. */
ig_code ig_retrieve_products(float *out, const ig_retrieve_side *a, const ig_retrieve_side *b,
                             ig_vector_work with, ig_err *err);
/* out[i]: the inner product of vector i of a and vector i of b, of n both, with the bits that it
 * has in a search. */
ig_code ig_retrieve_pairs(float *out, const ig_retrieve_side *a, const ig_retrieve_side *b,
                          ig_vector_work with, ig_err *err);

/* The right answers of query i are the numbers right[start[i]] .. right[start[i + 1] − 1] of
 * candidates, at least one. penalty as above, or NULL: 0. */
typedef struct {
    const int64_t *start;
    const int32_t *right;
    const float *penalty;
} ig_retrieve_gold;

/* rank[i]: how many candidates come before the best right answer of query i (0: it is the first).
 */
ig_code ig_retrieve_rank(int64_t *rank, const ig_retrieve_side *query,
                         const ig_retrieve_side *candidate, const ig_retrieve_gold *gold,
                         ig_vector_work with, ig_err *err);
