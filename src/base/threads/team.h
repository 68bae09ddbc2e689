/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of threads that processes numbered tasks. Work is divided into tasks by its shape only,
 * never by the number of threads; tasks of one call are independent and write to different memory,
 * so any thread may process any task, and any number of threads gives the same bits. A team also
 * works in a child of fork, with threads of its own.
 */
#pragma once

#include "isoglot/error.h"

#include <stdint.h>

typedef struct ig_team ig_team;

/* i_thread is 0 .. size-1: for scratch memory of the thread, never for results. */
typedef void ig_task_fn(void *arg, int64_t i_task, int i_thread);

/* n_thread ≥ 1 (0: as many as this process may use). The caller is thread 0; freed with
 * ig_team_free. */
ig_code ig_team_new(ig_team **out, int n_thread, ig_err *err);
void ig_team_free(ig_team *team);

/* 1 for a NULL team. */
int ig_team_size(const ig_team *team);

/* Runs fn for the tasks 0 .. n_task-1 and returns when all are done. Tasks are claimed in order
 * from an atomic counter. A NULL team runs them in the caller. Calls do not nest. */
void ig_team_for(ig_team *team, int64_t n_task, ig_task_fn *fn, void *arg);

/* Returns the number of processors this process may run on (affinity), ≥ 1. */
int ig_cpu_count(void);
