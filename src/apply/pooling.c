/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes one vector of a sentence's states. The weighted mean is that of Muennighoff 2022 (SGPT,
 * §3.1, eq. 2), for causal models, whose later states have seen more.
 */
#include "apply/pooling.h"

#include "base/numeric/unit_rows.h"

#include <string.h>

/* Σ t x_t / Σ t over n rows, t from 1. */
static void weighted_row(float *out, const float *x, int32_t n, int d)
{
    const double total = (double)n * (n + 1) / 2;
    for (int c = 0; c < d; c++) {
        double sum = 0;
        for (int32_t t = 0; t < n; t++)
            sum += (t + 1) * (double)x[(int64_t)t * d + c];
        out[c] = (float)(sum / total);
    }
}

void ig_pool_states(float *out, const ig_sentence_states *s, int l, int d, ig_pooling pool)
{
    /* A sentence without pieces has [CLS] and [SEP] alone. */
    const bool own = s->n_own > 0;
    const float *x = s->states[l] + (own ? (int64_t)s->first * d : 0);
    const int32_t n = own ? s->n_own : s->n_token;
    switch (pool) {
    case IG_POOL_MEAN:
        ig_mean_row(out, x, n, d);
        return;
    case IG_POOL_CLS:
        memcpy(out, s->states[l], (size_t)d * sizeof *out);
        return;
    case IG_POOL_LAST:
        memcpy(out, x + (int64_t)(n - 1) * d, (size_t)d * sizeof *out);
        return;
    case IG_POOL_WEIGHTED:
        weighted_row(out, x, n, d);
        return;
    }
}
