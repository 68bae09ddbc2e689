/* SPDX-License-Identifier: Apache-2.0
 *
 * The BCa bootstrap interval of a mean (Efron 1987, Better bootstrap confidence intervals, §3;
 * Efron & Tibshirani 1993, An introduction to the bootstrap, §14.3): acceleration from the
 * jackknife, bias correction from the share of resamples below the estimate, ties counted half.
 *
 * Where the distinct resamples (multisets of n values, C(2n − 1, n) of them) are no more than the
 * resamples asked for, all are taken, each with its multinomial weight: the ideal bootstrap, in
 * which nothing is drawn. That holds for up to 8 values at 10 000 resamples, so the intervals of
 * a table of five seeds carry no noise of their own.
 */
#include "base/statistics.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/statistics_internal.h"

#include <math.h>
#include <stdlib.h>

/* A value of the bootstrap distribution and how many of the resamples have it. */
typedef struct {
    double value, count;
} weighted;

static int by_value(const void *a, const void *b)
{
    return ig_compare_doubles(&((const weighted *)a)->value, &((const weighted *)b)->value);
}

/* C(2n − 1, n), or limit + 1 when it is more than the limit. */
static int64_t multisets(int64_t n, int64_t limit)
{
    double c = 1;
    for (int64_t i = 1; i <= n; i++) {
        c = c * (double)(n - 1 + i) / (double)i;
        if (c > (double)limit)
            return limit + 1;
    }
    return (int64_t)(c + 0.5);
}

/* All multisets of n of the n values: counts[i] of x[i], in colexicographic order. */
static ig_code all_resamples(weighted *d, int64_t n_d, const double *x, int64_t n, ig_err *err)
{
    int64_t *count;
    IG_TRY(ig_alloc(&count, n, sizeof *count, "bootstrap", err));
    double *factorial;
    ig_code code = ig_alloc(&factorial, n + 1, sizeof *factorial, "bootstrap", err);
    if (code != IG_ERR_OK) {
        ig_free(count);
        return code;
    }
    factorial[0] = 1;
    for (int64_t i = 1; i <= n; i++)
        factorial[i] = factorial[i - 1] * (double)i;
    count[0] = n;
    for (int64_t k = 0; k < n_d; k++) {
        double sum = 0, ways = factorial[n];
        for (int64_t i = 0; i < n; i++) {
            sum += (double)count[i] * x[i];
            ways /= factorial[count[i]];
        }
        d[k] = (weighted){sum / (double)n, nearbyint(ways)};
        /* Next composition of n: the first part gives one to the place behind it, and the rest of
         * it goes back to the front. */
        int64_t i = 0;
        while (i < n && count[i] == 0)
            i++;
        if (i + 1 < n) {
            int64_t left = count[i] - 1;
            count[i] = 0;
            count[i + 1]++;
            count[0] = left;
        }
    }
    ig_free(factorial);
    ig_free(count);
    return IG_ERR_OK;
}

/* What was drawn last. A table asks for the resamples of one number of seeds over and over, and
 * drawing takes most of the time; the same seed draws the same. A list that would be large is not
 * kept. */
enum { KEPT_MAX = 1 << 24 };
static _Thread_local struct {
    uint64_t seed;
    int64_t n, n_d, room;
    uint16_t *index; /* [n_d, n] */
} kept;

static bool keep_draws(int64_t n_d, int64_t n, uint64_t seed)
{
    if (n > UINT16_MAX || n_d > KEPT_MAX / n)
        return false;
    if (kept.index != NULL && kept.seed == seed && kept.n == n && kept.n_d == n_d)
        return true;
    if (ig_grow(&kept.index, &kept.room, n_d * n, sizeof *kept.index, "bootstrap", NULL) !=
        IG_ERR_OK)
        return false;
    kept.seed = seed;
    kept.n = n;
    kept.n_d = n_d;
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 0, 0);
    for (int64_t k = 0; k < n_d * n; k++)
        kept.index[k] = (uint16_t)ig_rng_below(&r, (uint32_t)n);
    return true;
}

static void drawn_resamples(weighted *d, int64_t n_d, const double *x, int64_t n, uint64_t seed)
{
    const bool have = keep_draws(n_d, n, seed);
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 0, 0);
    for (int64_t k = 0; k < n_d; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += x[have ? kept.index[k * n + i] : ig_rng_below(&r, (uint32_t)n)];
        d[k] = (weighted){sum / (double)n, 1};
    }
}

/* Reorders d[from..to-1] so that what would stand at `at` if it were sorted stands there, nothing
 * larger before it and nothing smaller behind it (Hoare 1961, Find). */
