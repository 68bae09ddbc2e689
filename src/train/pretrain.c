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

ig_code ig_pretrain_new(ig_trainer **out, ig_bert *model, ig_engine *engine, ig_batcher *batcher,
                        const ig_trainer_options *options, const ig_ops *ops, ig_team *team,
                        ig_err *err)
{
    const ig_trainer_source source = {
        .get = get, .of = batcher, .steps_per_epoch = ig_batcher_steps_per_epoch(batcher)};
    return ig_trainer_new(out, model, engine, &source, options, ops, team, err);
}
