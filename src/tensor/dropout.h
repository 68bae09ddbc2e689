/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the backends: the threshold and the factor that follow from an ig_dropout's share.
 */
#pragma once

#include "tensor/ops.h"

#include <stddef.h>

/* A 16-bit number below this is dropped: 0 .. 65536, ties of p · 65536 upwards. */
IG_INLINE uint32_t ig_dropout_threshold(const ig_dropout *d)
{
    double t = (double)d->p * 65536.0 + 0.5;
    return t <= 0 ? 0 : t >= 65536.0 ? 65536 : (uint32_t)t;
}

/* Number of the call's r-th row within the batch. */
IG_INLINE uint32_t ig_dropout_row(const ig_dropout *d, int64_t r)
{
    return d->row0 + (uint32_t)(d->row == NULL ? r : d->row[r]);
}

/* The factor of kept values. */
IG_INLINE double ig_dropout_scale(const ig_dropout *d)
{
    uint32_t t = ig_dropout_threshold(d);
    return t >= 65536 ? 0.0 : 65536.0 / (double)(65536 - t);
}
