/* SPDX-License-Identifier: Apache-2.0
 *
 * A pre-training run from its settings to its measures, in a folder of its own
 * (apply/folder/run_dir.h). Called again with the same settings it resumes after the last
 * checkpoint, with the same bits as without an interruption.
 */
#pragma once

#include "measure/missing.h"
#include "model/device/device.h"
#include "run/measure/measure_plan.h"
#include "run/run_config.h"

#include <signal.h>

typedef struct {
    int64_t n_parameter, n_update, update; /* update: made so far */
    int64_t resumed_from;                  /* −1: started from the beginning */
    bool finished, measured;
    double loss;                            /* mean of the last line of the log, natural */
    double seconds;                         /* of training, over all parts of the run */
    double tokens_per_second, model_gflops; /* of that training */
    int64_t n_token, peak_memory;
    int32_t vocab_size;
    int64_t n_sequence; /* of the training corpus, all languages */
    ig_measure_result measure;
    /* Over ranks (`ranks` of the settings): tokens_per_second and seconds are with sending at 10
     * Gb/s, and memory is a rank's. */
    int ranks, lanes;
    double sent;                /* bytes that a rank sends an update */
    ig_measure_missing missing; /* by a plan with μ, of its first two languages */
} ig_run_result;
void ig_run_result_free(ig_run_result *r);

/* `stop` (may be NULL) becomes non-zero when the run shall save and stop after the present update,
 * or in the middle of measuring: then IG_ERR_STOPPED. The folder of another run is IG_ERR_USAGE and
 * names the key; a loss that is not finite IG_ERR_NUMERIC, with the state before that update saved.
 */
ig_code ig_run_train(const ig_run_config *c, const volatile sig_atomic_t *stop, ig_run_result *r,
                     ig_err *err);

/* How the laboratory runs it. */
typedef struct {
    /* The measures and their updates; written to measures.jsonl. NULL: eval-layers, eval-every and
     * eval of the configuration, into log.jsonl and eval.json. */
    const ig_measure_plan *plan;
    /* The lock of the folder, taken by the caller, who keeps it and takes a failed run back himself
     * if he wants to; −1: ig_run_train_with takes it. */
    int lock;
    /* Seconds after which a checkpoint is due, beside what the configuration says, and no more
     * often than that writing them takes a fiftieth of the time; 0: none. */
    double save_seconds;
    /* Before the first update and after each; may be NULL. Of the result: n_parameter, n_update,
     * update, resumed_from, loss, seconds, n_token. */
    void (*update)(void *arg, const ig_run_result *so_far);
    void *arg;
} ig_run_with;
ig_code ig_run_train_with(const ig_run_config *c, const ig_run_with *with,
                          const volatile sig_atomic_t *stop, ig_run_result *r, ig_err *err);

/* An estimate of a run: shapes, memory, and time from a few timed updates that are discarded.
 * Writes nothing below c->out; data are prepared in a temporary folder. */
typedef struct {
    ig_bert_config model;
    int64_t n_parameter, n_sequence, n_update, steps_per_epoch, memory;
    double tokens_per_update, tokens_per_second, seconds;
    double measure_seconds; /* of all measuring by a plan; 0 without one */
    /* Over ranks (`ranks` of the settings): tokens_per_second and seconds are with sending at 10
     * Gb/s, and memory is a rank's. */
    int ranks, lanes;
    double sent;                /* bytes that a rank sends an update */
    int64_t device_memory;      /* bytes on a GPU, where the settings name one */
    ig_measure_missing missing; /* of its first two languages; with a plan, of its measures */
} ig_run_plan;
ig_code ig_run_dry(const ig_run_config *c, ig_run_plan *p, ig_err *err);
/* The same, with data that are in the folder `data`, or are made there; `measure` may be NULL. */
ig_code ig_run_dry_in(const ig_run_config *c, const ig_measure_plan *measure, const char *data,
                      ig_run_plan *p, ig_err *err);

/* Returns whether a plan (NULL: no) has what μ is the mean of. */
static inline bool ig_run_measures_mu(const ig_measure_plan *p)
{
    return p != NULL && ig_measure_requested(p->what, IG_MEASURE_retrieval) &&
           ig_measure_requested(p->what, IG_MEASURE_translation);
}

/* Writes the model of no update and its tokenizer into the folder `dir`, which is made, as a
 * checkpoint has them; `data`: as for ig_run_dry_in. */
ig_code ig_run_untrained(const ig_run_config *c, const char *data, const char *dir, ig_err *err);

/* Bytes that a training of the batches of a batcher takes on a GPU: those of its first batches. */
ig_code ig_run_device_memory(int64_t *bytes, const ig_device *device, const ig_bert_config *shape,
                             ig_batcher *batcher, ig_err *err);

/* eval.json: the measures with what the training took under "run". NULL: no memory. */
json_t *ig_run_json(const ig_run_result *r);
