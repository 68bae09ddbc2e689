/* SPDX-License-Identifier: Apache-2.0
 *
 * Learning-rate schedules as Hugging Face's LambdaLR ones and XLM's, and gradient accumulation over
 * epochs with and without the carry-over of the papers' programs.
 */
#include "train/schedule.h"
#include "train/training_settings.h"

#include <math.h>

const char *const ig_schedule_names[] = {"linear", "constant", "inverse-sqrt", NULL};

double ig_schedule(ig_schedule_kind kind, int64_t k, int64_t warmup, int64_t n_update)
{
    if (k < warmup)
        return (double)k / (double)warmup;
    if (kind == IG_SCHEDULE_INVERSE_SQRT)
        return k > 0 ? sqrt((double)warmup / (double)k) : 0;
    if (kind == IG_SCHEDULE_CONSTANT)
        return 1;
    if (k >= n_update)
        return 0;
    return (double)(n_update - k) / (double)(n_update - warmup);
}

double ig_schedule_rate(ig_schedule_kind kind, double lr, int64_t k, int64_t warmup,
                        int64_t n_update)
{
    static const double begin = 1e-7;
    const double from = lr < begin ? lr : begin, factor = ig_schedule(kind, k, warmup, n_update);
    return kind == IG_SCHEDULE_INVERSE_SQRT && k < warmup ? from + (lr - from) * factor
                                                          : lr * factor;
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
