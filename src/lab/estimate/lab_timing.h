/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that is timed for a dry run: in as many processes at once as there will be jobs, since they
 * share the memory's bandwidth, and given up when the answer is due.
 */
#ifndef IG_LAB_ESTIMATE_LAB_TIMING_H
#define IG_LAB_ESTIMATE_LAB_TIMING_H

#include "lab/work/lab_process.h"

typedef struct {
    double begun;
    double answer_seconds; /* 0: all is timed */
    const volatile sig_atomic_t *stop;
} ig_lab_clock;

/* Whether `share` of the time for an answer is over. */
bool ig_lab_late(const ig_lab_clock *c, double share);
/* Waits a little; IG_ERR_STOPPED: on request. */
ig_code ig_lab_nap(const ig_lab_clock *c, ig_err *err);

/* What the processes said in their slots: number[0] seconds, number[1] bytes, number[2] parameters.
 */
typedef struct {
    bool in_time;   /* all ended before the answer was due */
    double seconds; /* the mean */
    int64_t memory, n_parameter;
    char said[IG_LAB_SAID];
    ig_err why; /* of the first that failed */
} ig_lab_timed;
ig_code ig_lab_time_at_once(ig_lab_timed *out, ig_lab_child_fn *fn, void *arg, int jobs,
                            const ig_lab_clock *clock, ig_err *err);

#endif
