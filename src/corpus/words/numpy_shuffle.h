/* SPDX-License-Identifier: Apache-2.0
 *
 * The order that numpy's `default_rng(seed).shuffle` gives a list, so that permutations of programs
 * that use it can be repeated exactly.
 */
#pragma once

#include <stdint.h>

/* order[n]: the element at order[to] moves to `to`. */
void ig_numpy_shuffle(uint64_t seed, int32_t *order, int32_t n);
