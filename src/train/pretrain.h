/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked-language-model training: batches through the engine, accumulated gradients through the
 * optimizer. What happens in update k is a function of the weights and moments after update k − 1,
 * the options and k alone, so that a training goes on from its state bit for bit.
 */
#ifndef IG_TRAIN_PRETRAIN_H
#define IG_TRAIN_PRETRAIN_H

#include "corpus/batcher.h"
#include "model/engine.h"
#include "train/optimizer.h"
#include "train/schedule.h"

typedef struct {
    int64_t n_update;
    int64_t accum; /* micro-batches of an update */
    bool
        accum_carry; /* left-over micro-batches of an epoch join the next epoch's first update (each
                      * still weighs 1/accum), as in the papers' programs; else none is left over */
    double lr;
    int64_t warmup;
    ig_schedule_kind schedule; /* after the warm-up */
    uint64_t seed;             /* of IG_STREAM_DROPOUT */
    ig_optimizer_options adam;
} ig_pretrain_options;

/* What one update did; sums over its micro-batches. */
typedef struct {
    int64_t update; /* 1-based: the number of updates made with this one */
    double loss;    /* Σ −log p (natural) of the masked tokens */
    int64_t n_pred, n_right, n_token, n_sequence;
    double next_loss; /* Σ −log p of next-sentence labels */
    int64_t n_next, n_next_right;
    double lr, norm;
    double flop; /* model FLOP of real tokens (model/engine.h) */
} ig_pretrain_report;

typedef struct ig_pretrain ig_pretrain;

/* Borrows model, engine, batcher, ops and team. */
ig_code ig_pretrain_new(ig_pretrain **out, ig_bert *model, ig_engine *engine, ig_batcher *batcher,
                        const ig_pretrain_options *options, const ig_ops *ops, ig_team *team,
                        ig_err *err);
void ig_pretrain_free(ig_pretrain *t);

/* One update. A loss or gradient that is not finite is IG_ERR_NUMERIC, names update and tensor, and
 * leaves weights and moments as they were. */
ig_code ig_pretrain_step(ig_pretrain *t, ig_pretrain_report *report, ig_err *err);
/* Updates made. Setting it is part of taking up a state (train/train_state.h). */
int64_t ig_pretrain_n_done(const ig_pretrain *t);
ig_optimizer *ig_pretrain_optimizer(ig_pretrain *t);
/* To be called after weights and moments were read back. */
void ig_pretrain_resume(ig_pretrain *t, int64_t n_done);

#endif
