/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of right cases: the exact interval of their share (Clopper & Pearson 1934, The use of
 * confidence or fiducial limits illustrated in the case of the binomial) and the tail of the
 * binomial, both by the incomplete beta function, which is defined between whole counts, too.
 */
#include "base/numeric/statistics_internal.h"

#include <math.h>

/* x with I_x(a, b) = p, by bisection: to the last bits, as I is monotonous. */
static double beta_quantile(double a, double b, double p)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double x = (low + high) / 2;
        if (ig_incomplete_beta(a, b, x, 1 - x) < p)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

ig_interval ig_interval_of_count(double right, double n, double level)
{
    const double tail = (1 - level) / 2;
    ig_interval i = {(double)NAN, (double)NAN, level};
    if (!(n > 0) || !(right >= 0 && right <= n))
        return i;
    i.low = right > 0 ? beta_quantile(right, n - right + 1, tail) : 0;
    i.high = right < n ? beta_quantile(right + 1, n - right, 1 - tail) : 1;
    return i;
}

double ig_binomial_at_least(double right, double n, double p)
{
    if (right <= 0)
        return 1;
    return right > n ? 0 : ig_incomplete_beta(right, n - right + 1, p, 1 - p);
}
