/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of pairs of ids: alignments, dictionaries.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* Sorts n pairs, [n, 2], by the first id, then by the second, and leaves each once; returns how
 * many that are. */
int64_t ig_id_pairs_unique(int32_t *pairs, int64_t n);
/* The different ids of a side (0, 1), ascending, in *id [*n_id], the caller's; in the pairs are
 * their places in this list then. */
ig_code ig_id_pairs_number(int32_t **id, int64_t *n_id, int32_t *pairs, int64_t n, int side,
                           ig_err *err);
