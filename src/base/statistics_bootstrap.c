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
 *
 * Beyond, what is drawn is the same for every sample of as many values, so eight samples are
 * resampled side by side.
 */
#include "base/statistics.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/statistics_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of the bootstrap distribution and how many of the resamples have it. */
typedef struct {
    double value, count;
} weighted;

/* Ascending by value (Shell 1959, with the gaps of Ciura 2001): lists of a few hundred at most that
 * are sorted by the ten thousand. */
static void sort_values(weighted *d, int64_t n)
{
    static const int64_t gaps[] = {7000, 3500, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int64_t i = gaps[g]; i < n; i++) {
            const weighted w = d[i];
            int64_t k = i;
            for (; k >= gaps[g] && d[k - gaps[g]].value > w.value; k -= gaps[g])
                d[k] = d[k - gaps[g]];
            d[k] = w;
        }
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

/* What was drawn last. A table asks for the resamples of one number of seeds over and over, a curve
 * by turns for those of all seeds and of the seeds with an onset, and drawing takes most of the
 * time; the same seed draws the same. A list that would be large is not kept. */
enum { KEPT_MAX = 1 << 24, N_KEPT = 2 };
typedef struct {
    uint64_t seed;
    int64_t n, n_d, room;
    uint16_t *index; /* [n_d, n] */
} draws;
static _Thread_local draws kept[N_KEPT]; /* the one asked for last first */

/* NULL: not kept. */
static const uint16_t *keep_draws(int64_t n_d, int64_t n, uint64_t seed)
{
    if (n > UINT16_MAX || n_d > KEPT_MAX / n)
        return NULL;
    int at = 0;
    while (at < N_KEPT - 1 && (kept[at].index == NULL || kept[at].seed != seed || kept[at].n != n ||
                               kept[at].n_d != n_d))
        at++;
    draws d = kept[at];
    for (; at > 0; at--)
        kept[at] = kept[at - 1];
    kept[0] = (draws){0};
    const bool have = d.index != NULL && d.seed == seed && d.n == n && d.n_d == n_d;
    if (!have) {
        if (ig_grow(&d.index, &d.room, n_d * n, sizeof *d.index, "bootstrap", NULL) != IG_ERR_OK) {
            ig_free(d.index);
            return NULL;
        }
        ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 0, 0);
        for (int64_t k = 0; k < n_d * n; k++)
            d.index[k] = (uint16_t)ig_rng_below(&r, (uint32_t)n);
        d.seed = seed;
        d.n = n;
        d.n_d = n_d;
    }
    kept[0] = d;
    return d.index;
}

/* Samples that are resampled side by side, each a lane. */
enum { LANES = 8, TWO = 2, VECTORS = LANES / TWO };
typedef double couple __attribute__((vector_size(TWO * sizeof(double))));

/* mean[lane, n_d]: the means of the drawn resamples. The draws are those of any sample of n, and a
 * lane's sums are made in their order, so they do not depend on what stands beside it. x[n, LANES].
 */
static void drawn_means(double *mean, int n_lane, int64_t n_d, const couple *x, int64_t n,
                        uint64_t seed)
{
    const uint16_t *index = keep_draws(n_d, n, seed);
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 0, 0);
    for (int64_t k = 0; k < n_d; k++) {
        couple sum[VECTORS] = {{0}};
        double of[LANES];
        for (int64_t i = 0; i < n; i++) {
            const couple *row =
                x + (index != NULL ? index[k * n + i] : ig_rng_below(&r, (uint32_t)n)) * VECTORS;
            for (int v = 0; v < VECTORS; v++)
                sum[v] += row[v];
        }
        memcpy(of, sum, sizeof of);
        for (int lane = 0; lane < n_lane; lane++)
            mean[lane * n_d + k] = of[lane] / (double)n;
    }
}

/* A value of d[from..last] near the one that is sought: of a sample, so that a part at an end is
 * found in one go (Floyd & Rivest 1975, in small). */
