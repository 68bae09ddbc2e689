/* SPDX-License-Identifier: Apache-2.0
 *
 * A kind of work: how the laboratory makes a run once it has the run's folder, and what it reads
 * from the finished folder. Scheduling, locks, failures, retries and the store are independent of
 * the kind; another kind is another table. Fine-tuning is a part of a run: lab_tasks.h.
 */
#pragma once

#include "lab/runs/lab_list.h"
#include "lab/work/lab_process.h"

#include <jansson.h>

/* A run that is to be made. */
typedef struct {
    const ig_experiment *experiment;
    const ig_lab_item *item;
    const char *store;
    ig_hash_cache *cache;
    int threads;
    const char *device; /* NULL: the CPU */
    int together;       /* runs in this process */
    double save_seconds;
    bool retry;
    double retry_before; /* seconds since 1970: a failure of then or later is not tried again */
} ig_lab_job;

/* A run that this process has locked. */
typedef struct {
    const ig_lab_job *job;
    ig_run_config config; /* .out is the folder, .threads as many as it shall use */
    int lock;
    const volatile sig_atomic_t *stop;
    ig_lab_slot *slot;
} ig_lab_work;

typedef struct {
    const char *name;
    /* A short calibration on this machine. `data`: a folder for what it prepares, or with what was
     * prepared already. */
    ig_code (*time)(ig_lab_cost *cost, const ig_run_config *c, const ig_measure_plan *plan,
                    const char *data, ig_err *err);
    /* In the run's own process: starts or resumes the run, reports to the slot, and writes
     * everything except manifest.json and DONE. */
    ig_code (*work)(const ig_lab_work *w, json_t **manifest, ig_err *err);
} ig_lab_kind;

extern const ig_lab_kind ig_lab_pretrain, ig_lab_embed;
const ig_lab_kind *ig_lab_kind_of(const ig_run_config *c);

/* The child's part: lock, state of the folder, work, manifest, DONE or failed.json. Outcomes are
 * written into the slot. */
typedef enum {
    IG_LAB_OUT_DONE,
    IG_LAB_OUT_FAILED,
    IG_LAB_OUT_STOPPED,
    IG_LAB_OUT_NO_ROOM, /* the disk is full, which is no fault of the run */
    IG_LAB_OUT_BUSY,    /* another process works on it */
    IG_LAB_OUT_WAS_DONE,
    IG_LAB_OUT_WAS_FAILED
} ig_lab_outcome;

ig_code ig_lab_child(void *job, ig_lab_slot *slot, const volatile sig_atomic_t *stop, ig_err *err);

/* Runs of one shape, or a single one. Several train together on a GPU, each in a thread whose
 * kernels share launches with the others' (model/device/cuda/queue.h): each comes to the bits that
 * it has alone. One slot for each. */
typedef struct {
    ig_lab_job *job;
    int n;
} ig_lab_group;
ig_code ig_lab_children(void *group, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                        ig_err *err);
