/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a run's folder: its settings, its corpora, the model of a checkpoint. Nothing in the
 * run's folder is made or changed.
 */
#pragma once

#include "run/data/setup.h"

/* The folder of the run that `dir` is, or is a checkpoint of (DIR/checkpoints/step-…, DIR/model).
 */
ig_code ig_run_find(char run[IG_PATH], const char *dir, ig_err *err);
/* Returns the update in a checkpoint's name, following links; −1: it has none. */
int64_t ig_run_model_step(const char *model);

typedef struct {
    char run[IG_PATH], model_path[IG_PATH];
    int64_t step; /* −1: the model's name does not say */
    ig_run_config config;
    ig_setup setup;
    ig_bert *model;
} ig_open_run;

/* Opens a run with its model of update `step`; −1: the model that `dir` is, or the run's newest.
 * Incomplete data are IG_ERR_INPUT. Freed with ig_open_run_close, also after an error. */
ig_code ig_open_run_open(ig_open_run *o, const char *dir, int64_t step, ig_err *err);
/* Opens a run without its model. */
ig_code ig_open_run_corpora(ig_open_run *o, const char *dir, ig_err *err);
void ig_open_run_close(ig_open_run *o);
