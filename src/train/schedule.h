/* SPDX-License-Identifier: Apache-2.0
 *
 * Derives from an update's number its learning rate and its micro-batches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    IG_SCHEDULE_LINEAR,
    IG_SCHEDULE_CONSTANT,
    IG_SCHEDULE_INVERSE_SQRT
} ig_schedule_kind;

/* Factor of the peak learning rate for update k = 0, 1, … of n_update: k / warmup while k < warmup
 * (so the first update has rate 0 when there is a warm-up); then linear to 0 at n_update, or 1 when
 * constant: the semantics of Hugging Face's LambdaLR schedules. Inverse square root (XLM's
 * program): √(warmup / k). */
double ig_schedule(ig_schedule_kind kind, int64_t k, int64_t warmup, int64_t n_update);
/* The rate of update k: lr times the factor; with the inverse square root the warm-up starts at
 * 1e-7 (at lr where that is less), as in XLM's program. */
double ig_schedule_rate(ig_schedule_kind kind, double lr, int64_t k, int64_t warmup,
                        int64_t n_update);

/* Number of updates in `epochs` epochs: ⌊steps·epochs / accum⌋, with accum_carry ⌊steps /
 * accum⌋·epochs. */
int64_t ig_schedule_updates(int64_t steps_per_epoch, int64_t epochs, int64_t accum,
                            bool accum_carry);
/* Number of micro-batches before update k: update k uses those from this number to that of k + 1,
 * exclusive. */
int64_t ig_schedule_micro_before(int64_t k, int64_t steps_per_epoch, int64_t accum,
                                 bool accum_carry);
