/* SPDX-License-Identifier: Apache-2.0
 *
 * The second stage of a dry run: the fine-tunings that are missing, and what they would take. Each
 * way of fine-tuning is timed once for each shape of run, on the model of a finished run, or on an
 * untrained one, which takes as long.
 */
#pragma once

#include "lab/runs/lab_list.h"
#include "lab/work/lab_process.h"

/* Work that is timed: in as many processes at once as there will be jobs, since they share the
 * memory's bandwidth, and given up when the answer is due. */
typedef struct {
    double begun;
    double answer_seconds; /* 0: all is timed */
    const volatile sig_atomic_t *stop;
} ig_lab_clock;

/* Whether `share` of the time for an answer is over. */
bool ig_lab_late(const ig_lab_clock *c, double share);
/* The outcome of a process. */
typedef struct {
    bool in_time; /* it ended before the answer was due */
    ig_lab_cost cost;
    ig_err why; /* code IG_ERR_OK: it did not fail */
} ig_lab_timed;

/* Work fn(arg), n times, with arguments `size` bytes apart (0: the same for all), `jobs` at once;
 * processes that still run when `share` of the time limit is over are stopped. */
typedef struct {
    ig_lab_child_fn *fn;
    void *arg;
    size_t size;
    int n, jobs;
    double share;
} ig_lab_pieces;
ig_code ig_lab_do_all(ig_lab_timed *out, const ig_lab_pieces *w, const ig_lab_clock *clock,
                      ig_err *err);
/* `jobs` times the same: the mean time and the largest memory; .in_time: of all of them; .why: of
 * the first that failed. */
ig_code ig_lab_time_at_once(ig_lab_timed *out, ig_lab_child_fn *fn, void *arg, int jobs,
                            const ig_lab_clock *clock, ig_err *err);

/* A shape of runs. */
typedef struct {
    const ig_run_config *config;
    const char *data;   /* of the untrained model; NULL: not there */
    const char *folder; /* of a finished run; NULL: there is none */
    double rate;        /* seconds by weight (lab_kind.h); NaN: not known */
} ig_lab_tuned_shape;

/* Where fine-tunings are timed. */
typedef struct {
    ig_lab_clock clock;
    const char *scratch; /* a folder that is thrown away */
    int jobs;
} ig_lab_dry_tuning;

/* How many of a run's fine-tunings of this way are missing. */
int ig_lab_tunings_missing(const ig_experiment_task *t, const ig_experiment_tuning *way,
                           const char *dir);

/* Returns the time of a fine-tuning with these settings; if it was not timed (.in_time), its
 * seconds by weight, NaN: unknown. */
ig_code ig_lab_tuning_time(ig_lab_timed *out, const ig_lab_dry_tuning *d,
                           const ig_lab_tuned_shape *s, const ig_experiment_task *t,
                           const ig_experiment_tuning *way, ig_err *err);
