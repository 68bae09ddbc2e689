/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals of a mean: scipy's numbers (tests/data/statistics/scipy.json), what must hold for any
 * sample, and how often they hold the mean they are of.
 */
#include "base/rng.h"
#include "base/numeric/statistics.h"
#include "store/store_task.h"

#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static ig_interval interval(const double *x, int n, ig_value_range range, double level)
{
    const ig_summary s = ig_summarise(x, n);
    return ig_interval_of_mean(&s, range, level);
}

static void as_scipy(void **state)
{
    (void)state;
    json_error_t why;
    json_t *scipy = json_load_file(IG_TEST_DATA "/statistics/scipy.json", 0, &why), *c;
    assert_non_null(scipy);
    const json_t *all = json_object_get(scipy, "intervals");
    size_t i;
    assert_true(json_array_size(all) > 20);
    json_array_foreach(all, i, c)
    {
        const json_t *values = json_object_get(c, "x");
        const char *name = json_string_value(json_object_get(c, "range"));
        const ig_value_range range = strcmp(name, "share") == 0      ? IG_RANGE_SHARE
                                     : strcmp(name, "positive") == 0 ? IG_RANGE_POSITIVE
                                                                     : IG_RANGE_ANY;
        double x[16];
        const int n = (int)json_array_size(values);
        assert_true(n <= 16);
        for (int k = 0; k < n; k++)
            x[k] = json_number_value(json_array_get(values, (size_t)k));
        const ig_interval got =
            interval(x, n, range, json_number_value(json_object_get(c, "level")));
        assert_true(fabs(got.low - json_number_value(json_object_get(c, "low"))) < 1e-9);
        assert_true(fabs(got.high - json_number_value(json_object_get(c, "high"))) < 1e-9);
    }
    json_decref(scipy);
}

static void properties(void **state)
{
    (void)state;
    /* One value has none; equal values do not vary. */
    const double same[] = {0.3, 0.3, 0.3}, ones[] = {1, 1};
    ig_interval i = interval(same, 1, IG_RANGE_SHARE, 0.95);
    assert_true(isnan(i.low) && isnan(i.high));
    i = interval(same, 0, IG_RANGE_ANY, 0.95);
    assert_true(isnan(i.low) && isnan(i.high));
    i = interval(same, 3, IG_RANGE_SHARE, 0.95);
    assert_true(i.low == 0.3 && i.high == 0.3);
    i = interval(ones, 2, IG_RANGE_SHARE, 0.95);
    assert_true(i.low == 1 && i.high == 1);
    /* Never outside its range, however little two values say. */
    const double wide[] = {0.01, 0.99}, small[] = {0, 0.02}, far[] = {2, 4000};
    i = interval(wide, 2, IG_RANGE_SHARE, 0.95);
    assert_true(i.low >= 0 && i.high <= 1 && i.low < 0.01 && i.high > 0.99);
    i = interval(small, 2, IG_RANGE_SHARE, 0.95);
    assert_true(i.low > 0 && i.low < 0.01 && i.high > 0.01 && i.high < 1);
    i = interval(far, 2, IG_RANGE_POSITIVE, 0.95);
    assert_true(i.low > 0 && i.low < 2001 && i.high > 2001);
    /* Values outside the range get the plain interval. */
    const double not_shares[] = {1.2, 1.6};
    const ig_interval a = interval(not_shares, 2, IG_RANGE_SHARE, 0.95),
                      b = interval(not_shares, 2, IG_RANGE_ANY, 0.95);
    assert_true(a.low == b.low && a.high == b.high && a.low < 1.4 && a.high > 1.4);
    /* Earlier calls with other arguments have no effect. */
    const double three[] = {0.2, 0.25, 0.4};
    const ig_interval first = interval(three, 3, IG_RANGE_SHARE, 0.95);
    (void)interval(wide, 2, IG_RANGE_SHARE, 0.95);
    (void)interval(three, 3, IG_RANGE_SHARE, 0.8);
    i = interval(three, 3, IG_RANGE_SHARE, 0.95);
    assert_memory_equal(&i, &first, sizeof i);
    /* Every task has a range: what is printed with two digits is a share. */
    assert_int_equal(ig_store_task_range("mu"), IG_RANGE_SHARE);
    assert_int_equal(ig_store_task_range("perplexity"), IG_RANGE_POSITIVE);
    assert_int_equal(ig_store_task_range("seconds"), IG_RANGE_POSITIVE);
    assert_int_equal(ig_store_task_range("cka_debiased"), IG_RANGE_ANY);
    assert_int_equal(ig_store_task_range("neurons_order"), IG_RANGE_ANY);
    assert_int_equal(ig_store_task_range("no such task"), IG_RANGE_ANY);
}

/* --- how often the mean is inside ------------------------------------------------------------- */

typedef struct {
    const char *name;
    ig_value_range range;
    double a, b, mean;
    double (*draw)(ig_rng *r, double a, double b);
} distribution;

