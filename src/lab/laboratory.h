/* SPDX-License-Identifier: Apache-2.0
 *
 * Running an experiment: which runs are missing, in which order, by which process. A run's folder
 * is the claim to it (its lock), its log and its result (measures.jsonl, then manifest.json, then
 * DONE), so any number of processes on any number of machines may work on one store at once, and a
 * process that is killed leaves only a run to be resumed.
 */
#pragma once

#include "lab/runs/lab_list.h"
#include "store/row.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>

typedef struct {
    int n_run, n_done, n_failed, n_running,
        n_elsewhere;      /* elsewhere: another process works on it */
    double seconds, left; /* left: estimate; NaN: not yet known */
    struct {
        const char *cell;
        int64_t seed, step, n_step;
        double loss, tokens_per_second;
    } running[64];
} ig_lab_progress;

/* Events of a run. */
typedef enum {
    IG_LAB_BEGUN,
    IG_LAB_RESUMED,
    IG_LAB_DONE,
    IG_LAB_FAILED,
    IG_LAB_STOPPED,
    IG_LAB_KILLED,    /* from outside; it is tried again */
    IG_LAB_ELSEWHERE, /* finished by another process */
    IG_LAB_NO_MU      /* begins, and its μ cannot be computed: once for each cell */
} ig_lab_event_kind;
typedef struct {
    ig_lab_event_kind kind;
    const char *cell;
    int64_t seed;
    const char *address, *message; /* message: of FAILED and KILLED; of NO_MU why; of DONE what is
                                      to be known (a degenerate mapping); else "" */
    double seconds;                /* that this process spent on it */
} ig_lab_event;

typedef struct {
    const char *store;    /* folder */
    const char *selector; /* NULL: all */
    int jobs; /* runs at once; 0: processors / threads; on a GPU of one shape, 0: as many as fit */
    int threads; /* of a run; 0: processors / jobs; both 0: as many jobs as processors, one thread
                    each */
    const char *device; /* of runs, as ig_device_choose; NULL: the CPU */
    double max_time;    /* seconds after which runs save and stop; 0: none */
    bool retry;         /* failed runs again */
    bool worker;        /* no store.sqlite: one of many machines */
    double save_every;  /* seconds between checkpoints of a run; 0: only when it stops, and at its
                           end */
    double answer_seconds; /* of a dry run: what is not timed by then is estimated by operations;
                              0: all is timed */
    const volatile sig_atomic_t *stop;
    void (*event)(void *arg, const ig_lab_event *e); /* may be NULL */
    /* Called on every change and about twice a second; may be NULL. */
    void (*progress)(void *arg, const ig_lab_progress *p);
    void *arg;
} ig_lab_options;

static inline bool ig_lab_on_gpu(const ig_lab_options *o)
{
    return o->device != NULL && strncmp(o->device, "cuda", 4) == 0;
}

typedef struct {
    int n_run, n_done, n_failed, n_missing,
        n_skipped; /* skipped: cells that need what is not here */
    bool stopped;
    double seconds;
    /* Estimated time of all, as it was `estimated_after` seconds after the start, from the first
     * updates of the runs; NaN if it ended before an estimate was possible. */
    double estimated, estimated_after;
} ig_lab_result;

/* Runs what is missing. A failed run does not stop the others and is IG_ERR_OK here (see n_failed);
 * IG_ERR_STOPPED after a signal or max_time, with all running ones saved. */
ig_code ig_lab_run(ig_lab_result *r, const ig_experiment *e, const ig_lab_options *o, ig_err *err);

/* The runs that would be made, and their time: recorded seconds of finished runs of the same shape,
 * else a short calibration of it (lab/estimate/cost.h). */
typedef struct {
    int n_cell, n_run, n_done, n_failed, n_skipped;
    int64_t largest_parameters, memory; /* memory: of all jobs at once, bytes */
    int64_t device_memory;        /* of a GPU, of the largest run, bytes; 0: no GPU, or not known */
    double core_seconds, seconds; /* of what is missing, all jobs at once */
    int n_tuning;                 /* fine-tunings that are missing */
    double tuning_core_seconds;   /* theirs of these */
    double operations;            /* floating-point operations of what is missing */
    int jobs, threads;            /* as resolved */
    int n_recorded;               /* finished runs of the same shapes, whose seconds are used */
    int n_shape;                  /* distinct shapes that were timed */
    /* The first shapes of runs, up to the size of the array: a cell, and why its μ cannot be
     * computed. */
    int n_no_mu;
    struct {
        char cell[80], why[400];
    } no_mu[8];
    int n_untimed;      /* shapes for which there was no time; NaN: nor for others */
    int n_impossible;   /* runs that are expected to fail, … */
    char problem[1024]; /* … and why the first of them will: "cell: message" */
    ig_err why;         /* the same, at the line of the file */
} ig_lab_plan;
ig_code ig_lab_dry(ig_lab_plan *p, const ig_experiment *e, const ig_lab_options *o, ig_err *err);

/* All runs of the experiment in file order; freed with ig_free. Where the texts are not there, the
 * runs that the store knows. */
ig_code ig_lab_status(ig_lab_state **state, int *n, const ig_experiment *e, const char *store,
                      ig_err *err);

/* Returns whether a run may still become done without anybody's help. */
bool ig_lab_may_finish(const ig_experiment *e, const ig_lab_state *s, int n);

/* Brings STORE/store.sqlite up to date with the folders of this experiment (cells, finished and
 * failed runs, metrics). `rebuild`: reads all folders again. */
ig_code ig_lab_collect(ig_store *s, const ig_experiment *e, const char *store, bool rebuild,
                       ig_err *err);

/* Reads the runs that the store knows of the experiment, *n of them: for machines without the
 * texts, where no address can be computed. */
ig_code ig_lab_collect_known(int *n, ig_store *s, const ig_experiment *e, const char *store,
                             ig_err *err);
/* Removes files of killed processes that nobody will resume from a store (lab/runs/lab_clean.h);
 * from the runs of `e` (may be NULL) also unfinished fine-tunings that it does not request. */
ig_code ig_lab_clean(int64_t *n, const ig_experiment *e, const char *store, ig_err *err);
typedef struct {
    int64_t n_run, n_unfinished; /* runs that are finished and were looked at; those that are not */
    int64_t n_data, n_file;      /* folders of data; files compared */
    json_t *damaged;             /* [{"path": below the store, "message": what is wrong}] */
} ig_store_verified;
/* Compares every file of every finished run, and the data that runs share, with their hashes, and
 * the index of the store with each run's folder; rows that the next report makes again are not
 * compared. Damage is no error here: it is in r->damaged, freed with json_decref, also after an
 * error. IG_ERR_IO where the store is no folder. */
ig_code ig_lab_verify(ig_store_verified *r, const char *store, ig_err *err);

/* Fills in what is 0 (see ig_lab_options) for runs of so many ranks, each of which has the threads;
 * no more jobs than runs that are missing, and then more threads for each. */
enum { IG_LAB_TOGETHER = 64 }; /* runs that train together on a GPU at most */
typedef struct {
    int ranks, n_missing;
    bool gpu;
} ig_lab_asked;
void ig_lab_jobs(int *jobs, int *threads, const ig_lab_asked *a);
/* The most ranks of a cell. */
int ig_lab_ranks(const ig_experiment *e);
