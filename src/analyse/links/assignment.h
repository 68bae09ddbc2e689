/* SPDX-License-Identifier: Apache-2.0
 *
 * The assignment of rows to columns with the greatest sum: "Match" of Jalili Sabet et al. 2020
 * (maximum-weight matching of the two sentences' words), which gives every word of the shorter
 * sentence a partner.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    double *number; /* working memory of one thread */
    int32_t *index;
    int64_t have_number, have_index;
} ig_assignment_memory;
void ig_assignment_free(ig_assignment_memory *m);

/* at[na, nb], row stride ld, finite. */
typedef struct {
    const float *at;
    int ld;
    int32_t na, nb;
} ig_score_matrix;
/* Writes min(na, nb) pairs (i, j), sorted by i, into pairs; *n
 * is their number. The shorter side is taken in order and the first index wins a tie, so the same
 * matrix gives the same pairs. O(min² · max). */
ig_code ig_assignment(int32_t *pairs, int32_t *n, const ig_score_matrix *sim,
                      ig_assignment_memory *m, ig_err *err);
