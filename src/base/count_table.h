/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts by 64-bit key. Two keys are two different things.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    uint64_t key; /* never 0 once used */
    int64_t count;
    int64_t number; /* in the order of first sight, from 1 */
} ig_count_entry;
typedef struct {
    ig_count_entry *e; /* freed with ig_free */
    int64_t n, have;   /* have: a power of two */
} ig_count_table;

/* One more of a key ≠ 0; its number into *number (may be NULL). */
ig_code ig_count_add(ig_count_table *t, uint64_t key, int64_t *number, ig_err *err);
/* Moves the entries to the front, most frequent first, ties by key; returns their number. Ends
 * counting. */
int64_t ig_count_sort(ig_count_table *t);
