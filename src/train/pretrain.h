/* SPDX-License-Identifier: Apache-2.0
 *
 * Pre-training: the trainer on the batches of a corpus.
 */
#pragma once

#include "corpus/batch/batcher.h"
#include "train/trainer.h"

/* Borrows the batcher. */
ig_trainer_source ig_pretrain_source(ig_batcher *batcher);