static double pivot_near(const double *d, int64_t from, int64_t last, int64_t at)
{
    enum { SAMPLE = 63, FEW = 1000 };
    if (last - from < FEW)
        return d[from + (last - from) / 2];
    double s[SAMPLE];
    const int64_t stride = (last - from) / SAMPLE;
    for (int64_t i = 0; i < SAMPLE; i++) {
        const double x = d[from + i * stride];
        int64_t k = i;
        for (; k > 0 && s[k - 1] > x; k--)
            s[k] = s[k - 1];
        s[k] = x;
    }
    /* A little towards the middle of where it should be. */
    const int64_t rank = (at - from) * SAMPLE / (last - from + 1);
    return s[rank < SAMPLE / 2 ? rank + 2 : rank > SAMPLE / 2 ? rank - 2 : rank];
}

/* Reorders d[from..to-1] so that what would stand at `at` if it were sorted stands there, nothing
 * larger before it and nothing smaller behind it (Hoare 1961, Find). */
static void select_value(double *d, int64_t from, int64_t to, int64_t at)
{
    for (int64_t last = to - 1; from < last;) {
        const double pivot = pivot_near(d, from, last, at);
        int64_t i = from, j = last;
        while (i <= j) {
            while (d[i] < pivot)
                i++;
            while (d[j] > pivot)
                j--;
            if (i <= j) {
                const double w = d[i];
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
static double quantile_of_drawn(double *d, int64_t n_d, double p)
{
    const double at = p * (double)(n_d - 1);
    const int64_t k = (int64_t)at;
    select_value(d, 0, n_d, k);
    const double a = d[k];
    if (k + 1 >= n_d)
        return a;
    double next = d[k + 1];
    for (int64_t i = k + 2; i < n_d; i++)
        next = d[i] < next ? d[i] : next;
    return a + (next - a) * (at - (double)k);
}

/* Sums in another order differ in their last bits: what is as near as this to the estimate is equal
 * to it. */
static double nearness(const ig_summary *s)
{
    return 1e-12 * fmax(fabs(s->min), fabs(s->max));
}

/* Which quantiles are the ends of an interval: share of the resamples below the estimate, those
 * that are equal to it counted half. */
static void ends(double *low, double *high, const double *x, int64_t n, double mean, double share,
                 double level)
{
    const double bias = ig_normal_quantile(share), a = acceleration(x, n, mean);
    *low = corrected((1 - level) / 2, bias, a);
    *high = corrected((1 + level) / 2, bias, a);
    if (!isfinite(bias) || !isfinite(a) || !(*low <= *high)) {
        *low = (1 - level) / 2;
        *high = (1 + level) / 2;
    }
}

static ig_code interval_of_all(ig_interval *out, const ig_sample *x, const ig_summary *s,
                               int64_t n_d, ig_err *err)
{
    weighted *d;
    double total = 0, below = 0, equal = 0, low, high;
    const double near = nearness(s);
    IG_TRY(ig_alloc(&d, n_d, sizeof *d, "bootstrap", err));
    ig_code code = all_resamples(d, n_d, x->x, x->n, err);
    if (code == IG_ERR_OK) {
        sort_values(d, n_d);
        for (int64_t k = 0; k < n_d; k++) {
            total += d[k].count;
            if (fabs(d[k].value - s->mean) <= near)
                equal += d[k].count;
            else if (d[k].value < s->mean)
                below += d[k].count;
        }
        ends(&low, &high, x->x, x->n, s->mean, (below + equal / 2) / total, out->level);
        out->low = quantile(d, n_d, total, low);
        out->high = quantile(d, n_d, total, high);
        out->resamples = (int64_t)total;
    }
    ig_free(d);
    return code;
}

static void interval_of_drawn(ig_interval *out, const ig_sample *x, const ig_summary *s,
                              double *mean, int64_t n_d)
{
    int64_t below = 0, equal = 0;
    double low, high;
    const double near = nearness(s);
    for (int64_t k = 0; k < n_d; k++) {
        const int is_equal = fabs(mean[k] - s->mean) <= near;
        equal += is_equal;
        below += !is_equal & (mean[k] < s->mean);
    }
    ends(&low, &high, x->x, x->n, s->mean, ((double)below + (double)equal / 2) / (double)n_d,
         out->level);
    out->low = quantile_of_drawn(mean, n_d, low);
    out->high = quantile_of_drawn(mean, n_d, high);
    out->resamples = n_d;
}

/* The intervals of samples of as many values, by drawing. */
static ig_code draw(ig_interval *const *out, const ig_sample *const *x, const ig_summary *s,
                    int n_lane, int64_t n_d, uint64_t seed, ig_err *err)
{
    couple *side;
    double *mean;
    const int64_t n = x[0]->n;
    IG_TRY(ig_alloc(&side, n * VECTORS, sizeof *side, "bootstrap", err));
    ig_code code = ig_alloc(&mean, n_lane * n_d, sizeof *mean, "bootstrap", err);
    if (code == IG_ERR_OK) {
        for (int64_t i = 0; i < n; i++)
            for (int lane = 0; lane < n_lane; lane++)
                ((double *)side)[i * LANES + lane] = x[lane]->x[i];
        drawn_means(mean, n_lane, n_d, side, n, seed);
        for (int lane = 0; lane < n_lane; lane++)
            interval_of_drawn(out[lane], x[lane], &s[lane], mean + lane * n_d, n_d);
    }
    ig_free(mean);
    ig_free(side);
    return code;
}

/* Of the first sample that waits, and of others of as many values; they wait no more. */
static ig_code draw_some(ig_interval *out, const ig_sample *x, int *waiting, int *n_waiting,
                         int64_t n_d, uint64_t seed, ig_err *err)
{
    ig_interval *to[LANES];
    const ig_sample *of[LANES];
    ig_summary s[LANES];
    const int64_t n = x[waiting[0]].n;
    int n_lane = 0, left = 0;
    for (int i = 0; i < *n_waiting; i++) {
        const int at = waiting[i];
        if (n_lane == LANES || x[at].n != n) {
            waiting[left++] = at;
            continue;
        }
        to[n_lane] = &out[at];
        of[n_lane] = &x[at];
        s[n_lane++] = ig_summarise(x[at].x, x[at].n);
    }
    *n_waiting = left;
    return draw(to, of, s, n_lane, n_d, seed, err);
}

/* Everything that need not be drawn; *must_draw where it must. */
static ig_code without_drawing(bool *must_draw, ig_interval *out, const ig_sample *x, double level,
                               int64_t resamples, ig_err *err)
{
    *must_draw = false;
    *out = (ig_interval){(double)NAN, (double)NAN, level, 0};
    IG_TRY(ig_check_finite(x->x, x->n, "bootstrap", err));
    if (x->n < 2)
        return IG_ERR_OK;
    const ig_summary s = ig_summarise(x->x, x->n);
    if (s.min == s.max) {
        out->low = out->high = s.mean;
        return IG_ERR_OK;
    }
    const int64_t every = multisets(x->n, resamples);
    *must_draw = every > resamples;
    return *must_draw ? IG_ERR_OK : interval_of_all(out, x, &s, every, err);
}

ig_code ig_bootstrap_means(ig_interval *out, const ig_sample *x, int n_sample, double level,
                           int64_t resamples, uint64_t seed, ig_err *err)
{
    IG_ASSERT(level > 0 && level < 1 && resamples > 0);
    int *waiting, n_waiting = 0;
    ig_code code = ig_alloc(&waiting, n_sample, sizeof *waiting, "bootstrap", err);
    for (int i = 0; i < n_sample && code == IG_ERR_OK; i++) {
        bool must_draw;
        IG_ASSERT(x[i].n <= UINT32_MAX);
        code = without_drawing(&must_draw, &out[i], &x[i], level, resamples, err);
        if (must_draw)
            waiting[n_waiting++] = i;
    }
    while (n_waiting > 0 && code == IG_ERR_OK)
        code = draw_some(out, x, waiting, &n_waiting, resamples, seed, err);
    ig_free(waiting);
    return code;
}

ig_code ig_bootstrap_mean(ig_interval *out, const double *x, int64_t n, double level,
                          int64_t resamples, uint64_t seed, ig_err *err)
{
    return ig_bootstrap_means(out, &(ig_sample){x, n}, 1, level, resamples, seed, err);
}
