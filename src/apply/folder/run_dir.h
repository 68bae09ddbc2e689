/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of a run: who works in it, and which checkpoints it holds.
 *
 *   DIR/run.json                     settings (run/run_config.h)
 *   DIR/data/                        vocab.txt, train.shard, dev.shard (run/data/setup.h)
 *   DIR/checkpoints/step-00000500/   a Hugging Face folder, and trainer.state (train/train_state.h)
 *   DIR/model                        link to the last checkpoint of a finished run
 *   DIR/log.jsonl, DIR/eval.json, DIR/lock
 *
 * A checkpoint's folder is made under a name that begins with a dot and renamed when it is
 * complete, so one under its final name is whole. Older checkpoints that are kept for their models
 * only have lost their trainer.state.
 */
#pragma once

#include "apply/folder/run_folder.h"
#include "base/sha256.h"

#include <stdint.h>

/* Makes the folder if need be and takes its lock; *fd is given to _unlock. A run that another
 * process works on, or a folder with files but without run.json, is IG_ERR_USAGE. */
ig_code ig_run_dir_lock(int *fd, const char *dir, ig_err *err);
/* The same, but a run that another process works on is no error: *busy, and *fd −1. */
ig_code ig_run_dir_try_lock(int *fd, bool *busy, const char *dir, ig_err *err);
void ig_run_dir_unlock(int fd);
/* Returns whether some process holds the lock; a folder or lock that is not there is free. */
bool ig_run_dir_busy(const char *dir);
/* Removes what a killed process left half-written. Only under the lock. */
ig_code ig_run_dir_clean(const char *dir, ig_err *err);
/* The same of one folder, and how many files and folders went. */
ig_code ig_run_dir_clean_in(int64_t *n, const char *dir, ig_err *err);

/* Finds whether a training has left anything that it could resume from or that somebody may want to
 * read: a checkpoint, or a line of the log. */
ig_code ig_run_dir_begun(bool *begun, const char *dir, ig_err *err);
/* Takes record, log and data away, of a run that has not begun. Only under the lock. */
void ig_run_dir_empty(const char *dir);
/* Takes back a run that failed before its first update: record, data and lock, and the folder if
 * this process `made` it. So a mistake leaves nothing that the corrected command would stumble
 * over. Only under the lock. */
void ig_run_dir_abandon(const char *dir, bool made);

/* Steps of all checkpoints, ascending; with_state: only of those that a training can resume from.
 * *steps is freed with ig_free (NULL when there is none). */
ig_code ig_run_checkpoints(int64_t **steps, int *n, const char *dir, bool with_state, ig_err *err);
/* DIR/checkpoints/step-… */
ig_code ig_run_checkpoint_path(char path[IG_PATH], const char *dir, int64_t step, ig_err *err);
/* IG_ERR_IO where there is no folder of this name. */
ig_code ig_run_dir_check(const char *dir, ig_err *err);
/* The model folder that DIR stands for: DIR itself when it holds a config.json, else the newest
 * checkpoint of the run. */
ig_code ig_run_latest(char path[IG_PATH], const char *dir, ig_err *err);
/* The digest of a file, or of the weights of the model that a folder stands for. */
ig_code ig_folder_sha256(char hex[IG_SHA256_HEX], const char *path, ig_err *err);
/* The files that define the model of a folder: config.json, then those of its weights. *path is
 * freed with ig_free_list unless there is an error. */
ig_code ig_model_files(char ***path, int *n, const char *dir, ig_err *err);

/* A name for the checkpoint that is being written, and its completion. */
ig_code ig_run_checkpoint_begin(char tmp[IG_PATH], const char *dir, int64_t step, ig_err *err);
ig_code ig_run_checkpoint_commit(const char *tmp, const char *dir, int64_t step, ig_err *err);
/* Renames a checkpoint that cannot be read to DIR/checkpoints/damaged-…, in place of one that is
 * there already. */
ig_code ig_run_checkpoint_put_aside(const char *dir, int64_t step, ig_err *err);
/* Says which checkpoints stay: the newest, from which the run resumes, and the newest `keep` of
 * those that were due, whole; of older ones with log_spaced the models of 0, 1, 2, 5, 10, 20, 50, …
 * Due is the update `last`, every `every`-th, and with log_spaced those; 0: all. What was saved
 * because the run was stopped is not due, and takes the place of none that was. */
typedef struct {
    int64_t keep, every, last;
    bool log_spaced;
    /* NULL, or whether the model of that update is kept, too */
    bool (*model)(const void *arg, int64_t step);
    const void *arg;
} ig_run_keep;
/* Returns whether a checkpoint is written for its model. */
bool ig_run_keeps_model(const ig_run_keep *k, int64_t step);
ig_code ig_run_checkpoint_prune(const char *dir, const ig_run_keep *k, ig_err *err);
/* 0, 1, 2, 5, 10, 20, 50, 100, … */
bool ig_run_log_spaced(int64_t step);
/* Points DIR/model at a checkpoint. */
ig_code ig_run_dir_link(const char *dir, int64_t step, ig_err *err);
