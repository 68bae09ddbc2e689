/* SPDX-License-Identifier: Apache-2.0
 *
 * Pre-training as Devlin et al. 2019 and Dufter & Schütze 2020 run it: batches of a corpus, the
 * mean losses of masked tokens and of next sentences.
 */
#include "train/pretrain.h"

static ig_code get(void *of, int64_t i, ig_batch *out, ig_err *err)
{
    return ig_batcher_get(of, i, out, err);
}

ig_trainer_source ig_pretrain_source(ig_batcher *batcher)
{
    return (ig_trainer_source){
        .get = get, .of = batcher, .steps_per_epoch = ig_batcher_steps_per_epoch(batcher)};
}
