/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates of the time that the runs of a list will take, from finished runs and the first
 * updates of running ones. Runs of one shape take equally long; an unknown shape is estimated from
 * the others by weight. A run that was trained before, and needs only fine-tunings, has a shape of
 * its own.
 */
#pragma once

#include "lab/work/lab_kind.h"

typedef struct {
    int n, n_shape;
    int *shape;     /* [n] of each run */
    double *weight; /* [n] of its training */
    double *tuning; /* [n] of its fine-tunings, in the same unit */
    bool *trained;  /* [n] before: its fine-tunings are all that it will take */
    /* [n_shape] of whole runs: sum and number; of running ones: sums of this moment */
    double *finished, *running;
    int *n_finished, *n_running;
} ig_lab_estimate;

/* trained: [l->n] or NULL: none was. */
ig_code ig_lab_estimate_new(ig_lab_estimate *t, const ig_lab_list *l, const ig_experiment *e,
                            const bool *trained, ig_err *err);
void ig_lab_estimate_free(ig_lab_estimate *t);

/* Records that a run was started, or only fine-tuned after an earlier training, and finished in so
 * many seconds. */
void ig_lab_estimate_finished(ig_lab_estimate *t, int i, double seconds);
/* Removes the running ones, before they are reported again. */
void ig_lab_estimate_clear(ig_lab_estimate *t);
/* Returns the seconds that remain of a running one; NaN: unknown yet. */
double ig_lab_estimate_running(ig_lab_estimate *t, int i, const ig_lab_slot *slot, double elapsed,
                               const ig_measure_plan *plan);
/* All of a run; NaN: nothing is known of any. */
double ig_lab_estimate_whole(const ig_lab_estimate *t, int i);

/* Seconds that what is missing, stopped or running will take, as many at once as run now (one,
 * where none does); NaN: nothing is known yet. Runs that failed, or need what is not here, do not
 * count. */
ig_code ig_lab_time_left(double *seconds, const ig_lab_state *s, int n, const ig_experiment *e,
                         ig_err *err);
