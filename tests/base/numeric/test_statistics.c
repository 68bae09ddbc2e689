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

/* Compares two columns. */
static ig_code compare(ig_paired *out, const double *a, const double *b, int64_t n, ig_err *err)
{
    return ig_paired_compare_all(out, &(ig_pairs){a, b, n}, 1, 1, err);
}

static void permutation(void **state)
{
    (void)state;
    ig_err err = {0};
    each(c, "permutation")
    {
        int64_t n, m;
        double *a = column(c, "a", &n), *b = column(c, "b", &m);
        ig_paired p, q;
        assert_ok(compare(&p, a, b, n, &err), &err);
        assert_true(p.exact);
        near(p.p, c, "p", 1e-12);
        near(p.mean, c, "mean", 1e-12);
        near(p.sd, c, "sd", 1e-12);
        if (n > 1)
            assert_true(fabs(p.effect - p.mean / p.sd) < 1e-12);
        /* The other way round: the same p, the opposite difference. */
        assert_ok(compare(&q, b, a, n, &err), &err);
        assert_true(p.p == q.p && p.mean == -q.mean);
        free(a);
        free(b);
    }
    ig_paired p;
    assert_ok(compare(&p, NULL, NULL, 0, &err), &err);
    assert_true(isnan(p.p) && isnan(p.mean));
    /* A difference that is always the same, but for rounding, has no effect size. */
    const double a[] = {0.3, 0.7, 1.1, 100.1, 0.2}, b[] = {0.2, 0.6, 1.0, 100.0, 0.1};
    assert_ok(compare(&p, a, b, 5, &err), &err);
    assert_true(p.sd == 0 && isnan(p.effect) && p.p == 2.0 / 32);
    assert_ok(compare(&p, a, a, 5, &err), &err);
    assert_true(p.p == 1 && p.mean == 0 && p.interval.low == 0 && p.interval.high == 0);
    const double bad[] = {1, (double)INFINITY};
    assert_int_equal(compare(&p, a, bad, 2, &err), IG_ERR_NUMERIC);
}

/* 21 pairs are drawn; enumerated here they must agree within three standard errors of the draws. */
static void permutation_drawn(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { N = 21 };
    double a[N], b[N], d[N], observed = 0;
    ig_rng r = ig_rng_make(5, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        a[i] = ig_rng_normal(&r) + 0.4;
        b[i] = ig_rng_normal(&r);
        d[i] = a[i] - b[i];
        observed += d[i];
    }
    int64_t hits = 0;
    for (uint32_t k = 0; k < UINT32_C(1) << N; k++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += k >> i & 1 ? -d[i] : d[i];
        hits += fabs(sum) >= fabs(observed) - 1e-12;
    }
    const double want = (double)hits / (double)(UINT32_C(1) << N);
    ig_paired p;
    assert_ok(compare(&p, a, b, N, &err), &err);
    assert_true(!p.exact);
    assert_true(want > 0.01 && want < 0.99);
    assert_true(fabs(p.p - want) < 3 * sqrt(want * (1 - want) / 99999) + 1e-5);
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 1 + i;
    assert_ok(compare(&p, a, b, N, &err), &err);
    assert_true(p.p >= 1e-5 && p.p < 1e-4);
}

/* Every pattern counted one by one, of small whole numbers, whose sums are often equal. */
static void permutation_exact(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { MOST = 13 };
    const double zero[MOST] = {0};
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 20; k++) {
            double d[MOST], observed = 0;
            ig_rng r = ig_rng_make((uint64_t)k, IG_STREAM_TEST, 9, (uint32_t)n);
            for (int i = 0; i < n; i++) {
                d[i] = (double)ig_rng_below(&r, 7) - 2;
                observed += d[i];
            }
            int hits = 0;
            for (int pattern = 0; pattern < 1 << n; pattern++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += pattern >> i & 1 ? -d[i] : d[i];
                hits += fabs(sum) >= fabs(observed);
            }
            ig_paired p;
            assert_ok(compare(&p, d, zero, n, &err), &err);
            assert_true(p.exact);
            assert_true(fabs(p.p - (double)hits / (1 << n)) < 1e-12);
        }
}

/* The drawn test as it is defined: one sum after another, in double. */
static double drawn_one_by_one(const double *d, int64_t n, uint64_t seed)
{
    double observed = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        observed += d[i];
        size += fabs(d[i]);
    }
    int64_t hits = 0;
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 1, 0);
    for (int k = 0; k < 99999; k++) {
        uint32_t bits = 0;
        double sum = 0, eight = 0;
        for (int64_t i = 0; i < n; i++) {
            bits = i % 32 == 0 ? ig_rng_u32(&r) : bits >> 1;
            eight += bits & 1 ? -d[i] : d[i];
            if (i % 8 == 7 || i + 1 == n) {
                sum += eight;
                eight = 0;
            }
        }
        hits += fabs(sum) >= fabs(observed) - 1e-12 * size;
    }
    return (double)(1 + hits) / 100000;
}

