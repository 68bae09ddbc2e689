/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest words of a vector by cosine.
 */
#pragma once

#include "base/threads/team.h"
#include "embed/vectors/vectors.h"

typedef struct {
    int32_t word;
    double cosine;
} ig_neighbour;

/* The k nearest words to query[d], best first, the earlier word on ties; `but` (−1: none) is left
 * out, and so are words whose vector is zero. out has room for k; *n is their number. */
ig_code ig_neighbours(ig_neighbour *out, int *n, int k, const ig_vectors *v, const float *query,
                      int32_t but, ig_team *team, ig_err *err);
