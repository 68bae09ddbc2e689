/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of small samples, as needed for a table of seeds. Everything in double; every random
 * choice is drawn from a counter-based stream (base/rng.h), so the same input gives the same
 * figures. Values that are not finite are an error of the caller: leave missing values out and
 * report n.
 */
#pragma once

#include "isoglot/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t n;
    double mean, sd; /* sd: of the sample, divisor n − 1; NaN for n < 2 */
    double min, max, median;
} ig_summary;
/* Summarises a sample; n 0: all NaN. Two-pass, so a large mean costs no digits. */
ig_summary ig_summarise(const double *x, int64_t n);

/* The range of a quantity. */
typedef enum {
    IG_RANGE_ANY,      /* differences, correlations */
    IG_RANGE_POSITIVE, /* above 0: perplexity, seconds */
    IG_RANGE_SHARE     /* 0 to 1: accuracies */
} ig_value_range;

typedef struct {
    double low, high;
    double level; /* 0.95 */
} ig_interval;

/* Returns the interval of the mean by Student's t, of a share's logit and a size's logarithm (delta
 * method), so that it never leaves the range. n < 2: NaN; equal values: the mean itself. A mean
 * that is not inside its range gets the plain one. */
ig_interval ig_interval_of_mean(const ig_summary *s, ig_value_range range, double level);

/* Paired comparison of a with b over shared seeds: difference a − b. */
typedef struct {
    int64_t n;
    double mean, sd;      /* of the differences */
    ig_interval interval; /* of the mean difference, 95 % */
    double p;             /* two-sided sign-flip permutation test of mean 0; exact for n ≤ 20 */
    bool exact;
    double effect; /* Cohen's d_z = mean/sd; NaN when sd is 0 or n < 2 */
    double p_holm; /* set by ig_holm; = p before */
} ig_paired;
typedef struct {
    const double *a, *b;
    int64_t n;
} ig_pairs;
/* Makes comparisons out[n], each with the same bits alone or among others. */
ig_code ig_paired_compare_all(ig_paired *out, const ig_pairs *p, int n, uint64_t seed, ig_err *err);
/* Adjusts p over the comparisons of one column (Holm 1979, step-down); NaN p are left out. */
ig_code ig_holm(ig_paired *c, int n, ig_err *err);

/* Returns the pairs needed so that a two-sided paired t test at level alpha has the given power for
 * a mean difference of `difference` if differences have standard deviation sd (non-central t, by
 * search); −1 if sd is NaN or difference is 0; at least 2. */
int64_t ig_seeds_needed(double difference, double sd, double alpha, double power);

/* Values x = m + b_i + w of groups i, with independent b_i and w: the variances of both, estimated
 * without bias, except that a negative `between` is 0. */
typedef struct {
    int64_t n_group, n;     /* n: values in all */
    double between, within; /* variances; NaN: undefined (fewer than two groups; one value each) */
} ig_variance_parts;
/* Splits variance by mean[n_group], sd[n_group] (divisor n − 1; of one value not read), n[n_group]
 * of each group. */
ig_variance_parts ig_variance_split(const double *mean, const double *sd, const int64_t *n,
                                    int64_t n_group);

/* Kendall's τ-b (ties in either), O(n log n); NaN when one side is constant or n < 2. Discordant
 * etc. counts may be NULL. */
typedef struct {
    int64_t n, concordant, discordant, tied_x, tied_y, tied_both;
    double tau_a, tau_b;
} ig_kendall;
ig_code ig_kendall_tau(ig_kendall *out, const double *x, const double *y, int64_t n, ig_err *err);
double ig_pearson(const double *x, const double *y, int64_t n);
ig_code ig_spearman(double *rho, const double *x, const double *y, int64_t n, ig_err *err);

/* Spearman's ρ of v[0] and v[1] over n units, and with v[2] held fixed (NULL: partial is NaN). NaN
 * if a side is constant. Intervals: 95 %, percentile bootstrap over the units, of at least 4. */
typedef struct {
    int64_t n;
    double rho, partial;
    ig_interval interval, partial_interval;
} ig_rank_correlation;
ig_code ig_correlate_ranks(ig_rank_correlation *out, const double *const v[3], int64_t n,
                           uint64_t seed, ig_err *err);

/* Returns the onset of a curve: the step at which it first leaves its floor for good. The floor is
 * the value at the first point; the onset is the first step from which on every value exceeds floor
 * + fraction · (max − floor), log-linearly interpolated between points; NaN if max − floor <
 * least. */
double ig_onset(const double *step, const double *value, int64_t n, double fraction, double least);
