/* SPDX-License-Identifier: Apache-2.0
 *
 * The trainer: micro-batches from a source go through the engine, accumulated gradients through the
 * optimizer. Update k is a function of the weights and moments after update k − 1, the options and
 * k alone, so that a training resumes from its state bit for bit.
 */
#pragma once

#include "corpus/batch/batcher.h"
#include "model/engine/engine.h"
#include "train/optimizer.h"
#include "train/schedule.h"

/* A source of micro-batches. */
typedef struct {
    /* gets number i, from 0; borrowed until the next call */
    ig_code (*get)(void *of, int64_t i, ig_batch *out, ig_err *err);
    /* at the beginning of an update, from 0: sets groups of parameters, returns a factor of the
     * rate; NULL: nothing, 1 */
    double (*begin)(void *of, int64_t update, const ig_bert *m, ig_optimizer *o);
    void *of;
    int64_t steps_per_epoch; /* micro-batches */
} ig_trainer_source;
/* Pre-training: the batches of a corpus. Borrows the batcher. */
ig_trainer_source ig_pretrain_source(ig_batcher *batcher);

typedef struct {
    ig_trainer_source source;
    int64_t n_update;
    ig_training_settings set;
    double weight[IG_N_HEAD]; /* of each head's mean loss in the sum of losses; 0: 1 */
} ig_trainer_options;
/* Those of the settings, with epochs of `steps` micro-batches; without a source. */
ig_trainer_options ig_trainer_options_of(const ig_training_settings *s, int64_t steps);

/* Over an update's targets of one head. */
typedef struct {
    double loss; /* Σ −log p (natural) */
    int64_t n, n_right;
} ig_head_sum;

/* Results of one update; sums over its micro-batches. */
typedef struct {
    int64_t update; /* 1-based: the number of updates made with this one */
    ig_head_sum head[IG_N_HEAD];
    int64_t n_token, n_sequence;
    double lr, norm;
    double flop; /* model FLOP of real tokens (model/engine/engine.h) */
} ig_trainer_report;

typedef struct ig_trainer ig_trainer;

/* Borrows model, engine, team and the source's data. */
ig_code ig_trainer_new(ig_trainer **out, ig_bert *model, ig_engine *engine,
                       const ig_trainer_options *options, ig_team *team, ig_err *err);
void ig_trainer_free(ig_trainer *t);

/* Makes one update. A loss or gradient that is not finite is IG_ERR_NUMERIC, names update and
 * tensor, and leaves weights and moments as they were. */
ig_code ig_trainer_step(ig_trainer *t, ig_trainer_report *report, ig_err *err);
/* The optimizer, for setting groups of parameters. */
ig_optimizer *ig_trainer_optimizer(ig_trainer *t);
/* Must be called after weights and moments were read back. */
void ig_trainer_resume(ig_trainer *t, int64_t n_done);
