/* SPDX-License-Identifier: Apache-2.0
 *
 * The neighbours that --knn-replace replaces words with (Dufter & Schütze 2020, §4): vectors of
 * the run's own pieces for each language, mapped into one space, and the nearest words of the other
 * languages in it. Each step is kept under its address, the SHA-256 of all that went into it, so
 * that runs with the same text and settings, of whatever seed, share it:
 *
 *   DATA/embed/vectors-… mapped-…          (run/data/knn_space.h)
 *   DATA/embed/neighbours-<address>.near   (corpus/language/neighbour_table.h)
 *   DATA/embed/neighbours-<address>.json   what they are like: share of pieces that have some, and
 *                                          how often the nearest is the gold translation
 *   DATA/embed/lock                        held while something is made
 *   RUN/neighbours                         link to the first; where there is one, it is what the
 *                                          run was trained with, and nothing else is looked at
 */
#pragma once

#include "base/threads/team.h"
#include "corpus/language/neighbour_table.h"
#include "run/run_config.h"

#include <jansson.h>
#include <signal.h>

typedef struct {
    const ig_run_objective *objective;
    const char *run; /* its folder; under its lock */
    const ig_corpus *corpus;
    const char *const *pieces; /* of the whole vocabulary */
    ig_team *team;
    const volatile sig_atomic_t *stop; /* seen while another process makes it; or NULL */
} ig_knn_job;

ig_code ig_knn_table(ig_neighbour_table *out, const ig_knn_job *job, ig_err *err);

/* For the manifest of a run: {"path", "sha256", "made_of": {"vectors-….bin": hash, "mapped-….bin":
 * hash, …}}, the table that RUN/neighbours points at and the vectors that it was made of, as far
 * as they are there. *out is NULL where the run has none. Owned by the caller. */
ig_code ig_knn_json(json_t **out, const char *run, ig_err *err);

/* "neighbours: this mapping is degenerate, because …" where the run's neighbours come from a map
 * that is judged so (embed/judge/map_diagnose.h), else "". text[size]. */
void ig_knn_warning(char *text, size_t size, const char *run);
