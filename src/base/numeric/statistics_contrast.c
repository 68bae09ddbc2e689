/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests a sum of means of independent samples of unequal spread: the standard errors are added, and
 * the quantile is Student's t with the degrees of freedom of the smallest sample (Hsu 1938,
 * Contributions to the theory of "Student's" t-test as applied to the problem of two samples).
 * Welch's approximate degrees of freedom decide more, but far in the tails, where one claim among
 * forty is tested, they reject up to twice as often as they say
 * (tests/base/numeric/test_contrast.c).
 */
#include "base/numeric/statistics_internal.h"

#include <math.h>

/* Values that are equal but for rounding do not vary. */
static double variance_of_mean(const ig_summary *s)
{
    const double size = fmax(fabs(s->min), fabs(s->max));
    return s->sd <= 1e-14 * size ? 0 : s->sd * s->sd / (double)s->n;
}

ig_contrast ig_contrast_of(const ig_summary *s, int n, double plus, int n_test)
{
    const double nan = (double)NAN, alpha = .05 / n_test;
    ig_contrast c = {.mean = plus, .sd = nan, .interval = {nan, nan, 1 - alpha}};
    double variance = 0, size = fabs(plus);
    for (int i = 0; i < n; i++) {
        c.n = i == 0 || s[i].n < c.n ? s[i].n : c.n;
        c.mean += s[i].mean;
        size += fabs(s[i].mean);
        variance += variance_of_mean(&s[i]);
    }
    /* Without spread, what rounding leaves of equal means would be a certain difference. */
    if (fabs(c.mean) <= 1e-14 * size)
        c.mean = 0;
    c.p = c.p_adjusted = nan;
    if (c.n < 2)
        return c;
    const double se = sqrt(variance), df = (double)(c.n - 1),
                 half = se > 0 ? ig_student_critical(df, alpha) * se : 0;
    c.sd = se * sqrt((double)c.n);
    c.interval.low = c.mean - half;
    c.interval.high = c.mean + half;
    c.p = se > 0 ? ig_student_outside(df, fabs(c.mean) / se) : fabs(c.mean) > 0 ? 0 : 1;
    c.p_adjusted = fmin(1, c.p * n_test);
    return c;
}
