/* SPDX-License-Identifier: Apache-2.0
 *
 * A task of an experiment: the task that the trained model of each cell is fine-tuned for, how,
 * and with which seeds (`tasks:` of an experiment file).
 */
#pragma once

#include "corpus/world/world_task.h"
#include "finetune/input/finetune_config.h"
#include "run/measure/measure_plan.h"

/* Seeds of a fine-tuning; ways of fine-tuning for one task. */
enum { IG_EXPERIMENT_TUNINGS = 32, IG_EXPERIMENT_GRID = 64, IG_EXPERIMENT_WAY = 48 };

/* One way of fine-tuning for a task: a point of the grid that lists of values span. */
typedef struct {
    char name[IG_EXPERIMENT_WAY]; /* "lr=1e-5/batch=16"; "": there is no other */
    ig_finetune_config config;    /* settings of the file; model, task, out and seed are not set */
    unsigned char given[IG_OPTION_MAX];
    /* Of an `edit` that names files: the edit with the paths that are read (NULL: it names none),
     * and the files whose bytes count. */
    char *edit, **edit_file;
    int n_edit_file;
    /* Hash of the task's files and the settings, without the seeds; "": files cannot be read. */
    char key[IG_MEASURE_TEXT_KEY];
} ig_experiment_tuning;

typedef struct {
    char name[IG_MEASURE_TEXT_NAME];
    char *file;                  /* TASK.yaml; NULL: of the run's own world, … */
    const char *root;            /* below which its files may lie; borrowed */
    ig_world_task_options world; /* … these examples */
    ig_experiment_tuning *tuning;
    int n_tuning;
    int64_t seed[IG_EXPERIMENT_TUNINGS];
    int n_seed;
} ig_experiment_task;

void ig_experiment_task_free(ig_experiment_task *t);
