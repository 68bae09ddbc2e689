/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranks of a run: processes that a launcher of MPI has started together, on one machine or
 * many. Rank 0 runs the program: it reads, writes and decides; the others serve it, each with a
 * model in memory, and compute what it calls for. A process that no launcher has started is alone,
 * and nothing of MPI is loaded.
 *
 * Every rank is watched (lifeline.h): one that is lost ends the others within seconds.
 */
#pragma once

#include "base/ranks/mpi_table.h"
#include "base/ranks/wire.h"
#include "isoglot/error.h"

#include <stdbool.h>

/* Returns whether a launcher has started this process as one of several; by the environment alone.
 */
bool ig_ranks_launched(void);
/* Its number by the environment; 0 where it is alone. */
int ig_ranks_launched_as(void);

/* Lists what must be the same in all ranks: lines of "name\tvalue", each name once. One that begins
 * so may be lacking. */
#define IG_RANKS_MAY_LACK "bytes of "
typedef struct {
    const char *kernels;  /* of products in float32, and in bfloat16 */
    const char *settings; /* a line each */
} ig_ranks_same;

/* Joins the others, where there are some. IG_ERR_USAGE names a rank whose build, CPU kernels or
 * settings are not those of rank 0, and what differs; in rank 0 alone, and the others end. */
ig_code ig_ranks_join(const ig_ranks_same *same, ig_err *err);
/* Starts n − 1 others, this program with `arguments` (at most 6, NULL-terminated), and joins them;
 * each calls ig_ranks_join_starter. For a process that no launcher has started. */
ig_code ig_ranks_start(char *const *arguments, int n, const ig_ranks_same *same, ig_err *err);
ig_code ig_ranks_join_starter(const ig_ranks_same *same, ig_err *err);
/* All ranks leave: after the last call, in order; after an error in the middle of one, at once.
 * The code is that of the others' exit. */
void ig_ranks_leave(ig_code code);
/* A rank that serves ends for an error, which rank 0 reports. Does not return. */
void ig_ranks_fail(const ig_err *err);

/* 1 and 0 where this process is alone. */
int ig_ranks_n(void);
int ig_ranks_self(void);
/* Threads of this process where `asked` (0: all processors) are requested: ranks that may all run
 * on the same processors share them. */
int ig_ranks_threads(int asked);
/* "Open MPI v4.1.4"; "" where it is alone. */
const char *ig_ranks_library(void);

/* Rank 0: calls the others for what has the number `what`, and sends the message. Between this and
 * ig_ranks_called all ranks work together. */
void ig_ranks_call(int what, const ig_wire *w);
void ig_ranks_called(void);
/* The others: waits for the next call and receives its message. */
ig_code ig_ranks_serve(int *what, ig_wire *w, ig_err *err);

/* All transfers at once; returns when they are done. */
void ig_ranks_exchange(const ig_transfer *t, int n);
/* Rank 0's bytes to all. */
void ig_ranks_to_all(void *at, int64_t bytes);

/* The part of 0 .. n − 1 that a rank has: from .. to − 1. Rank 0 has the first, of one or more. */
typedef struct {
    int from, to;
} ig_rank_part;
ig_rank_part ig_ranks_part(int n, int rank);
