/* SPDX-License-Identifier: Apache-2.0
 *
 * The interval of a mean of few values: Student's t (Student 1908, The probable error of a mean)
 * on an unbounded scale. Shares are between 0 and 1 and sizes above 0, and near a bound their
 * distribution is skewed, for which t is wrong: with Beta(2, 30) its 95 % interval covers 92 % at
 * n = 5. So the interval is that of the logit of a share's mean, or of the logarithm of a size's,
 * with its standard error by the derivative (delta method), and its ends are transformed back.
 * tests/base/numeric/test_intervals.c measures the coverage.
 */
#include "base/assert.h"

#include "base/numeric/statistics_internal.h"

#include <math.h>

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

ig_interval ig_interval_of_mean(const ig_summary *s, ig_value_range range, double level)
{
    ig_interval i = {(double)NAN, (double)NAN, level};
    IG_ASSERT(level > 0 && level < 1);
    if (s->n < 2)
        return i;
    if (!(s->sd > 0)) {
        i.low = i.high = s->mean;
        return i;
    }
    const double m = s->mean, half = ig_student_critical((double)(s->n - 1), 1 - level) * s->sd /
                                     sqrt((double)s->n);
    if (range == IG_RANGE_SHARE && m > 0 && m < 1) {
        const double at = log(m / (1 - m)), by = half / (m * (1 - m));
        i.low = logistic(at - by);
        i.high = logistic(at + by);
    } else if (range == IG_RANGE_POSITIVE && m > 0) {
        i.low = m * exp(-half / m);
        i.high = m * exp(half / m);
    } else {
        i.low = m - half;
        i.high = m + half;
    }
    return i;
}
