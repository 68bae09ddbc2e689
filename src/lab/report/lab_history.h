/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the commits that made results can be found again: results that are committed beside an
 * experiment name the program that made them.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *commits;                 /* of the history, a line each; NULL: not known */
    int64_t n_changed;             /* runs of a program with changes that were not committed */
    int64_t n_unknown;             /* runs of commits that are not in the history */
    char changed[48], unknown[48]; /* the first of each */
} ig_lab_history;

/* The history of the repository that holds a file. It is not known where that is no repository, or
 * not the program's own, and where there is no git. Freed with ig_lab_history_free. */
ig_code ig_lab_history_read(ig_lab_history *h, const char *path, ig_err *err);
void ig_lab_history_free(ig_lab_history *h);
/* Counts a run by its manifest, JSON; NULL: it has none. */
void ig_lab_history_see(ig_lab_history *h, const char *manifest);
/* Warns of what was counted. */
void ig_lab_history_warn(const ig_lab_history *h, const char *experiment);
