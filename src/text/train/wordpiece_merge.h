/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte-pair merging over counted words (Gage 1994; Sennrich, Haddow, Birch 2016): finds the most
 * frequent pair of neighbours, and replaces it by one symbol.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ig_merger ig_merger;

/* Prepares concatenated words: word i is symbol[start[i] .. start[i + 1]) and occurs count[i]
 * times. The symbols are overwritten; all three arrays are borrowed until ig_merger_free. */
ig_code ig_merger_new(ig_merger **out, int32_t *symbol, const int64_t *start, const int64_t *count,
                      int32_t n_word, ig_err *err);
void ig_merger_free(ig_merger *m);

/* Finds the pair with the highest count, of equal ones that with the smallest (a, b); false if none
 * is left. */
bool ig_merger_best(ig_merger *m, int32_t *a, int32_t *b, int64_t *count);
/* Replaces the best pair, from the left, by `symbol`, which no word may contain yet. Called after
 * _best. */
ig_code ig_merger_apply(ig_merger *m, int32_t symbol, ig_err *err);
