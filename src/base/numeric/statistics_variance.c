/* SPDX-License-Identifier: Apache-2.0
 *
 * Variance components of a one-way random model, by the method of moments for groups of unequal
 * size: Searle, Casella & McCulloch 1992, Variance Components, §3.6 (ANOVA estimators).
 */
#include "base/numeric/statistics.h"

#include <math.h>

ig_variance_parts ig_variance_split(const double *mean, const double *sd, const int64_t *n,
                                    int64_t n_group)
{
    ig_variance_parts out = {.n_group = n_group, .between = (double)NAN, .within = (double)NAN};
    double grand = 0, inside = 0, among = 0, squares = 0;
    for (int64_t i = 0; i < n_group; i++) {
        const double size = (double)n[i];
        out.n += n[i];
        grand += size * mean[i];
        squares += size * size;
        inside += n[i] > 1 ? (size - 1) * sd[i] * sd[i] : 0;
    }
    const double total = (double)out.n;
    if (out.n <= n_group)
        return out; /* one of each: not separable */
    out.within = inside / (total - (double)n_group);
    if (n_group < 2)
        return out;
    grand /= total;
    for (int64_t i = 0; i < n_group; i++)
        among += (double)n[i] * (mean[i] - grand) * (mean[i] - grand);
    among /= (double)n_group - 1;
    const double size = (total - squares / total) / ((double)n_group - 1);
    out.between = among > out.within ? (among - out.within) / size : 0;
    return out;
}
