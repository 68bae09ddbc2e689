/* SPDX-License-Identifier: Apache-2.0
 *
 * How long an update of a large model takes, without making one: a few sequences of its first batch
 * are timed at two sizes, and the line through them is followed to the whole batch. A calibration
 * takes seconds so, where one update may take minutes.
 */
#pragma once

#include "corpus/batch/batcher.h"
#include "model/engine/engine.h"
#include "train/trainer.h"

/* What is timed; all borrowed. */
typedef struct {
    const ig_bert *model;
    const ig_corpus *corpus;
    const ig_batch_options *batch;
    const ig_trainer_options *trainer;
    uint64_t seed;
    ig_batcher *batcher; /* of these */
    ig_engine *engine;
    ig_optimizer *optimizer;
    int n_thread;
    bool parts; /* never a whole update: the model is a part of the one that is meant */
} ig_pace_of;

typedef struct {
    bool slow;            /* a whole update takes longer than a calibration should */
    double update;        /* seconds; the rest is there when slow */
    double tokens;        /* of an update */
    double token_forward; /* seconds of a token's way forward through the model */
    double sequence;      /* mean tokens of a sequence */
    int64_t more_memory;  /* bytes that whole batches take beyond what was timed */
} ig_pace;

/* Trains on a few sequences; of a slow model also two steps of the optimizer. Weights and moments
 * are worth nothing afterwards. */
ig_code ig_run_pace(ig_pace *out, const ig_pace_of *of, ig_err *err);
