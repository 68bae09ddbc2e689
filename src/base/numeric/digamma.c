/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes digamma by the series for large x, reached by recurrence.
 */
#include "base/numeric/digamma.h"

#include <math.h>

double ig_digamma(double x)
{
    double sum = 0;
    for (; x < 7; x++)
        sum -= 1 / x;
    x -= 0.5;
    const double y = 1 / (x * x);
    return sum + log(x) + y * (1.0 / 24 - y * (7.0 / 960 - y * (31.0 / 8064 - y * 127.0 / 30720)));
}