static void select_value(weighted *d, int64_t from, int64_t to, int64_t at)
{
    for (int64_t last = to - 1; from < last;) {
        const double pivot = d[from + (last - from) / 2].value;
        int64_t i = from, j = last;
        while (i <= j) {
            while (d[i].value < pivot)
                i++;
            while (d[j].value > pivot)
                j--;
            if (i <= j) {
                const weighted w = d[i];
                d[i++] = d[j];
                d[j--] = w;
            }
        }
        if (at <= j)
            last = j;
        else if (at >= i)
            from = i;
        else
            return;
    }
}

/* The p-quantile of the sorted distribution, as if every value stood there count times: linear
 * between the two neighbours of p (N − 1) (Hyndman & Fan 1996, type 7). */
static double quantile(const weighted *d, int64_t n_d, double total, double p)
{
    const double at = p * (total - 1), whole = floor(at);
    double seen = 0, a = d[n_d - 1].value, b = a;
    for (int64_t k = 0; k < n_d; k++) {
        seen += d[k].count;
        if (whole < seen) {
            a = d[k].value;
            b = whole + 1 < seen || k + 1 == n_d ? a : d[k + 1].value;
            break;
        }
    }
    return a + (b - a) * (at - whole);
}

/* Jackknife: leaving x_i out moves the mean by (mean − x_i)/(n − 1), so the acceleration is the
 * skewness of x over 6 √n. */
static double acceleration(const double *x, int64_t n, double mean)
{
    double two = 0, three = 0;
    for (int64_t i = 0; i < n; i++) {
        double u = x[i] - mean;
        two += u * u;
        three += u * u * u;
    }
    return three / (6 * pow(two, 1.5));
}

static double corrected(double p, double bias, double a)
{
    double z = bias + ig_normal_quantile(p);
    return ig_normal_cdf(bias + z / (1 - a * z));
}

/* quantile() of values that all count once, which need not be sorted for it. */
static double quantile_of_drawn(weighted *d, int64_t n_d, double p)
{
    const double at = p * (double)(n_d - 1);
    const int64_t k = (int64_t)at;
    select_value(d, 0, n_d, k);
    const double a = d[k].value;
    if (k + 1 >= n_d)
        return a;
    double next = d[k + 1].value;
    for (int64_t i = k + 2; i < n_d; i++)
        next = d[i].value < next ? d[i].value : next;
    return a + (next - a) * (at - (double)k);
}

ig_code ig_bootstrap_mean(ig_interval *out, const double *x, int64_t n, double level,
                          int64_t resamples, uint64_t seed, ig_err *err)
{
    IG_ASSERT(level > 0 && level < 1 && resamples > 0 && n <= UINT32_MAX);
    *out = (ig_interval){(double)NAN, (double)NAN, level, 0};
    IG_TRY(ig_check_finite(x, n, "bootstrap", err));
    if (n < 2)
        return IG_ERR_OK;
    const ig_summary s = ig_summarise(x, n);
    if (s.min == s.max) {
        out->low = out->high = s.mean;
        return IG_ERR_OK;
    }
    const int64_t every = multisets(n, resamples);
    const bool all = every <= resamples;
    const int64_t n_d = all ? every : resamples;
    weighted *d;
    IG_TRY(ig_alloc(&d, n_d, sizeof *d, "bootstrap", err));
    if (all) {
        ig_code code = all_resamples(d, n_d, x, n, err);
        if (code != IG_ERR_OK) {
            ig_free(d);
            return code;
        }
    } else
        drawn_resamples(d, n_d, x, n, seed);
    if (all)
        qsort(d, (size_t)n_d, sizeof *d, by_value);
    /* Sums in another order differ in their last bits: what is as near as that to the estimate is
     * equal to it. */
    const double near = 1e-12 * fmax(fabs(s.min), fabs(s.max));
    double total = 0, below = 0, equal = 0;
    for (int64_t k = 0; k < n_d; k++) {
        total += d[k].count;
        if (fabs(d[k].value - s.mean) <= near)
            equal += d[k].count;
        else if (d[k].value < s.mean)
            below += d[k].count;
    }
    const double bias = ig_normal_quantile((below + equal / 2) / total),
                 a = acceleration(x, n, s.mean);
    double low = corrected((1 - level) / 2, bias, a), high = corrected((1 + level) / 2, bias, a);
    if (!isfinite(bias) || !isfinite(a) || !(low <= high)) {
        low = (1 - level) / 2;
        high = (1 + level) / 2;
    }
    out->low = all ? quantile(d, n_d, total, low) : quantile_of_drawn(d, n_d, low);
    out->high = all ? quantile(d, n_d, total, high) : quantile_of_drawn(d, n_d, high);
    out->resamples = (int64_t)total;
    ig_free(d);
    return IG_ERR_OK;
}
