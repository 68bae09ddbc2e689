/* SPDX-License-Identifier: Apache-2.0
 *
 * The view of a map that its diagnosis uses: the first words of two spaces, their nearest
 * neighbours, and how far pairs of words are alike within their languages.
 */
#pragma once

#include "embed/induce/map_induce.h"
#include "embed/map/map_linear.h"

/* Two spaces with rows of unit length, what an induction found in them, and the mutual pairs. */
typedef struct {
    ig_map_spaces s;
    float *rows; /* of both */
    ig_induce induce;
    ig_map_pairs pairs;
} ig_map_view;

/* Copies of the first n and m rows, made of unit length. Freed with ig_map_view_free, also after an
 * error. */
ig_code ig_map_view_new(ig_map_view *v, const ig_map_spaces *s, int64_t n, int64_t m, int k,
                        ig_err *err);
void ig_map_view_free(ig_map_view *v);

/* Finds the nearest words, and appends the mutual pairs to v's pairs. */
ig_code ig_map_view_induce(ig_map_view *v, ig_err *err);

/* Correlation of cosines within the source with those of the partners within the target, over
 * random pairs of the mutual pairs; NaN for fewer than three. */
ig_code ig_map_view_relational(double *out, const ig_map_view *v, uint64_t seed, ig_err *err);
