/* SPDX-License-Identifier: Apache-2.0
 *
 * The second stage of a dry run: the fine-tunings that are missing, and what they would take. Each
 * way of fine-tuning is timed once for each shape of run, on the model of a finished run, or on an
 * untrained one, which takes as long.
 */
#ifndef IG_LAB_ESTIMATE_LAB_DRY_TUNING_H
#define IG_LAB_ESTIMATE_LAB_DRY_TUNING_H

#include "lab/estimate/lab_timing.h"
#include "lab/runs/lab_list.h"

/* A shape of runs. */
typedef struct {
    const ig_run_config *config;
    const char *data;   /* of the untrained model; NULL: not there */
    const char *folder; /* of a finished run; NULL: there is none */
    double rate;        /* seconds by weight (lab_kind.h); NaN: not known */
} ig_lab_tuned_shape;

/* The ways of fine-tuning for the tasks of an experiment, one after the other. */
typedef struct {
    const ig_experiment *experiment;
    ig_lab_clock clock;
    const char *scratch; /* a folder that is thrown away */
    int jobs;
} ig_lab_dry_tuning;

/* How many of a run's fine-tunings of this way are missing. */
int ig_lab_tunings_missing(const ig_experiment_task *t, const ig_experiment_tuning *way,
                           const char *dir);

/* What a fine-tuning of this way takes. */
typedef struct {
    bool timed;     /* else by weight */
    double seconds; /* NaN: not known */
    int64_t memory, n_parameter;
    ig_err why; /* why it will fail */
} ig_lab_tuning_cost;
ig_code ig_lab_tuning_time(ig_lab_tuning_cost *out, const ig_lab_dry_tuning *d,
                           const ig_lab_tuned_shape *s, const ig_experiment_task *t,
                           const ig_experiment_tuning *way, ig_err *err);

#endif
