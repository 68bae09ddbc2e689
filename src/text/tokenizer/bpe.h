/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte-pair encoding of words (Sennrich et al. 2016): a list of merges in the order of their
 * ranks, and splitting a word by them.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

/* The neighbouring pieces a and b become `to`. */
typedef struct {
    int32_t a, b, to;
} ig_merge;

/* Zeroed memory is an empty list. */
typedef struct {
    ig_merge *merge; /* by rank */
    int32_t n;
    int64_t have;
    int32_t *slot; /* open addressing by (a, b): rank + 1 */
    int64_t n_slot;
} ig_bpe;

ig_code ig_bpe_add(ig_bpe *b, int32_t from_a, int32_t from_b, int32_t to, ig_err *err);
/* Makes the index; called after the last _add. Of duplicate pairs the last counts. */
ig_code ig_bpe_index(ig_bpe *b, ig_err *err);
void ig_bpe_free(ig_bpe *b);

/* Merges n ids in place: always the pair of the lowest rank, of equal ones the leftmost; returns
 * how many are left. `work` has IG_BPE_WORK(n) bytes. */
#define IG_BPE_WORK(n) (((int64_t)(n) + 1) * 56)
int64_t ig_bpe_run(const ig_bpe *b, int32_t *id, int64_t n, void *work);
