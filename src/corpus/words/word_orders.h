/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of n positions, for transforms of words and of pieces. order[to] = from: the element at
 * `from` moves to `to`. Each is a permutation of 0..n−1.
 */
#pragma once

#include "base/rng.h"

#include <stddef.h>

void ig_order_invert(int32_t *order, int32_t n);
/* Exchanges two different random positions, ⌊(n − 1) · share⌋ times (K et al. 2020, the first kind
 * of permutation in their program). */
void ig_order_swap(ig_rng *r, double share, int32_t *order, int32_t n);
/* Shuffles ⌊n · share⌋ random positions among themselves (the second kind). work[n]. */
void ig_order_permute(ig_rng *r, double share, int32_t *order, int32_t *work, int32_t n);
/* Sorts by position + U[0, far + 1): nothing moves further than `far` positions (the word noise of
 * Lample et al. 2018). key[n]. */
void ig_order_window(ig_rng *r, int32_t far, int32_t *order, double *key, int32_t n);
