/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and inner products in double, term by term in order.
 */
#pragma once

#include <stdint.h>

static inline double ig_sum(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static inline double ig_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Of floats, whose products are exact. */
static inline double ig_dot_floats(const float *a, const float *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static inline double ig_dot_mixed(const double *a, const float *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * (double)b[i];
    return sum;
}
