/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of edits of hidden states: random numbers, rotations.
 */
#pragma once

#include "test.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static inline void fill(float *v, int64_t n, double spread, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 9, 0);
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(spread * ig_rng_normal(&r));
}

/* An orthonormal matrix: Gram and Schmidt on random rows. */
static inline void rotation(float *q, int d, uint64_t seed)
{
    double *m = calloc((size_t)(d * d), sizeof *m);
    assert_non_null(m);
    fill(q, (int64_t)d * d, 1, seed);
    for (int i = 0; i < d; i++) {
        double length = 0;
        for (int c = 0; c < d; c++)
            m[i * d + c] = (double)q[i * d + c];
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < i; j++) {
                double dot = 0;
                for (int c = 0; c < d; c++)
                    dot += m[i * d + c] * m[j * d + c];
                for (int c = 0; c < d; c++)
                    m[i * d + c] -= dot * m[j * d + c];
            }
        for (int c = 0; c < d; c++)
            length += m[i * d + c] * m[i * d + c];
        for (int c = 0; c < d; c++)
            m[i * d + c] /= sqrt(length);
    }
    for (int i = 0; i < d * d; i++)
        q[i] = (float)m[i];
    free(m);
}
