/* SPDX-License-Identifier: Apache-2.0
 *
 * The runs of an experiment as folders of a store, and what a folder says of its run.
 */
#pragma once

#include "experiment/experiment.h"
#include "run/run_config.h"
#include "store/store.h"

#include <time.h>

/* The folder of results: `given` (an option --store; NULL: none), else the environment's
 * ISOGLOT_STORE, else isoglot-store below the working directory. */
const char *ig_lab_store(const char *given);

typedef struct {
    int cell;
    int64_t seed;
    char address[IG_ADDRESS];
    char parent[IG_ADDRESS]; /* of the run that it starts from; "": none */
    char *dir;               /* STORE/runs/<address> */
} ig_lab_item;

typedef struct {
    ig_lab_item *item;
    int n;
    int n_skipped; /* runs of cells that need what is not here */
    int n_cell;    /* cells that have a run in the list */
} ig_lab_list;

typedef enum {
    IG_LAB_FILE_ORDER, /* every run of the selection, as the file has them */
    IG_LAB_WORK_ORDER  /* what is to be worked on: the first seed of all cells, then the second …;
                          each address once, and without cells that need what is not here */
} ig_lab_order;

typedef struct {
    const char *store; /* NULL: none; addresses are those of settings, with files by their names */
    const char *selector; /* NULL: all */
    ig_lab_order order;
    bool gpu; /* cells that need a GPU are not left out */
} ig_lab_listed;
/* cache: NULL, or what keeps hashes for other uses. */
ig_code ig_lab_list_make(ig_lab_list *l, const ig_experiment *e, const ig_lab_listed *what,
                         ig_hash_cache *cache, ig_err *err);
/* Lets a run start from the run of that address, as its own address has it. */
ig_code ig_lab_from_run(ig_run_config *c, const char *address, ig_err *err);
/* The runs that the store knows of the experiment, by its name, or else (a copy of the file, other
 * settings) by the settings in their folders; without the texts. */
ig_code ig_lab_list_known(ig_lab_list *l, const ig_experiment *e, const char *store, ig_store *s,
                          ig_err *err);
void ig_lab_list_free(ig_lab_list *l);

/* Return the experiment's cell of that name, and the run of a cell and seed; −1: there is none, the
 * file has changed since. The search starts at `near` (−1: at the first), since they are looked up
 * in order. */
int ig_lab_cell_of(const ig_experiment *e, const char *name, int near);
int ig_lab_run_of(const ig_lab_list *l, const ig_experiment *e, const ig_store_cell *c, int near);

/* Whether the measures and fine-tunings of a finished run are those of a plan. */
typedef enum {
    IG_LAB_COVERED,
    IG_LAB_TUNE, /* only fine-tunings are missing */
    IG_LAB_MEASURE_END,
    IG_LAB_TRAIN_AGAIN
} ig_lab_cover;
/* `measured`: "measure" of the manifest of a run of these languages. What was measured by another
 * rule than today's (translations of a dictionary that is a file) counts as not measured. */
enum { IG_LAB_WHY = 160 }; /* why: the first reason: "max_sentences: 10, asked for: 100" */
ig_lab_cover ig_lab_covers(char why[IG_LAB_WHY], const json_t *measured,
                           const ig_measure_plan *want, const ig_measure_languages *languages,
                           int64_t n_update, int num_hidden_layers);
/* Decides it for a finished run by its manifest. */
ig_lab_cover ig_lab_manifest_covers(char why[IG_LAB_WHY], const json_t *manifest,
                                    const ig_measure_plan *want);
/* "curve" of what a run measured at its end is to have beside it once the end is measured again:
 * what the measures during training are of; NULL: it has none. */
json_t *ig_lab_plan_curve(const json_t *measured);
/* Returns the union of both, as far as one plan can express it; of tasks those that are done. */
ig_measure_plan ig_lab_plan_union(const json_t *measured, const ig_measure_plan *want,
                                  int num_hidden_layers);
/* Steps before the last of n_update. */
json_t *ig_lab_steps_json(const ig_checkpoints *at, int64_t n_update);
/* "measure" of a manifest: layers and steps written out. NULL: no memory. */
json_t *ig_lab_plan_json(const ig_measure_plan *p, const ig_measure_languages *languages,
                         int64_t n_update, int num_hidden_layers);
/* Returns that of static vectors: {"what": ["words"], "static": true}. */
json_t *ig_lab_plan_static_json(const ig_measure_plan *p);

/* Decides it for the finished run in a folder; without the measures set aside (lab_aside.h). */
ig_code ig_lab_folder_covers(ig_lab_cover *cover, const char *dir, const ig_measure_plan *want,
                             ig_err *err);

/* State of one run, from its folder. */
typedef struct {
    int cell;
    int64_t seed;
    char address[IG_ADDRESS];
    ig_run_status status;
    int64_t step, n_step;
    bool trained;   /* and measured, by a plan whose fine-tunings alone are missing */
    int n_tuned;    /* of a run that is not finished: fine-tunings that are */
    double seconds; /* of a finished run, which another process may have started; NaN: unknown */
    char message[256];
} ig_lab_state;

/* Reads the state of a run's folder: status, step, message; cell, seed and address are the
 * caller's. A finished run whose measures, with those set aside (lab_aside.h), are not those of
 * `want` (may be NULL) is stopped, or running or failed if that work was started. thorough: a
 * finished run's measures are read, which takes longer and finds more damage. */
ig_code ig_lab_folder_state(ig_lab_state *s, const char *dir, const ig_measure_plan *want,
                            bool thorough, ig_err *err);

/* A finished run one of whose files cannot be read has failed: sets status and message. */
void ig_lab_damaged(ig_lab_state *s, const char *dir, const ig_err *why);

/* "where:line: message", as the program says it. */
void ig_lab_message(char *out, size_t room, const char *where, uint64_t line, const char *message);

/* failed.json of a run. */
ig_code ig_lab_write_failure(const char *dir, const ig_err *why, int64_t step, const char *task,
                             ig_err *err);
/* Returns whether a run has failed in what is wanted of it (NULL: whatever it is). */
bool ig_lab_has_failed(const char *dir, const ig_measure_plan *want);

/* {"path", "sha256"} of DIR/NAME for a manifest; *out is NULL where there is no such file. */
ig_code ig_lab_file_json(json_t **out, const char *dir, const char *name, ig_err *err);
/* When DIR/NAME was written; 0: it is not there. */
struct timespec ig_lab_file_time(const char *dir, const char *name);
/* Which result a folder has: when DONE was written (seconds since 1970, at least 1; 0: it was not),
 * and the SHA-256 of the manifest that it has ("": it is of an earlier version, or damaged). */
typedef struct {
    int64_t finished;
    char manifest_sha256[IG_SHA256_HEX];
} ig_lab_done;
ig_lab_done ig_lab_folder_done(const char *dir);
/* Returns whether it is the result with these (of the store; NULL or "": an earlier version's). */
bool ig_lab_same_result(const ig_lab_done *d, int64_t finished, const char *manifest_sha256);
void ig_lab_remove_in(const char *dir, const char *name); /* a file or a folder */