static double normal(ig_rng *r, double mean, double sd)
{
    return mean + sd * ig_rng_normal(r);
}

static double log_normal(ig_rng *r, double mu, double sigma)
{
    return exp(mu + sigma * ig_rng_normal(r));
}

static double logit_normal(ig_rng *r, double mu, double sigma)
{
    return 1 / (1 + exp(-mu - sigma * ig_rng_normal(r)));
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The a-th smallest of a + b − 1 uniform numbers has the distribution Beta(a, b). */
static double beta(ig_rng *r, double a, double b)
{
    double u[64];
    const int n = (int)(a + b) - 1;
    assert_true(n <= 64);
    for (int i = 0; i < n; i++)
        u[i] = ig_rng_unit(r);
    qsort(u, (size_t)n, sizeof *u, ascending);
    return u[(int)a - 1];
}

/* Mean of a logit-normal, by the trapezoid rule. */
static double logit_normal_mean(double mu, double sigma)
{
    double sum = 0, weight = 0;
    for (int k = -4000; k <= 4000; k++) {
        const double z = k / 500., w = exp(-z * z / 2);
        sum += w / (1 + exp(-mu - sigma * z));
        weight += w;
    }
    return sum / weight;
}

/* Measures of seeds may be near the middle, near either end, skewed, wide. An interval of 95 % must
 * contain the mean in 93 to 97 of 100 cases; 10 000 samples have a standard error of 0.22. */
static void coverage(void **state)
{
    (void)state;
    enum { TIMES = 10000, MOST = 10 };
    const double low = log(.05 / .95), mid = log(.3 / .7);
    const distribution all[] = {
        {"normal", IG_RANGE_ANY, 0, 1, 0, normal},
        {"share, normal(.5, .05)", IG_RANGE_SHARE, .5, .05, .5, normal},
        {"share, Beta(20, 5)", IG_RANGE_SHARE, 20, 5, 20 / 25., beta},
        {"share, Beta(2, 5)", IG_RANGE_SHARE, 2, 5, 2 / 7., beta},
        {"share, Beta(2, 30)", IG_RANGE_SHARE, 2, 30, 2 / 32., beta},
        {"share, Beta(50, 2)", IG_RANGE_SHARE, 50, 2, 50 / 52., beta},
        {"share, uniform", IG_RANGE_SHARE, 1, 1, .5, beta},
        {"share, logit normal at .05", IG_RANGE_SHARE, low, .3, logit_normal_mean(low, .3),
         logit_normal},
        {"share, logit normal at .3", IG_RANGE_SHARE, mid, 1, logit_normal_mean(mid, 1),
         logit_normal},
        {"perplexity, log normal", IG_RANGE_POSITIVE, log(100.), .2, 100 * exp(.02), log_normal},
        {"perplexity, normal(100, 15)", IG_RANGE_POSITIVE, 100, 15, 100, normal},
    };
    for (size_t d = 0; d < sizeof all / sizeof *all; d++)
        for (int n = 2; n <= MOST; n++) {
            int held = 0;
            ig_rng r = ig_rng_make(d, IG_STREAM_TEST, 30, (uint32_t)n);
            for (int k = 0; k < TIMES; k++) {
                double x[MOST];
                for (int i = 0; i < n; i++)
                    x[i] = all[d].draw(&r, all[d].a, all[d].b);
                const ig_interval b = interval(x, n, all[d].range, 0.95);
                held += b.low <= all[d].mean && all[d].mean <= b.high;
            }
            const double share = (double)held / TIMES;
            if (share < .93 || share > .97)
                print_error("%s: %d values cover %.3f\n", all[d].name, n, share);
            assert_true(share >= .93 && share <= .97);
        }
}

/* Against scipy's beta.ppf and binom.sf. */
static void counts(void **state)
{
    static const struct {
        double right, n, level, low, high;
    } share[] = {{0, 10, .95, 0, 0.30849710781876083},
                 {5, 10, .95, 0.18708602844739512, 0.8129139715526049},
                 {3, 24, .95, 0.026559314986248948, 0.3236113581888329}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const ig_interval v = ig_interval_of_count(share[i].right, share[i].n, share[i].level);
        assert_true(fabs(v.low - share[i].low) < 1e-12 && fabs(v.high - share[i].high) < 1e-12);
    }
    assert_true(ig_interval_of_count(7, 7, .95).high == 1);
    assert_true(isnan(ig_interval_of_count(0, 0, .95).low));
    assert_true(fabs(ig_binomial_at_least(8, 10, .5) - 56. / 1024) < 1e-14);
    assert_true(fabs(ig_binomial_at_least(20, 20, .5) - 1. / 1048576) < 1e-18);
    assert_true(ig_binomial_at_least(0, 20, .5) == 1 && ig_binomial_at_least(21, 20, .5) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_scipy),
        cmocka_unit_test(properties),
        cmocka_unit_test(coverage),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
