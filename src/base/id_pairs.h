/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of pairs of ids: alignments, dictionaries.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Sorts n pairs, [n, 2], by the first id, then by the second, and removes duplicates; returns how
 * many are left. */
int64_t ig_id_pairs_unique(int32_t *pairs, int64_t n);
/* Writes the different ids of a side (0, 1), ascending, to *id [*n_id], the caller's, and replaces
 * those in the pairs by their indices in it. */
ig_code ig_id_pairs_number(int32_t **id, int64_t *n_id, int32_t *pairs, int64_t n, int side,
                           ig_err *err);
