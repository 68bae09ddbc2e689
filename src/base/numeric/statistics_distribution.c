/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributions for the tests and intervals: normal (Φ by erfc, its inverse by Halley steps on it)
 * and Student's t (incomplete beta function by its continued fraction, DLMF 8.17.22, by Lentz's
 * method; the critical value by Newton's steps).
 */
#include "base/numeric/statistics_internal.h"

#include <math.h>

static const double sqrt_2 = 1.4142135623730950488, sqrt_2pi = 2.5066282746310005024,
                    pi = 3.14159265358979323846;

double ig_normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt_2);
}

double ig_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return (double)NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -(double)INFINITY : (double)INFINITY;
    /* The lower tail keeps its digits in erfc; the upper one is its mirror. */
    if (p > 0.5)
        return -ig_normal_quantile(1 - p);
    /* Abramowitz & Stegun 26.2.23, |error| < 4.5e-4, then three steps of third order. */
    double t = sqrt(-2 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 3; i++) {
        double density = exp(-z * z / 2) / sqrt_2pi;
        if (!(density > 0))
            break;
        double u = (ig_normal_cdf(z) - p) / density;
        z -= u / (1 + z * u / 2);
    }
    return z;
}

/* Continued fraction of I_x(a, b), for x below (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 10000; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double e = odd == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 + e * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + e / c;
            c = fabs(c) < tiny ? tiny : c;
            f *= c * d;
        }
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return f;
}

double ig_incomplete_beta(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double ig_student_outside(double df, double t)
{
    double s = t * t;
    return ig_incomplete_beta(df / 2, 0.5, df / (df + s), s / (df + s));
}

/* Density of t. */
static double student_density(double df, double t)
{
    const double front = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * pi);
    return exp(front - (df + 1) / 2 * log1p(t * t / df));
}

static double student_critical(double df, double alpha)
{
    double t = 1;
    while (ig_student_outside(df, 2 * t) > alpha && t < 1e300)
        t *= 2;
    while (ig_student_outside(df, t) < alpha)
        t /= 2;
    /* P(|T| > t) is convex in t: from below, Newton's steps rise to the root and pass it only by
     * rounding. */
    for (int i = 0; i < 100; i++) {
        const double step = (ig_student_outside(df, t) - alpha) / (2 * student_density(df, t));
        t += step;
        if (!(step > 1e-15 * t))
            break;
    }
    return t;
}

/* A table needs the same few numbers of seeds repeatedly, and each computation takes dozens of
 * exponentials. */
double ig_student_critical(double df, double alpha)
{
    enum { KEPT = 1024 };
    typedef struct {
        double df, alpha, t;
    } critical;
    static _Thread_local critical kept[KEPT];
    critical *c = &kept[(int64_t)fmin(df, 1e15) % KEPT];
    if (c->df != df || c->alpha != alpha)
        *c = (critical){df, alpha, student_critical(df, alpha)};
    return c->t;
}
