/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up spaces of word vectors for the tests of maps: words in clusters of different sizes, a
 * second space that is the first one turned, shuffled and blurred, or one that has nothing to do
 * with it.
 */
#pragma once

#include "base/memory.h"
#include "base/rng.h"
#include "embed/map/map.h"
#include "embed/map/map_seed.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* n unit vectors of d numbers in clusters; `which` tells spaces apart. Freed with free. */
static inline float *fixture_space(int64_t n, int d, uint32_t which)
{
    enum { CLUSTERS = 24 };
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, which, 0);
    float *x = calloc((size_t)(n * d), sizeof *x), centre[CLUSTERS * 64];
    for (int i = 0; i < CLUSTERS * d; i++)
        centre[i] = (float)ig_rng_normal(&r);
    for (int64_t i = 0; i < n; i++) {
        double u = ig_rng_unit(&r);
        const float *c = centre + (int)(u * u * CLUSTERS) * d;
        for (int k = 0; k < d; k++)
            x[i * d + k] = c[k] + 0.7f * (float)ig_rng_normal(&r);
    }
    return x;
}

/* A random orthogonal matrix: of a random one by Procrustes' own means. */
static inline void fixture_rotation(double *w, int d, uint32_t which)
{
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, which, 0);
    ig_err err;
    double *a = calloc((size_t)(d * d), sizeof *a);
    for (int i = 0; i < d * d; i++)
        a[i] = ig_rng_normal(&r);
    assert_ok(ig_map_orthogonal(w, a, d, &err), &err);
    free(a);
}

/* z[order[i]] = x_i turned, plus noise. */
static inline float *fixture_copy(const float *x, int64_t n, int d, const double *w,
                                  const int32_t *order, double noise)
{
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 0, 0);
    float *z = calloc((size_t)(n * d), sizeof *z);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < d; k++) {
            double sum = noise * ig_rng_normal(&r);
            for (int c = 0; c < d; c++)
                sum += (double)x[i * d + c] * w[c * d + k];
            z[order[i] * (int64_t)d + k] = (float)sum;
        }
    return z;
}

static inline void fixture_normalise(float *x, int64_t n, int d)
{
    ig_err err;
    const ig_steps s = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};
    assert_ok(ig_steps_apply(&s, (ig_map_side){x, n, d}, NULL, NULL, &err), &err);
}

static inline ig_map_options fixture_options(void)
{
    return (ig_map_options){.method = IG_MAP_MULTI_STEP,
                            .steps = {.whiten = true,
                                      .reweight_x = 0.5,
                                      .reweight_z = 0.5,
                                      .dewhiten_x = IG_DEWHITEN_SOURCE,
                                      .dewhiten_z = IG_DEWHITEN_TARGET},
                            .learn = true,
                            .cutoff = 20000,
                            .k = 10,
                            .keep = 0.1,
                            .keep_factor = 2,
                            .patience = 5,
                            .threshold = 1e-6,
                            .seed = 1};
}
