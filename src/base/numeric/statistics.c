/* SPDX-License-Identifier: Apache-2.0
 *
 * Summaries of a sample and the product-moment correlation: two passes, the second one corrected
 * (Chan, Golub, LeVeque 1983, Algorithms for computing the sample variance, eq. 1.7).
 */
#include "base/numeric/statistics.h"

#include "base/numeric/statistics_internal.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_code ig_check_finite(const double *x, int64_t n, const char *what, ig_err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return ig_fail(err, IG_ERR_NUMERIC, what, 0, "value %lld is %g, expected a finite one",
                           (long long)i + 1, x[i]);
    return IG_ERR_OK;
}

static double mean_of(const double *x, int64_t n)
{
    double sum = 0, rest = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        rest += x[i] - mean;
    return mean + rest / (double)n;
}

/* Orders doubles by these keys: the bits, with those of negative numbers inverted. */
static uint64_t key_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? ~u : u | (UINT64_C(1) << 63);
}

static double of_key(uint64_t u)
{
    double x;
    u = u >> 63 ? u & ~(UINT64_C(1) << 63) : ~u;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Returns the k-th smallest (from 0) without memory: bisection over the keys. */
static double select_bits(const double *x, int64_t n, int64_t k)
{
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        int64_t below = 0;
        for (int64_t i = 0; i < n; i++)
            below += key_of(x[i]) <= mid;
        if (below > k)
            high = mid;
        else
            low = mid + 1;
    }
    return of_key(low);
}

static double median_of(const double *x, int64_t n)
{
    enum { SMALL = 256 };
    double a, b;
    if (n <= SMALL) {
        double sorted[SMALL];
        memcpy(sorted, x, (size_t)n * sizeof *x);
        qsort(sorted, (size_t)n, sizeof *sorted, ig_by_double);
        a = sorted[(n - 1) / 2];
        b = sorted[n / 2];
    } else {
        a = select_bits(x, n, (n - 1) / 2);
        b = n % 2 != 0 ? a : select_bits(x, n, n / 2);
    }
    return a + (b - a) / 2;
}

ig_summary ig_summarise(const double *x, int64_t n)
{
    const double nan = (double)NAN;
    ig_summary s = {.n = n, .mean = nan, .sd = nan, .min = nan, .max = nan, .median = nan};
    if (n < 1)
        return s;
    s.min = s.max = x[0];
    for (int64_t i = 1; i < n; i++) {
        s.min = x[i] < s.min ? x[i] : s.min;
        s.max = x[i] > s.max ? x[i] : s.max;
    }
    /* Equal values are their own mean, to the last bit, and have no variance. */
    s.mean = s.min == s.max ? s.min : mean_of(x, n);
    if (n > 1) {
        double squares = 0, rest = 0;
        for (int64_t i = 0; i < n; i++) {
            double d = x[i] - s.mean;
            squares += d * d;
            rest += d;
        }
        double v = (squares - rest * rest / (double)n) / (double)(n - 1);
        s.sd = v > 0 ? sqrt(v) : 0;
    }
    s.median = median_of(x, n);
    return s;
}

double ig_pearson(const double *x, const double *y, int64_t n)
{
    if (n < 2)
        return (double)NAN;
    const double mx = mean_of(x, n), my = mean_of(y, n);
    double xx = 0, yy = 0, xy = 0;
    bool same_x = true, same_y = true;
    for (int64_t i = 0; i < n; i++) {
        double dx = x[i] - mx, dy = y[i] - my;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
        same_x = same_x && x[i] == x[0];
        same_y = same_y && y[i] == y[0];
    }
    if (same_x || same_y || !(xx > 0) || !(yy > 0))
        return (double)NAN;
    double r = xy / (sqrt(xx) * sqrt(yy));
    return r > 1 ? 1 : r < -1 ? -1 : r;
}
