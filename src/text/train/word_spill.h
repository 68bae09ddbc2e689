/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of more distinct words than memory shall hold: tables go to temporary files, sorted, and
 * are added up from there.
 */
#pragma once

#include "text/train/word_table.h"

#include <stdio.h>

/* Zeroed memory is an empty one. The files have no name and go with the process. */
typedef struct {
    FILE **run;
    int64_t n, have;
} ig_word_spill;

/* Writes the words of n tables to a file of their own; the tables become empty. */
ig_code ig_word_spill_add(ig_word_spill *s, ig_word_table *const *table, int n, ig_err *err);
/* The `most` words with the largest counts over all files, ties by bytes, into the empty table
 * *out, in the order of their bytes; *n_type: how many there are in all. */
ig_code ig_word_spill_take(ig_word_spill *s, ig_word_table *out, int64_t most, int64_t *n_type,
                           ig_err *err);
void ig_word_spill_free(ig_word_spill *s);
