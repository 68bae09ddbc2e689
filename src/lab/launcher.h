/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts the processes that work on an experiment: in this process ("local"), or through a
 * cluster's queue ("slurm"), whose tasks are each an `isoglot run --worker` on a store that all
 * machines see.
 */
#pragma once

#include "lab/laboratory.h"

/* How the same command would be given on another machine. */
typedef struct {
    const char *program;               /* path of isoglot */
    const char *file, *variant, *data; /* of the experiment; variant, data: NULL: none */
    const char *const *set;            /* "key=value" */
    int n_set;
    int array;             /* tasks; 0: as many as runs are missing, at most 1000 */
    const char *arguments; /* more for sbatch: "--partition=cpu --mem=4G"; NULL */
    bool submit;           /* else the script is only written */
} ig_launch;

typedef struct {
    bool here; /* the work was done by this process: `result` is filled in */
    ig_lab_result result;
    int n_task;
    char *script;     /* path of the job script */
    char answer[256]; /* of sbatch; "" if it was not called */
} ig_launched;

typedef struct {
    const char *name, *what;
    ig_code (*launch)(ig_launched *out, const ig_experiment *e, const ig_lab_options *o,
                      const ig_launch *l, ig_err *err);
} ig_launcher;

/* As many as there are names, which, NULL-terminated, are an option's. */
extern const ig_launcher ig_launchers[];
extern const char *const ig_launcher_names[];
void ig_launched_free(ig_launched *l);
