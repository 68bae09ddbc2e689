/* SPDX-License-Identifier: Apache-2.0
 *
 * Learning-rate schedules as Hugging Face's LambdaLR ones, and gradient accumulation over epochs
 * with and without the carry-over of the papers' programs (see schedule.h).
 */
#include "train/schedule.h"

double ig_schedule(bool constant, int64_t k, int64_t warmup, int64_t n_update)
{
    if (k < warmup)
        return (double)k / (double)warmup;
    if (constant)
        return 1;
    if (k >= n_update)
        return 0;
    return (double)(n_update - k) / (double)(n_update - warmup);
}

int64_t ig_schedule_updates(int64_t steps_per_epoch, int64_t epochs, int64_t accum,
                            bool accum_carry)
{
    return accum_carry ? steps_per_epoch / accum * epochs : steps_per_epoch * epochs / accum;
}

int64_t ig_schedule_micro_before(int64_t k, int64_t steps_per_epoch, int64_t accum,
                                 bool accum_carry)
{
    int64_t per_epoch = steps_per_epoch / accum;
    if (!accum_carry || k == 0 || per_epoch == 0)
        return k * accum;
    /* The last micro-batch of update k − 1, which is number (k − 1) mod per_epoch of its epoch. */
    return (k - 1) / per_epoch * steps_per_epoch + ((k - 1) % per_epoch + 1) * accum;
}
