/* SPDX-License-Identifier: Apache-2.0
 *
 * Paired comparisons over shared seeds: the sign-flip permutation test of a mean difference of 0
 * (Fisher 1935, The design of experiments, §21), exact for up to 20 pairs and by drawing flips
 * beyond, where the p is (1 + hits)/(1 + draws), so that it is never 0 (Phipson & Smyth 2010); and
 * Holm's correction over several comparisons (Holm 1979, A simple sequentially rejective multiple
 * test procedure).
 */
#include "base/statistics.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/statistics_internal.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_PAIRS = 20, FLIPS = 99999, RESAMPLES = 10000 };

/* The sums of two halves are equal up to rounding when they are as near as this. */
static double slack(const double *d, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(d[i]);
    return 1e-12 * sum;
}

/* Share of the sign patterns whose |sum| is at least the observed one. The sign of the first
 * difference stays, as a pattern and its opposite have the same |sum|. */
static double exact_p(const double *d, int64_t n)
{
    double observed = 0;
    for (int64_t i = 0; i < n; i++)
        observed += d[i];
    const double least = fabs(observed) - slack(d, n);
    const uint32_t patterns = UINT32_C(1) << (n - 1);
    int64_t hits = 0;
    for (uint32_t p = 0; p < patterns; p++) {
        double sum = d[0];
        for (int64_t i = 1; i < n; i++)
            sum += p >> (i - 1) & 1 ? -d[i] : d[i];
        hits += fabs(sum) >= least;
    }
    return (double)hits / (double)patterns;
}

static double drawn_p(const double *d, int64_t n, uint64_t seed)
{
    double observed = 0;
    for (int64_t i = 0; i < n; i++)
        observed += d[i];
    const double least = fabs(observed) - slack(d, n);
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 1, 0);
    int64_t hits = 0;
    for (int k = 0; k < FLIPS; k++) {
        double sum = 0;
        uint32_t bits = 0;
        for (int64_t i = 0; i < n; i++) {
            if (i % 32 == 0)
                bits = ig_rng_u32(&r);
            sum += bits >> (i % 32) & 1 ? -d[i] : d[i];
        }
        hits += fabs(sum) >= least;
    }
    return (double)(1 + hits) / (double)(1 + FLIPS);
}

ig_code ig_paired_compare(ig_paired *out, const double *a, const double *b, int64_t n,
                          uint64_t seed, ig_err *err)
{
    const double nan = (double)NAN;
    *out = (ig_paired){.n = n,
                       .mean = nan,
                       .sd = nan,
                       .interval = {nan, nan, 0.95, 0},
                       .p = nan,
                       .exact = n <= EXACT_PAIRS,
                       .effect = nan,
                       .p_holm = nan};
    IG_TRY(ig_check_finite(a, n, "first side of a comparison", err));
    IG_TRY(ig_check_finite(b, n, "second side of a comparison", err));
    if (n < 1)
        return IG_ERR_OK;
    double *d, size = 0;
    IG_TRY(ig_alloc(&d, n, sizeof *d, "paired comparison", err));
    for (int64_t i = 0; i < n; i++) {
        d[i] = a[i] - b[i];
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    const ig_summary s = ig_summarise(d, n);
    out->mean = s.mean;
    /* Differences that are equal but for the rounding of a − b do not vary. */
    out->sd = s.sd <= 1e-14 * size ? 0 : s.sd;
    if (out->sd > 0)
        out->effect = out->mean / out->sd;
    out->p = n <= EXACT_PAIRS ? exact_p(d, n) : drawn_p(d, n, seed);
    out->p_holm = out->p;
    ig_code code = ig_bootstrap_mean(&out->interval, d, n, 0.95, RESAMPLES, seed, err);
    ig_free(d);
    return code;
}

typedef struct {
    double p;
    int at;
} ranked;

static int by_p(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

ig_code ig_holm(ig_paired *c, int n, ig_err *err)
{
    ranked *r;
    int m = 0;
    IG_TRY(ig_alloc(&r, n, sizeof *r, "Holm's correction", err));
    for (int i = 0; i < n; i++) {
        c[i].p_holm = c[i].p;
        if (!isnan(c[i].p))
            r[m++] = (ranked){c[i].p, i};
    }
    qsort(r, (size_t)m, sizeof *r, by_p);
    double so_far = 0;
    for (int i = 0; i < m; i++) {
        so_far = fmax(so_far, fmin(1, (m - i) * r[i].p));
        c[r[i].at].p_holm = so_far;
    }
    ig_free(r);
    return IG_ERR_OK;
}
