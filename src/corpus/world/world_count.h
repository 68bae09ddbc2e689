/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts by 64-bit key, for dictionaries and vocabularies of worlds. Internal to corpus/world_*.
 */
#ifndef IG_CORPUS_WORLD_WORLD_COUNT_H
#define IG_CORPUS_WORLD_WORLD_COUNT_H

#include "isoglot/error.h"

#include <stdint.h>

typedef struct {
    uint64_t key; /* never 0 once used */
    int64_t count;
} ig_world_entry;
typedef struct {
    ig_world_entry *e; /* freed with ig_free */
    int64_t n, have;   /* have: a power of two */
} ig_world_table;

/* One more of a key ≠ 0. */
ig_code ig_world_table_add(ig_world_table *t, uint64_t key, ig_err *err);
/* Moves the entries to the front, most frequent first, ties by key; returns their number. Ends
 * counting. */
int64_t ig_world_table_sort(ig_world_table *t);

#endif
