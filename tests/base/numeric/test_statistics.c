/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of small samples against scipy's numbers (tests/data/statistics/scipy.json, made by
 * tools/statistics_scipy.py), against literal readings of the definitions, and by what must hold
 * for any sample.
 */
#include "base/numeric/statistics.h"
#include "base/rng.h"
#include "base/numeric/statistics_internal.h"
#include "base/order.h"

#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *scipy;

static int load(void **state)
{
    (void)state;
    json_error_t why;
    scipy = json_load_file(IG_TEST_DATA "/statistics/scipy.json", JSON_REJECT_DUPLICATES, &why);
    return scipy == NULL;
}

static int unload(void **state)
{
    (void)state;
    json_decref(scipy);
    return 0;
}

/* NaN where scipy gave none; else within rtol of its size. */
static void near_at(double got, const json_t *want, double rtol, int line)
{
    if (json_is_null(want)) {
        if (!isnan(got))
            print_error("line %d: got %.17g, want none\n", line, got);
        assert_true(isnan(got));
        return;
    }
    double w = json_number_value(want);
    if (!(fabs(got - w) <= rtol * fabs(w) + 1e-15)) {
        print_error("line %d: got %.17g, want %.17g\n", line, got, w);
        fail();
    }
}
#define near(got, object, key, rtol) near_at(got, json_object_get(object, key), rtol, __LINE__)

static double *column(const json_t *object, const char *key, int64_t *n)
{
    const json_t *a = json_object_get(object, key);
    *n = (int64_t)json_array_size(a);
    double *x = calloc((size_t)*n + 1, sizeof *x);
    for (int64_t i = 0; i < *n; i++)
        x[i] = json_number_value(json_array_get(a, (size_t)i));
    return x;
}

