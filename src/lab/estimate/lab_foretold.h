/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of --dry-run for an experiment, kept until that run has ended and can be compared
 * with it. A dry run writes nothing below the store, so this is in the user's cache:
 * $XDG_CACHE_HOME/isoglot, else $HOME/.cache/isoglot. It is only used for a remark at the end of a
 * run: failures to keep or read it are ignored.
 */
#pragma once

#include "lab/runs/lab_list.h"

/* The runs of a list that are missing, by as many jobs of as many threads, in a store. */
typedef struct {
    const char *store;
    const ig_measure_plan *plan; /* whose tasks they are fine-tuned for */
    const ig_lab_list *list;
    const bool *missing; /* [list->n] */
    int jobs, threads;
} ig_lab_foretold;

void ig_lab_foretold_keep(const ig_lab_foretold *f, double seconds);
/* Returns the seconds that were kept for exactly this; NaN: none. */
double ig_lab_foretold_find(const ig_lab_foretold *f);
