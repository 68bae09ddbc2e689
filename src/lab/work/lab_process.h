/* SPDX-License-Identifier: Apache-2.0
 *
 * Work in a process of its own: forked, silent, watched through shared memory. It dies with the
 * process that started it; SIGTERM requests it to save and stop, and a Ctrl-C at the terminal,
 * which reaches every process of the group, is handled by the one that started it.
 */
#pragma once

#include "isoglot/error.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The estimate of a run or a fine-tuning. */
typedef struct {
    int64_t n_parameter, memory, device_memory; /* device: of a GPU; 0: none is used */
    double seconds;                             /* all of it, with measuring */
    char no_mu[400]; /* why μ cannot be computed; "": it can, or is not requested */
} ig_lab_cost;

/* Progress of a child. The last four are written before it ends. */
typedef struct {
    _Atomic int claimed; /* 1: it has started new work, 2: it has resumed work */
    _Atomic int64_t step, n_step;
    _Atomic double loss, tokens_per_second;
    _Atomic double train_seconds; /* spent in updates by this process */
    _Atomic int64_t first_step;   /* that this process began with */
    char task[24];                /* key of what it is fine-tuned for; "": nothing */
    bool ended;                   /* by itself, not by a signal */
    int outcome;                  /* the work's own; 0 */
    ig_lab_cost cost;             /* of work that is timed */
    ig_err err;
} ig_lab_slot;

/* Fills the slot's outcome and returns as everything does; `stop` becomes non-zero when it shall.
 * `slot` is the first of several; it fills in the others itself, with `err` and `ended`. */
typedef ig_code ig_lab_child_fn(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                                ig_err *err);

typedef struct {
    pid_t pid;         /* 0: none */
    ig_lab_slot *slot; /* [n] of what it works on */
    int n;
    int said; /* what it wrote on stdout and stderr, which is shown only when it crashed */
    double start;
} ig_lab_process;

/* Starts fn(arg) in a child, with n slots. The calling process must have no other threads. */
ig_code ig_lab_process_start(ig_lab_process *p, int n, ig_lab_child_fn *fn, void *arg, ig_err *err);
/* Returns whether it has ended (`wait`: waits for that). Then p->slot is still readable, until
 * _close; *killed is the signal that ended it, 0: none, and err is filled in for it in the slots
 * whose work has not ended. */
bool ig_lab_process_ended(ig_lab_process *p, bool wait, int *killed);
void ig_lab_process_signal(const ig_lab_process *p, int signal_number);
/* Kills it if it is still there. Safe on a zeroed one. */
void ig_lab_process_close(ig_lab_process *p);