#define each(item, key)                                                                            \
    size_t i_##item;                                                                               \
    json_t *item;                                                                                  \
    assert_true(json_array_size(json_object_get(scipy, key)) > 0);                                 \
    json_array_foreach(json_object_get(scipy, key), i_##item, item)

static void summaries(void **state)
{
    (void)state;
    each(c, "summary")
    {
        int64_t n;
        double *x = column(c, "x", &n);
        ig_summary s = ig_summarise(x, n);
        assert_int_equal(s.n, n);
        near(s.mean, c, "mean", 1e-15);
        near(s.sd, c, "sd", 1e-12);
        near(s.min, c, "min", 0);
        near(s.max, c, "max", 0);
        near(s.median, c, "median", 1e-15);
        free(x);
    }
    ig_summary none = ig_summarise(NULL, 0);
    assert_true(none.n == 0 && isnan(none.mean) && isnan(none.sd) && isnan(none.min) &&
                isnan(none.max) && isnan(none.median));
    const double one = -3;
    ig_summary s = ig_summarise(&one, 1);
    assert_true(s.mean == -3 && isnan(s.sd) && s.median == -3);
    /* Equal values vary by nothing, whatever their sum rounds to. */
    const double same[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    s = ig_summarise(same, 7);
    assert_true(s.mean == 0.1 && s.sd == 0);
}

/* The median without sorting, of many values with repetitions and both signs. */
static void median_of_many(void **state)
{
    (void)state;
    enum { N = 1000 };
    double x[N], sorted[N];
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 0, 0);
    for (int n = 257; n <= N; n += 37) {
        for (int i = 0; i < n; i++)
            sorted[i] = x[i] = (double)(int32_t)ig_rng_below(&r, 400) - 200;
        qsort(sorted, (size_t)n, sizeof *sorted, ig_by_double);
        assert_true(ig_summarise(x, n).median == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
    }
}

static void distributions(void **state)
{
    (void)state;
    const json_t *d = json_object_get(scipy, "distributions");
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(d, "normal_quantile"), i, c)
    {
        /* 1 − p has lost digits for p near 1: 1e-16/1e-12 of it. */
        near(ig_normal_quantile(json_number_value(json_object_get(c, "p"))), c, "z", 1e-12);
    }
    json_array_foreach(json_object_get(d, "student_critical"), i, c)
    {
        near(ig_student_critical(json_number_value(json_object_get(c, "df")),
                                 json_number_value(json_object_get(c, "alpha"))),
             c, "t", 1e-10);
    }
    assert_true(ig_normal_quantile(0) < -1e300 && ig_normal_quantile(1) > 1e300);
    assert_true(isnan(ig_normal_quantile(-0.1)) && isnan(ig_normal_quantile((double)NAN)));
}

static void seeds(void **state)
{
    (void)state;
    each(c, "seeds")
    {
        int64_t n = ig_seeds_needed(json_number_value(json_object_get(c, "difference")),
                                    json_number_value(json_object_get(c, "sd")),
                                    json_number_value(json_object_get(c, "alpha")),
                                    json_number_value(json_object_get(c, "power")));
        assert_int_equal(n, json_integer_value(json_object_get(c, "n")));
    }
    assert_int_equal(ig_seeds_needed(0, 1, 0.05, 0.8), -1);
    assert_int_equal(ig_seeds_needed(1, (double)NAN, 0.05, 0.8), -1);
    assert_int_equal(ig_seeds_needed((double)NAN, 1, 0.05, 0.8), -1);
    assert_int_equal(ig_seeds_needed(1, 0, 0.05, 0.8), 2);
    assert_int_equal(ig_seeds_needed(-0.5, 1, 0.05, 0.8), 34);
    /* Far out it is the normal formula, (z.975 + z.8)² / effect², which leaves out the far tail:
     * Φ(−4.8) = 1e-6 of the power, 3e-6 of n. */
    int64_t far = ig_seeds_needed(1e-5, 1, 0.05, 0.8);
    double want = pow(1.959963984540054 + 0.8416212335729143, 2) * 1e10;
    assert_true(fabs((double)far - want) < 1e-5 * want);
    assert_true(ig_seeds_needed(1e-300, 1, 0.05, 0.8) == -1);
    /* The difference that n values decide needs n, and one a bit smaller needs more. */
    for (int64_t n = 2; n < 40; n += 3) {
        const double d = ig_difference_decided(n, 0.05 / 40, 0.8);
        assert_int_equal(ig_seeds_needed(d * 1.0001, 1, 0.05 / 40, 0.8), n);
        assert_int_equal(ig_seeds_needed(d * 0.9999, 1, 0.05 / 40, 0.8), n + 1);
    }
    assert_true(isnan(ig_difference_decided(1, 0.05, 0.8)));
    assert_true(isnan(ig_difference_decided(8, (double)INFINITY, 0.8)));
    for (double d = 3; d > 0.05; d *= 0.9)
        assert_true(ig_seeds_needed(d, 1, 0.05, 0.8) <= ig_seeds_needed(d * 0.9, 1, 0.05, 0.8));
}

static void ranks_of_scipy(void **state)
{
    (void)state;
    ig_err err = {0};
    each(c, "ranks")
    {
        int64_t n, m;
        double *x = column(c, "x", &n), *y = column(c, "y", &m), rho;
        ig_kendall k;
        assert_ok(ig_kendall_tau(&k, x, y, n, &err), &err);
        near(k.tau_b, c, "tau_b", 1e-12);
        near(ig_pearson(x, y, n), c, "pearson", 1e-12);
        assert_ok(ig_spearman(&rho, x, y, n, &err), &err);
        near(rho, c, "spearman", 1e-12);
        free(x);
        free(y);
    }
}

/* Every pair counted. */
static void kendall_by_pairs(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_rng r = ig_rng_make(9, IG_STREAM_TEST, 0, 0);
    for (int n = 0; n < 60; n++) {
        double x[60], y[60];
        const uint32_t values = 1 + ig_rng_below(&r, 30);
        ig_kendall want = {0}, k;
        for (int i = 0; i < n; i++) {
            x[i] = ig_rng_below(&r, values);
            y[i] = ig_rng_below(&r, values);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                const double s = (x[i] - x[j]) * (y[i] - y[j]);
                want.concordant += s > 0;
                want.discordant += s < 0;
                want.tied_both += x[i] == x[j] && y[i] == y[j];
                want.tied_x += x[i] == x[j] && y[i] != y[j];
                want.tied_y += x[i] != x[j] && y[i] == y[j];
            }
        assert_ok(ig_kendall_tau(&k, x, y, n, &err), &err);
        assert_int_equal(k.concordant, want.concordant);
        assert_int_equal(k.discordant, want.discordant);
        assert_int_equal(k.tied_x, want.tied_x);
        assert_int_equal(k.tied_y, want.tied_y);
        assert_int_equal(k.tied_both, want.tied_both);
        const double nx = (double)(want.concordant + want.discordant + want.tied_y),
                     ny = (double)(want.concordant + want.discordant + want.tied_x);
        if (nx > 0 && ny > 0)
            assert_true(fabs(k.tau_b -
                             (double)(want.concordant - want.discordant) / sqrt(nx * ny)) < 1e-14);
        else
            assert_true(isnan(k.tau_b));
    }
    const double flat[] = {0.1, 0.1, 0.1}, up[] = {1, 2, 3};
    double rho;
    assert_true(isnan(ig_pearson(flat, up, 3)) && isnan(ig_pearson(up, up, 1)));
    assert_ok(ig_spearman(&rho, up, flat, 3, &err), &err);
    assert_true(isnan(rho));
    const double bad[] = {1, (double)NAN, 2};
    ig_kendall k;
    assert_int_equal(ig_kendall_tau(&k, up, bad, 3, &err), IG_ERR_NUMERIC);
    assert_int_equal(ig_spearman(&rho, bad, up, 3, &err), IG_ERR_NUMERIC);
}

static void onsets(void **state)
{
    (void)state;
    const double step[] = {0, 1, 10, 100, 1000, 10000};
    /* Half of the rise lies halfway in log step between 100 and 1000. */
    const double rise[] = {0, 0, 0, 0, 1, 1};
    assert_true(fabs(ig_onset(step, rise, 6, 0.5, 0.1) - 100 * sqrt(10)) < 1e-9);
    /* A first rise that is lost again is no onset. */
    const double twice[] = {0, 1, 1, 0, 0, 1};
    assert_true(fabs(ig_onset(step, twice, 6, 0.25, 0.1) - 1000 * pow(10, 0.25)) < 1e-9);
    /* Over step where the logarithm is not finite. */
    const double at_once[] = {0, 1, 1, 1, 1, 1};
    assert_true(ig_onset(step, at_once, 6, 0.5, 0.1) == 0.5);
    /* Too small a rise, none, a fall, left and come back at the end, too few points. */
    const double small[] = {0.3, 0.31, 0.32, 0.33, 0.33, 0.34};
    assert_true(isnan(ig_onset(step, small, 6, 0.5, 0.1)));
    const double none[] = {1, 1, 1, 1, 1, 1};
    assert_true(isnan(ig_onset(step, none, 6, 0.5, 0)));
    const double fall[] = {1, 0.9, 0.5, 0.2, 0.1, 0};
    assert_true(isnan(ig_onset(step, fall, 6, 0.5, 0.1)));
    const double back[] = {0, 0, 1, 1, 1, 0};
    assert_true(isnan(ig_onset(step, back, 6, 0.5, 0.1)));
    assert_true(isnan(ig_onset(step, rise, 1, 0.5, 0.1)) && isnan(ig_onset(step, rise, 0, 0.5, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries),      cmocka_unit_test(median_of_many),
        cmocka_unit_test(distributions),  cmocka_unit_test(seeds),
        cmocka_unit_test(ranks_of_scipy), cmocka_unit_test(kendall_by_pairs),
        cmocka_unit_test(onsets),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
