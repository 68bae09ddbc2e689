/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that are shifted: sentence i of one text is nearest to sentence i + k of the other, from
 * some line on.
 */
#pragma once

#include "evaluate/card/card_vectors.h"

/* Keeps the answers of the layer at which most agree on one distance. answer[0][i] is the nearest
 * to sentence i of the first side, answer[1][i] that of the second; n: of each side. */
ig_code ig_shift_take(ig_diagnose_pair *p, const int64_t n[2], const int32_t *const answer[2],
                      ig_err *err);
/* The same of two texts of different numbers of sentences, at all layers. */
ig_code ig_shift_search(const ig_card_job *j, int pair, ig_err *err);

typedef struct {
    int64_t by;               /* sentence i belongs to i + by of the other text; 0: none is found */
    int64_t from;             /* from this sentence of the first text on, from 0 */
    int64_t n, right, before; /* sentences from there on; found at that distance, and at 0 */
    double p; /* of as many, if neither distance were better, for all distances and begins */
} ig_shift;
ig_code ig_shift_find(ig_shift *out, const ig_diagnose_pair *p, const int64_t n[2], ig_err *err);
