/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted data: three classes whose means lie apart in a plane, with more variance elsewhere. What
 * a subspace is, what is left without it, and that a probe that is trained again finds nothing.
 */
#include "analyse/language_subspace.h"
#include "base/memory.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { D = 12, N_CLASS = 3, N = 3000 };

static ig_err err;
static float x[N * D], u[D * D];
static int32_t label[N];

/* Row i is of class i % n_class; axis k has the standard deviation 1 + k / 4, turned by pairs. */
static ig_probe_data make(int n_class, double apart)
{
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        label[i] = (i / 7) % n_class;
        for (int k = 0; k < D; k++)
            x[i * D + k] = (float)((1 + k / 4.0) * ig_rng_normal(&r));
        x[i * D + 1] += (float)(apart * label[i]);
        x[i * D + 4] += (float)(apart * (label[i] == 2));
        for (int k = 0; k + 1 < D; k += 2) { /* covariances that are not 0 */
            const float a = x[i * D + k], b = x[i * D + k + 1];
            x[i * D + k] = .8f * a - .6f * b;
            x[i * D + k + 1] = .6f * a + .8f * b;
        }
    }
    return (ig_probe_data){x, label, N, D, n_class};
}

static void means_of(double mean[N_CLASS][D], const ig_probe_data *data)
{
    memset(mean, 0, N_CLASS * sizeof *mean);
    for (int c = 0; c < data->n_class; c++) {
        int n = 0;
        for (int i = 0; i < N; i++)
            if (label[i] == c) {
                n++;
                for (int k = 0; k < D; k++)
                    mean[c][k] += (double)data->x[i * D + k];
            }
        for (int k = 0; k < D; k++)
            mean[c][k] /= n;
    }
}

static double accuracy(const ig_probe_data *data, double *chance, int64_t *n)
{
    ig_linear_probe p;
    assert_ok(ig_linear_probe_train(&p, data, 3, &err), &err);
    const double a = ig_linear_probe_accuracy(&p, data, n, chance);
    ig_linear_probe_free(&p);
    return a;
}

static void assert_orthonormal(int k)
{
    for (int a = 0; a < k; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int i = 0; i < D; i++)
                sum += (double)u[a * D + i] * (double)u[b * D + i];
            assert_true(fabs(sum - (a == b)) < 1e-6);
        }
}

static void assert_at_chance(const ig_probe_data *data)
{
    int64_t n;
    double chance;
    const double a = accuracy(data, &chance, &n);
    /* Four standard errors of a share. */
    assert_true(a < chance + 4 * sqrt(chance * (1 - chance) / (double)n));
}

static void means(void **state)
{
    double mean[N_CLASS][D];
    const double *row[N_CLASS] = {mean[0], mean[1], mean[2]};
    int k;
    (void)state;
    const ig_probe_data data = make(N_CLASS, 6);
    int64_t n;
    double chance;
    assert_true(accuracy(&data, &chance, &n) > .9);
    assert_int_equal(n, N / 10);
    means_of(mean, &data);
    assert_ok(ig_subspace_means(u, &k, row, N_CLASS, D, &err), &err);
    assert_int_equal(k, 2);
    assert_orthonormal(k);
    ig_subspace_remove(x, N, D, u, k);
    means_of(mean, &data);
    for (int c = 1; c < N_CLASS; c++)
        for (int i = 0; i < D; i++)
            assert_true(fabs(mean[c][i] - mean[0][i]) < 1e-5);
    assert_at_chance(&data);
    /* Two equal means have no direction between them. */
    row[1] = row[0];
    assert_ok(ig_subspace_means(u, &k, row, 2, D, &err), &err);
    assert_int_equal(k, 0);
}

/* The direction of greatest ratio of variance between classes to that within: none of many others
 * drawn has a greater one. */
static double ratio(const ig_probe_data *data, const double mean[N_CLASS][D], const double *w)
{
    double within = 0, m[2] = {0, 0};
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < D; k++)
            m[c] += w[k] * mean[c][k];
    for (int i = 0; i < N; i++) {
        double v = 0;
        for (int k = 0; k < D; k++)
            v += w[k] * (double)data->x[i * D + k];
        within += (v - m[label[i]]) * (v - m[label[i]]);
    }
    return (m[0] - m[1]) * (m[0] - m[1]) / within;
}

static void discriminant(void **state)
{
    double mean[N_CLASS][D], w[D];
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, 0);
    int k;
    (void)state;
    const ig_probe_data data = make(2, 3);
    means_of(mean, &data);
    assert_ok(ig_subspace_discriminant(u, &k, &data, &err), &err);
    assert_int_equal(k, 1);
    assert_orthonormal(k);
    for (int i = 0; i < D; i++)
        w[i] = (double)u[i];
    const double best = ratio(&data, mean, w);
    for (int t = 0; t < 200; t++) {
        for (int i = 0; i < D; i++)
            w[i] = (double)u[i] + (t % 2 == 0 ? .02 : 1) * ig_rng_normal(&r);
        assert_true(ratio(&data, mean, w) < best);
    }
}

static void inlp(void **state)
{
    int k, all;
    for (int n_class = 2; n_class <= N_CLASS; n_class++) {
        (void)state;
        const ig_probe_data data = make(n_class, 6);
        assert_ok(ig_subspace_inlp(u, &k, &data, &(ig_inlp){20, true, 1}, &err), &err);
        assert_true(k >= n_class - 1 && k < D);
        assert_orthonormal(k);
        ig_subspace_remove(x, N, D, u, k);
        assert_at_chance(&data); /* a probe trained anew, in another order */
    }
    const ig_probe_data data = make(2, 6);
    assert_ok(ig_subspace_inlp(u, &k, &data, &(ig_inlp){4, true, 1}, &err), &err);
    assert_ok(ig_subspace_inlp(u, &all, &data, &(ig_inlp){4, false, 1}, &err), &err);
    assert_true(all == 4 && k <= all);
    /* States that are the same in both have no subspace. */
    const ig_probe_data none = make(2, 0);
    assert_ok(ig_subspace_inlp(u, &k, &none, &(ig_inlp){20, true, 1}, &err), &err);
    assert_true(k <= 1);
}

/* Labels of no meaning: a probe is more than two standard errors above chance by luck, in one of
 * forty draws, and so is rarely gone on with. */
static void inlp_of_nothing(void **state)
{
    enum { DRAWS = 20, FEW = 600 };
    int n_begun = 0;
    (void)state;
    const ig_probe_data all = make(2, 0);
    for (int t = 0; t < DRAWS; t++) {
        ig_rng r = ig_rng_make(100 + (uint64_t)t, IG_STREAM_TEST, 0, 0);
        int k;
        for (int i = 0; i < FEW; i++)
            label[i] = (int32_t)ig_rng_below(&r, 2);
        const ig_probe_data data = {all.x, label, FEW, D, 2};
        assert_ok(ig_subspace_inlp(u, &k, &data, &(ig_inlp){1, true, (uint64_t)t}, &err), &err);
        n_begun += k > 0;
    }
    assert_true(n_begun <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(means), cmocka_unit_test(discriminant),
                                       cmocka_unit_test(inlp), cmocka_unit_test(inlp_of_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
