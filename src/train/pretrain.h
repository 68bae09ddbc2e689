/* SPDX-License-Identifier: Apache-2.0
 *
 * Pre-training: the trainer on the batches of a corpus.
 */
#ifndef IG_TRAIN_PRETRAIN_H
#define IG_TRAIN_PRETRAIN_H

#include "corpus/batch/batcher.h"
#include "train/trainer.h"

/* As ig_trainer_new; borrows the batcher. */
ig_code ig_pretrain_new(ig_trainer **out, ig_bert *model, ig_engine *engine, ig_batcher *batcher,
                        const ig_trainer_options *options, const ig_ops *ops, ig_team *team,
                        ig_err *err);

#endif
