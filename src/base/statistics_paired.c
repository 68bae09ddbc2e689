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

/* All sums ±x_0 ± x_1 … beside `start`, ascending: adding a value merges the list moved down by it
 * with the list moved up. `room` holds as many. */
static int64_t sorted_sums(double *sums, double *room, double start, const double *x, int64_t n)
{
    int64_t have = 1;
    sums[0] = start;
    for (int64_t i = 0; i < n; i++) {
        const double step = fabs(x[i]);
        for (int64_t k = 0, lower = 0, upper = 0; k < 2 * have; k++) {
            const bool up =
                lower == have || (upper < have && sums[upper] + step < sums[lower] - step);
            room[k] = up ? sums[upper++] + step : sums[lower++] - step;
        }
        have *= 2;
        for (int64_t k = 0; k < have; k++)
            sums[k] = room[k];
    }
    return have;
}

/* Share of the sign patterns whose |sum| is at least the observed one. The sign of the first
 * difference stays, as a pattern and its opposite have the same |sum|. The patterns of two halves
 * are counted against each other (Horowitz & Sahni 1974), so 2^(n/2) sums are made of 2^n. */
static double exact_p(const double *d, int64_t n)
{
    enum { HALF = 1 << (EXACT_PAIRS / 2) };
    static const int64_t half = EXACT_PAIRS / 2;
    double a[HALF], b[HALF], room[HALF], observed = 0;
    for (int64_t i = 0; i < n; i++)
        observed += d[i];
    const double least = fabs(observed) - slack(d, n);
    if (least <= 0)
        return 1;
    const int64_t first = n - 1 < half ? n - 1 : half;
    const int64_t n_a = sorted_sums(a, room, d[0], d + 1, first),
                  n_b = sorted_sums(b, room, 0, d + 1 + first, n - 1 - first);
    int64_t hits = 0, above = n_b, below = 0;
    /* With a ascending, the b's from `above` on reach +least, those before `below` -least. */
    for (int64_t i = 0; i < n_a; i++) {
        while (above > 0 && a[i] + b[above - 1] >= least)
            above--;
        hits += n_b - above;
    }
    for (int64_t i = n_a - 1; i >= 0; i--) {
        while (below < n_b && a[i] + b[below] <= -least)
            below++;
        hits += below;
    }
    return (double)hits / ((double)n_a * (double)n_b);
}

/* What eight signs make of eight differences: 256 sums. */
enum { BYTE = 8, PATTERNS = 1 << BYTE };

static void byte_sums(double *table, const double *d, int64_t n)
{
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += pattern >> i & 1 ? -d[i] : d[i];
        table[pattern] = sum;
    }
}

static ig_code drawn_p(double *p, const double *d, int64_t n, uint64_t seed, ig_err *err)
{
    double observed = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        observed += d[i];
        squares += d[i] * d[i];
    }
    const double least = fabs(observed) - slack(d, n);
    int64_t hits = 0;
    /* A sum that no draw is ever going to reach: its probability is at most 2 exp(-t²/2Σd²)
     * (Hoeffding 1963, theorem 2), here below one in ten million. */
    if (least <= 0 || least * least < 2 * squares * 17) {
        const int64_t n_table = (n + BYTE - 1) / BYTE;
        double *table;
        IG_TRY(ig_alloc(&table, n_table * PATTERNS, sizeof *table, "permutation test", err));
        for (int64_t k = 0; k < n_table; k++)
            byte_sums(table + k * PATTERNS, d + k * BYTE,
                      n - k * BYTE < BYTE ? n - k * BYTE : BYTE);
        ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 1, 0);
        for (int i = 0; i < FLIPS; i++) {
            double sum = 0;
            uint32_t bits = 0;
            for (int64_t k = 0; k < n_table; k++) {
                bits = k % 4 == 0 ? ig_rng_u32(&r) : bits >> BYTE;
                sum += table[k * PATTERNS + (bits & (PATTERNS - 1))];
            }
            hits += fabs(sum) >= least;
        }
        ig_free(table);
    }
    *p = (double)(1 + hits) / (double)(1 + FLIPS);
    return IG_ERR_OK;
}

static ig_code compare(ig_paired *out, const double *a, const double *b, int64_t n, bool interval,
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
    ig_code code = IG_ERR_OK;
    if (n <= EXACT_PAIRS)
        out->p = exact_p(d, n);
    else
        code = drawn_p(&out->p, d, n, seed, err);
    out->p_holm = out->p;
    if (code == IG_ERR_OK && interval)
        code = ig_bootstrap_mean(&out->interval, d, n, 0.95, RESAMPLES, seed, err);
    ig_free(d);
    return code;
}

ig_code ig_paired_compare(ig_paired *out, const double *a, const double *b, int64_t n,
                          uint64_t seed, ig_err *err)
{
    return compare(out, a, b, n, true, seed, err);
}

ig_code ig_paired_test(ig_paired *out, const double *a, const double *b, int64_t n, uint64_t seed,
                       ig_err *err)
{
    return compare(out, a, b, n, false, seed, err);
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
