/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of pairs of ids: alignments, dictionaries.
 */
#pragma once

#include <stdint.h>

/* Sorts n pairs, [n, 2], by the first id, then by the second, and leaves each once; returns how
 * many that are. */
int64_t ig_id_pairs_unique(int32_t *pairs, int64_t n);
