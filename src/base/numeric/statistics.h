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

/* The exact interval of a share, `right` of n independent cases (Clopper & Pearson 1934): never
 * shorter than its level says. `right` need not be whole: a mean of two dependent counts. n 0: NaN.
 */
ig_interval ig_interval_of_count(double right, double n, double level);
/* P of at least `right` of n cases where each is right with probability p; 1 for right 0. With p ½
 * it is the sign test of `right` differences above 0 among n that are not 0. */
double ig_binomial_at_least(double right, double n, double p);

/* A sum of the means of independent samples, of spreads that need not be equal, + plus, tested
 * beside others: a difference of two cells, or of two differences. Samples bring their factors and
 * signs with them. */
typedef struct {
    int64_t n;            /* values of the smallest sample; 0: nothing was tested */
    double mean, sd;      /* sd: the standard error times √n; NaN for n < 2 */
    ig_interval interval; /* of the mean, of level 1 − .05/n_test; NaN for n < 2 */
    /* Two-sided, of mean 0, and times n_test (Bonferroni): the second is below .05 where the
     * interval leaves 0 out. */
    double p, p_adjusted;
} ig_contrast;
ig_contrast ig_contrast_of(const ig_summary *s, int n, double plus, int n_test);

/* Values of a sample needed so that a two-sided t test at level alpha has the given power for a
 * mean of `difference` where values have standard deviation sd (a contrast's .sd) (non-central t,
 * by search); −1 when sd is NaN or difference is 0; at least 2. */
int64_t ig_seeds_needed(double difference, double sd, double alpha, double power);
/* The other way round: the least difference that n values decide, in the same sd; NaN for n < 2. */
double ig_difference_decided(int64_t n, double alpha, double power);

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
    double tau_b;
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
