/* SPDX-License-Identifier: Apache-2.0
 *
 * What --dry-run expected of an experiment, kept until the run that it was about has ended and can
 * be compared with it. A dry run writes nothing below the store, so this lies in the user's cache:
 * $XDG_CACHE_HOME/isoglot, else $HOME/.cache/isoglot. It is only ever a remark at the end of a run:
 * where it cannot be kept or read, nothing is said.
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
/* Seconds that were kept for just this; NaN: none were. */
double ig_lab_foretold_find(const ig_lab_foretold *f);
