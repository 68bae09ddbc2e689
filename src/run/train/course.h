/* SPDX-License-Identifier: Apache-2.0
 *
 * The course of any training in a folder of its own (apply/folder/run_dir.h): its log, its
 * checkpoints, resuming, stopping. log.jsonl has a line of JSON for each event; it is truncated to
 * its length at the checkpoint, so a resumed log has every line once.
 */
#pragma once

#include "apply/folder/run_dir.h"
#include "train/train_state.h"
#include "train/trainer.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>

/* Freed with ig_course_close. */
typedef struct {
    /* Set by the caller: */
    const char *out;                   /* the folder */
    double max_time;                   /* seconds after which it stops; 0: none */
    const volatile sig_atomic_t *stop; /* NULL: never */
    int64_t log_every;                 /* updates */
    ig_head_kind head;                 /* whose loss is reported */
    int64_t save_every;                /* updates between checkpoints; 0: none by them */
    /* Seconds after which one is due, and no more often than that writing them takes a fiftieth of
     * the time; 0: none by them. */
    double save_seconds;
    ig_run_keep keep; /* with log_spaced checkpoints are due there, too */
    /* Makes model, options (with the source of batches) and all with ig_course_make; `from`: the
     * folder of a checkpoint, NULL: they are new. */
    ig_code (*build)(void *arg, const char *from, ig_err *err);
    /* Writes the model, and what is with it, into a checkpoint's folder. */
    ig_code (*write)(void *arg, const char *dir, ig_err *err);
    void *arg;
    /* The model and its trainer: */
    ig_bert *model;
    ig_engine *engine;
    ig_trainer *trainer;
    ig_trainer_options options;
    ig_train_state state;
    double started;          /* clock before the first update */
    double saved_at, saving; /* clock at the end of the last checkpoint; seconds that it took */
    FILE *log;
    char log_path[IG_PATH];
} ig_course;

/* Engine and trainer of the model and the options. */
ig_code ig_course_make(ig_course *c, ig_team *team, ig_err *err);
/* Frees model, engine and trainer; the state stays. */
void ig_course_drop(ig_course *c);
void ig_course_close(ig_course *c);

/* Resumes from the newest readable checkpoint; *step is its update, −1: there is none, and the
 * training starts. Unreadable ones are set aside, so that they are neither used as the newest nor
 * lost; if none is readable, the newest one's error is reported. */
ig_code ig_course_resume(ig_course *c, int64_t *step, ig_err *err);
/* Then opens the log. A shorter one than the state knows is IG_ERR_INPUT. */
ig_code ig_course_open_log(ig_course *c, ig_err *err);
/* One line of the log. Frees j; NULL: there was no memory for it. */
ig_code ig_course_log(ig_course *c, json_t *j, ig_err *err);

/* One update; the line of the log when it is due. */
ig_code ig_course_step(ig_course *c, ig_trainer_report *u, ig_err *err);
/* Mean loss of the last line of the log; before the first one, so far. NaN: there is none yet. */
double ig_course_loss(const ig_course *c);
bool ig_course_save_due(const ig_course *c);
ig_code ig_course_checkpoint(ig_course *c, ig_err *err);
/* Returns why it stops now; NULL: it continues. */
const char *ig_course_why_stop(const ig_course *c);
/* IG_ERR_STOPPED. `when` ends in ", ", or is "". */
ig_code ig_course_stopped(const ig_course *c, const char *when, ig_err *err);