/* Samples of several sizes and kinds at once: the bits that each has alone. Sums of whole numbers
 * are often those observed, up to rounding; the others are too large or too small for floats. */
static void side_by_side(void **state)
{
    (void)state;
    ig_err err = {0};
    enum { N = 40, MOST = 67 };
    static const int sizes[] = {21, MOST, 8, 40, 1};
    static const double scale[] = {1, 1e300, 1e-310, 1e-30};
    static double a[N][MOST], b[N][MOST];
    ig_pairs pairs[N];
    ig_paired all[N], one;
    for (int k = 0; k < N; k++) {
        ig_rng r = ig_rng_make((uint64_t)k, IG_STREAM_TEST, 11, 0);
        for (int i = 0; i < MOST; i++) {
            const double x = k % 3 == 0 ? (double)ig_rng_below(&r, 9) - 3.7 : ig_rng_normal(&r);
            a[k][i] = x * scale[k % 4];
        }
        pairs[k] = (ig_pairs){a[k], b[k], sizes[k % 5]};
    }
    assert_ok(ig_paired_compare_all(all, pairs, N, 1, &err), &err);
    int drawn = 0;
    for (int k = 0; k < N; k++) {
        const int n = sizes[k % 5];
        assert_ok(compare(&one, a[k], b[k], n, &err), &err);
        assert_memory_equal(&one.p, &all[k].p, sizeof one.p);
        assert_memory_equal(&one.interval.low, &all[k].interval.low, 2 * sizeof(double));
        if (n <= 20 || k >= 12)
            continue;
        assert_true(all[k].p == drawn_one_by_one(a[k], n, 1));
        drawn += all[k].p > 0.001 && all[k].p < 0.999;
    }
    assert_true(drawn >= 4);
    a[7][3] = (double)NAN;
    assert_int_equal(ig_paired_compare_all(all, pairs, N, 1, &err), IG_ERR_NUMERIC);
    assert_ok(ig_paired_compare_all(all, NULL, 0, 1, &err), &err);
}

/* Under the hypothesis, p ≤ α in at most a share α of the samples. */
static void permutation_level(void **state)
{
    (void)state;
    ig_err err = {0};
    int below = 0;
    enum { TIMES = 2000, N = 8 };
    for (int k = 0; k < TIMES; k++) {
        double a[N], b[N];
        ig_rng r = ig_rng_make((uint64_t)k, IG_STREAM_TEST, 8, 0);
        for (int i = 0; i < N; i++) {
            a[i] = ig_rng_normal(&r);
            b[i] = ig_rng_normal(&r);
        }
        ig_paired p;
        assert_ok(compare(&p, a, b, N, &err), &err);
        below += p.p <= 0.0625;
    }
    /* 125 expected, standard deviation 11. */
    assert_true(below > 125 - 40 && below < 125 + 40);
}

static void holm(void **state)
{
    (void)state;
    ig_err err = {0};
    each(c, "holm")
    {
        int64_t n;
        double *p = column(c, "p", &n);
        ig_paired *k = calloc((size_t)n + 1, sizeof *k);
        for (int64_t i = 0; i < n; i++)
            k[i].p = p[i];
        k[n].p = (double)NAN; /* left out: counts for nothing */
        assert_ok(ig_holm(k, (int)n + 1, &err), &err);
        for (int64_t i = 0; i < n; i++) {
            near_at(k[i].p_holm, json_array_get(json_object_get(c, "adjusted"), (size_t)i), 1e-12,
                    __LINE__);
            assert_true(k[i].p_holm >= k[i].p && k[i].p_holm <= 1);
            for (int64_t j = 0; j < n; j++)
                assert_true(!(k[i].p < k[j].p) || k[i].p_holm <= k[j].p_holm);
        }
        assert_true(isnan(k[n].p_holm));
        free(k);
        free(p);
    }
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
        cmocka_unit_test(summaries),
        cmocka_unit_test(median_of_many),
        cmocka_unit_test(distributions),
        cmocka_unit_test(permutation),
        cmocka_unit_test(permutation_drawn),
        cmocka_unit_test(permutation_exact),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(permutation_level),
        cmocka_unit_test(holm),
        cmocka_unit_test(seeds),
        cmocka_unit_test(ranks_of_scipy),
        cmocka_unit_test(kendall_by_pairs),
        cmocka_unit_test(onsets),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
