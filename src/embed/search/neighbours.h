/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest words of a vector by cosine.
 */
#pragma once

#include "embed/vectors/vectors.h"

typedef struct {
    int32_t word;
    double cosine;
} ig_neighbour;

/* Inserts x among the k nearest, of which *n are filled, best first, after those as near. */
void ig_neighbour_offer(ig_neighbour *best, int *n, int k, ig_neighbour x);

typedef struct {
    const float *vector; /* [d] */
    int k;
    int32_t but; /* a word to leave out; −1: none */
} ig_neighbour_query;
/* Finds the k nearest words to a vector, best first, the earlier word on ties, without words whose
 * vector is zero. out has space for k; *n is their number. */
ig_code ig_neighbours(ig_neighbour *out, int *n, const ig_vectors *v, const ig_neighbour_query *q,
                      ig_err *err);
