/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes how many pairs a two-sided paired t test needs. Its power with n pairs is P(|T| > t)
 * for the non-central t of n − 1 degrees of freedom and non-centrality √n·difference/sd (Cohen
 * 1988, Statistical power analysis, §2), here as the integral over s = √(χ²/df) of Φ(δ − t s) +
 * Φ(−δ − t s), by Gauss–Legendre on intervals around the points of large curvature.
 */
#include "base/numeric/statistics.h"

#include "base/numeric/statistics_internal.h"

#include <math.h>

/* Beyond this many pairs t is normal to more digits than the integral has. */
static const double normal_from = 1e6;

/* Density of s times the power given s. */
static double integrand(double s, double df, double log_front, double delta, double t)
{
    if (s <= 0)
        return 0;
    double density = exp(log_front + (df - 1) * log(s) - df * s * s / 2);
    return density * (ig_normal_cdf(delta - t * s) + ig_normal_cdf(-delta - t * s));
}

/* Ten points an interval (Abramowitz & Stegun 25.4.30 and table 25.4). Five intervals are within
 * 1e-8 of sixty-four for 2 to 200 000 pairs and effects of 0.001 to 8. */
static double integrate(double from, double to, double df, double log_front, double delta, double t)
{
    static const double x[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                               0.8650633666889845, 0.9739065285171717};
    static const double w[] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159821,
                               0.1494513491505806, 0.0666713443086881};
    enum { PIECES = 5 };
    double sum = 0;
    const double half = (to - from) / (2 * PIECES);
    for (int i = 0; i < PIECES; i++) {
        const double mid = from + (2 * i + 1) * half;
        for (int k = 0; k < 5; k++)
            sum += w[k] * (integrand(mid - half * x[k], df, log_front, delta, t) +
                           integrand(mid + half * x[k], df, log_front, delta, t));
    }
    return sum * half;
}

static double power_of(double n, double effect, double alpha)
{
    const double df = n - 1, delta = effect * sqrt(n);
    if (n > normal_from) {
        const double z = -ig_normal_quantile(alpha / 2);
        return ig_normal_cdf(delta - z) + ig_normal_cdf(-delta - z);
    }
    const double t = ig_student_critical(df, alpha),
                 log_front = log(2) + df / 2 * log(df / 2) - lgamma(df / 2);
    /* s has mean about 1 and standard deviation about 1/√(2 df); Φ(δ − t s) falls around δ/t within
     * 1/t. */
    const double spread = 12 / sqrt(2 * df);
    const double low = fmax(0, 1 - spread), high = 1 + spread;
    double cut[4] = {low, (delta - 9) / t, (delta + 9) / t, high}, sum = 0;
    for (int i = 1; i < 3; i++)
        cut[i] = fmin(fmax(cut[i], low), high);
    for (int i = 0; i < 3; i++)
        if (cut[i + 1] > cut[i])
            sum += integrate(cut[i], cut[i + 1], df, log_front, delta, t);
    return sum;
}

int64_t ig_seeds_needed(double difference, double sd, double alpha, double power)
{
    if (!isfinite(difference) || difference == 0 || !(sd >= 0) || !isfinite(sd) || !(alpha > 0) ||
        !(alpha < 1) || !(power > 0) || !(power < 1))
        return -1;
    const double effect = fabs(difference) / sd;
    /* Near the number for the normal distribution (without its far tail), plus the correction for
     * Student's t (Guenther 1981, Sample size formulas for normal theory t tests): usually one less
     * is not enough. */
    const double tail = ig_normal_quantile(alpha / 2), z = ig_normal_quantile(power) - tail;
    const double normal = z > 0 ? z / effect * (z / effect) : 2;
    const double guess =
        ceil(normal) < normal_from ? ceil(normal + tail * tail / 2) - 1 : ceil(normal);
    enum { FAR_FROM_TWO = 20 };
    if (sd == 0 || (!(guess > FAR_FROM_TWO) && power_of(2, effect, alpha) >= power))
        return 2;
    if (!(guess < 1e18))
        return -1;
    /* The power grows with n: a bracket low < n ≤ high around the guess, then bisection. */
    int64_t low = guess > 3 ? (int64_t)guess : 3, high = low, step = 1;
    while (low > 2 && power_of((double)low, effect, alpha) >= power) {
        high = low;
        low = low - step > 2 ? low - step : 2;
        step *= 2;
    }
    step = 1;
    while (high == low || power_of((double)high, effect, alpha) < power) {
        low = high;
        high += step;
        step *= 2;
    }
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (power_of((double)mid, effect, alpha) < power)
            low = mid;
        else
            high = mid;
    }
    return high;
}

double ig_difference_decided(int64_t n, double alpha, double power)
{
    double low = 0, high = 1;
    if (n < 2 || !(alpha > 0) || !(alpha < 1) || !(power > 0) || !(power < 1))
        return (double)NAN;
    while (power_of((double)n, high, alpha) < power)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        const double mid = low + (high - low) / 2;
        if (power_of((double)n, mid, alpha) < power)
            low = mid;
        else
            high = mid;
    }
    return high;
}
