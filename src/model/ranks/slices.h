/* SPDX-License-Identifier: Apache-2.0
 *
 * Divides a model's block of parameters over the ranks: each adds up the gradient of its slice, has
 * Adam's moments of it and updates it.
 */
#pragma once

#include "isoglot/bert.h"

/* Work on parameters is cut into pieces of one tensor each with so many floats at most: four arrays
 * of a piece fit an L2 cache. Slices begin where a piece does. */
enum { IG_PIECE = 1 << 15 };

/* Rank r has the floats bound[r] .. bound[r + 1] − 1; bound[n + 1]. */
void ig_slices_make(int64_t *bound, int n, const ig_bert *model);
