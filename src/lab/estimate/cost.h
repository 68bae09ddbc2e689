/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the runs of an experiment take: the recorded seconds of finished runs of the same
 * shape, else of the first updates of running ones, else operations at the rate of the runs that
 * are known. A shape is what decides time and memory: runs that differ in seeds, rates or switches
 * that cost nothing have one shape. A run that was trained before, and needs only fine-tunings, has
 * a shape of its own.
 */
#pragma once

#include "lab/work/lab_kind.h"

/* Operations a second of one core where no run is known: a laptop's. */
#define IG_COST_RATE 100e9

typedef struct {
    int first;                /* run of this shape */
    double operations;        /* of one run, as far as it is to be done */
    double finished, running; /* sums of seconds; running: as they look at this moment */
    int n_finished, n_running;
} ig_cost_shape;

typedef struct {
    int n, n_shape;
    int *shape;                 /* [n] of each run */
    double *train, *tune;       /* [n] operations of its training and of its fine-tunings */
    bool *trained;              /* [n] before: its fine-tunings are all that it will take */
    ig_cost_shape *of;          /* [n_shape] */
    double seconds, operations; /* of other work that is known */
    double few_seconds,
        few_operations; /* of trainings that are far smaller than their fine-tunings */
} ig_costs;

/* trained: [l->n] or NULL: none was. */
ig_code ig_costs_new(ig_costs *c, const ig_lab_list *l, const ig_experiment *e, const bool *trained,
                     ig_err *err);
void ig_costs_free(ig_costs *c);

/* Records that a run was started, or only fine-tuned after an earlier training, and finished in so
 * many seconds. */
void ig_costs_finished(ig_costs *c, int i, double seconds);
/* Records the training alone of a run; its fine-tunings follow by operations, unless they are so
 * much longer that it says nothing of them. */
void ig_costs_training(ig_costs *c, int i, double seconds);
/* Removes the running ones, before they are reported again. */
void ig_costs_clear(ig_costs *c);
/* Returns the seconds that remain of a running one; NaN: unknown yet. */
double ig_costs_running(ig_costs *c, int i, const ig_lab_slot *slot, double elapsed,
                        const ig_measure_plan *plan);
/* Seconds of all of a run; NaN: nothing is known of any. */
double ig_costs_whole(const ig_costs *c, int i);
/* The same; where nothing is known, by operations at IG_COST_RATE. */
double ig_costs_guess(const ig_costs *c, int i);

/* Seconds that what is missing, stopped or running will take, as many at once as run now (one,
 * where none does); NaN: nothing is known yet. Runs that failed, or need what is not here, do not
 * count. */
ig_code ig_lab_time_left(double *seconds, const ig_lab_state *s, int n, const ig_experiment *e,
                         ig_err *err);
