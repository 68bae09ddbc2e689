/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds where a curve leaves its floor for good: the last crossing of a threshold between the
 * value at the first point and the highest one, interpolated between two points linearly over log
 * step (over step if the earlier one is 0).
 */
#include "base/numeric/statistics.h"

#include <math.h>

double ig_onset(const double *step, const double *value, int64_t n, double fraction, double least)
{
    const double nan = (double)NAN;
    if (n < 2)
        return nan;
    double high = value[0];
    for (int64_t i = 1; i < n; i++)
        high = value[i] > high ? value[i] : high;
    if (!(high > value[0]) || high - value[0] < least)
        return nan;
    const double threshold = value[0] + fraction * (high - value[0]);
    int64_t last = n - 1;
    while (last >= 0 && value[last] > threshold)
        last--;
    /* Never left it for good. (The floor itself is not above the threshold.) */
    if (last == n - 1 || last < 0)
        return nan;
    const double share = (threshold - value[last]) / (value[last + 1] - value[last]);
    const double a = step[last], b = step[last + 1];
    return a > 0 ? a * pow(b / a, share) : a + (b - a) * share;
}
