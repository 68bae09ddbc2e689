/* SPDX-License-Identifier: Apache-2.0
 *
 * Eigenvectors by their definition; principal components against numpy (tools/
 * reference_components.py) and by their properties; cosines of positions.
 */
#include "analyse/components.h"
#include "analyse/positions.h"
#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/rng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A v = λ v, rows orthonormal, values falling, sign as promised, trace kept; to a few roundings of
 * the largest number of A. */
static void check_eigen(const double *a, int n)
{
    ig_err err;
    double *v = calloc((size_t)n * (size_t)n + 1, sizeof *v),
           *again = calloc((size_t)n * (size_t)n + 1, sizeof *v),
           *value = calloc((size_t)n + 1, sizeof *value), scale = 0, trace = 0, sum = 0;
    memcpy(v, a, (size_t)n * (size_t)n * sizeof *v);
    memcpy(again, a, (size_t)n * (size_t)n * sizeof *v);
    assert_ok(ig_eigen_symmetric(v, value, n, &err), &err);
    for (int i = 0; i < n * n; i++)
        scale = fmax(scale, fabs(a[i]));
    const double slack = 1e-14 * n;
    for (int i = 0; i < n; i++) {
        int at = 0;
        trace += a[i * n + i];
        sum += value[i];
        assert_true(i == 0 || value[i] <= value[i - 1]);
        for (int j = 0; j < n; j++) {
            double image = 0, dot = 0;
            for (int k = 0; k < n; k++) {
                image += a[j * n + k] * v[i * n + k];
                dot += v[i * n + k] * v[j * n + k];
            }
            assert_true(fabs(image - value[i] * v[i * n + j]) <= slack * scale);
            assert_true(fabs(dot - (i == j)) <= slack);
            at = fabs(v[i * n + j]) > fabs(v[i * n + at]) ? j : at;
        }
        assert_true(v[i * n + at] > 0);
    }
    assert_true(fabs(trace - sum) <= slack * scale * n);
    assert_ok(ig_eigen_symmetric(again, value, n, &err), &err);
    assert_memory_equal(again, v, (size_t)n * (size_t)n * sizeof *v);
    free(v);
    free(again);
    free(value);
}

static void eigenvectors(void **state)
{
    (void)state;
    static const int size[] = {1, 2, 3, 4, 5, 8, 17, 64, 150};
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        int n = size[s];
        double *a = calloc((size_t)n * (size_t)n, sizeof *a);
        ig_rng r = ig_rng_make(n, IG_STREAM_TEST, 0, 0);
        check_eigen(a, n); /* zero */
        for (int i = 0; i < n; i++)
            a[i * n + i] = 3;
        check_eigen(a, n); /* one value n times */
        for (int i = 0; i < n; i++)
            a[i * n + i] = (i * 7) % n;
        check_eigen(a, n); /* in disorder */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = (i + 1.0) * (j + 1.0) * 1e-5;
        check_eigen(a, n); /* rank 1 */
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                a[i * n + j] = a[j * n + i] = ig_rng_normal(&r);
        check_eigen(a, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = abs(i - j) == 1;
        check_eigen(a, n); /* tridiagonal already, values in pairs of opposite sign */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = pow(10, -3.0 * abs(i - j)) * pow(10, 4 - 0.2 * (i + j));
        check_eigen(a, n); /* many magnitudes */
        free(a);
    }
    double bad[] = {1, 0, (double)NAN, 1};
    double value[2];
    ig_err err;
    assert_int_equal(ig_eigen_symmetric(bad, value, 2, &err), IG_ERR_NUMERIC);
}

enum { N = 40, D = 6 };

static void make_vectors(float *x)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            x[i * D + k] = (float)(sin(0.7 * i + 1.3 * k) * (k + 1) + 0.25 * ((i * (k + 3)) % 7));
}

static void near(const double *got, const double *want, int n, double slack)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= slack * fmax(1, fabs(want[i]))))
            fail_msg("%d: got %.12g, want %.12g", i, got[i], want[i]);
}

/* The vectors are float32 of sin(), whose last bit may differ: 1e-6. */
static void as_numpy_has_it(void **state)
{
    (void)state;
    static const double variance[] = {27.9207993828302,  16.9464626631165,  0.53221139635616,
                                      0.285525382501252, 0.094465868374051, 0.000123657027024772};
    static const double share[] = {0.609896252653942,   0.370175077448912,   0.0116255173000867,
                                   0.00623695827749775, 0.00206349318065957, 2.70113890231644e-06};
    static const double axis[] = {0.140373648451854,  0.0945135855237829, -0.322920378213415,
                                  -0.408687313992931, 0.261956795196507,  0.794630837016711,
                                  0.0237738205462139, -0.315531492267414, -0.292742128228504,
                                  0.428358572277892,  0.784429625415258,  -0.123918624634504};
    static const double y[] = {-0.0145334941453627, -5.50420210476436, -4.48635182742394,
                               -4.66367741419085,   5.34328306913284,  3.67736159113904};
    float x[N * D];
    double got[2 * N], between;
    int32_t group[N];
    ig_err err;
    ig_components c;
    make_vectors(x);
    assert_ok(ig_components_fit(&c, x, N, D, &err), &err);
    near(c.variance, variance, D, 1e-6);
    near(c.share, share, D, 1e-6);
    near(c.axis, axis, 2 * D, 1e-6);
    ig_components_project(&c, got, 2, x, N);
    near(got, y, 2, 1e-6);
    near(got + 2 * 17, y + 2, 2, 1e-6);
    near(got + 2 * 39, y + 4, 2, 1e-6);
    for (int i = 0; i < N; i++)
        group[i] = i % 3;
    assert_ok(ig_between_share(&between, &(ig_grouped_rows){x, N, D, group, 3}, &err), &err);
    near(&between, (const double[]){0.000341414135554815}, 1, 1e-6);
    ig_components_free(&c);
}

/* Sums and order; all coordinates rebuild the vectors; turning and moving all vectors changes
 * neither variances nor coordinates (but for signs). */
static void properties(void **state)
{
    (void)state;
    float x[N * D], turned[N * D];
    double q[D * D], value[D], y[N * D], z[N * D], sum = 0;
    ig_err err;
    ig_components c, t;
    ig_rng r = ig_rng_make(4, IG_STREAM_TEST, 0, 0);
    make_vectors(x);
    for (int i = 0; i < D; i++)
        for (int j = 0; j <= i; j++)
            q[i * D + j] = q[j * D + i] = ig_rng_normal(&r);
    assert_ok(ig_eigen_symmetric(q, value, D, &err), &err); /* a rotation */
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++) {
            double v = 3 * k - 5;
            for (int j = 0; j < D; j++)
                v += (double)x[i * D + j] * q[k * D + j];
            turned[i * D + k] = (float)v;
        }
    assert_ok(ig_components_fit(&c, x, N, D, &err), &err);
    assert_ok(ig_components_fit(&t, turned, N, D, &err), &err);
    for (int k = 0; k < D; k++) {
        sum += c.share[k];
        assert_true(k == 0 || c.share[k] <= c.share[k - 1]);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    near(t.variance, c.variance, D, 1e-5);
    ig_components_project(&c, y, D, x, N);
    ig_components_project(&t, z, D, turned, N);
    for (int k = 0; k < D; k++) {
        double sign = y[k] * z[k] < 0 ? -1 : 1;
        for (int i = 0; i < N; i++)
            assert_true(fabs(y[i * D + k] - sign * z[i * D + k]) < 1e-3);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++) {
            double v = c.mean[k];
            for (int a = 0; a < D; a++)
                v += y[i * D + a] * c.axis[a * D + k];
            assert_true(fabs(v - (double)x[i * D + k]) < 1e-9);
        }
    ig_components_free(&c);
    ig_components_free(&t);

    /* Nothing varies; what is not finite; no vectors. */
    for (int i = 0; i < N * D; i++)
        x[i] = 2.5f;
    assert_ok(ig_components_fit(&c, x, N, D, &err), &err);
    for (int k = 0; k < D; k++)
        assert_true(fabs(c.share[k]) < 1e-300);
    ig_components_free(&c);
    x[7] = NAN;
    assert_int_equal(ig_components_fit(&c, x, N, D, &err), IG_ERR_NUMERIC);
    ig_components_free(&c);
    assert_int_equal(ig_components_fit(&c, x, 0, D, &err), IG_ERR_INPUT);
    ig_components_free(&c);
}

static void groups_apart(void **state)
{
    (void)state;
    float x[4 * 2] = {0, 0, 0, 0, 1, 1, 1, 1};
    const int32_t apart[] = {0, 0, 1, 1}, mixed[] = {0, 1, 0, 1};
    double share;
    ig_err err;
    assert_ok(ig_between_share(&share, &(ig_grouped_rows){x, 4, 2, apart, 2}, &err), &err);
    assert_true(fabs(share - 1) < 1e-12);
    assert_ok(ig_between_share(&share, &(ig_grouped_rows){x, 4, 2, mixed, 2}, &err), &err);
    assert_true(fabs(share) < 1e-12);
    assert_ok(ig_between_share(&share, &(ig_grouped_rows){x, 2, 2, apart, 2}, &err), &err);
    assert_true(isnan(share));
}

static void cosines(void **state)
{
    (void)state;
    static const double want[] = {-0.335284095956558, -0.816775161443807, 0.40294691232319,
                                  -0.19362184154002,  0.861045384890119,  0.384401551464375};
    float x[N * D];
    double got[6];
    ig_err err;
    make_vectors(x);
    assert_ok(ig_cosines(got, (ig_row_list){x, 3}, (ig_row_list){x + 3 * D, 2}, D, &err), &err);
    near(got, want, 6, 1e-6);
    memset(x, 0, D * sizeof *x);
    assert_ok(ig_cosines(got, (ig_row_list){x, 3}, (ig_row_list){x + 3 * D, 2}, D, &err), &err);
    assert_true(fabs(got[0]) < 1e-300 && fabs(got[1]) < 1e-300);
    x[0] = INFINITY;
    assert_int_equal(ig_cosines(got, (ig_row_list){x, 3}, (ig_row_list){x + 3 * D, 2}, D, &err),
                     IG_ERR_NUMERIC);

    /* Two languages whose positions are the same, and two whose are mirrored. */
    enum { n = 5 };
    double c[2 * n * 2 * n];
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * n; j++) {
                int p = i < n || !mirrored ? i % n : n - 1 - i % n,
                    o = j < n || !mirrored ? j % n : n - 1 - j % n;
                c[i * 2 * n + j] = 1 - 0.1 * abs(p - o);
            }
        ig_position_summary s = ig_position_summarise(c, n);
        assert_int_equal(s.n, n);
        assert_true(fabs(s.nearest - (mirrored ? 0.2 : 1)) < 1e-12);
        /* |p − o| of all pairs of 5: 40 in all; on the diagonal 0, on the other one 12. */
        assert_true(fabs(s.same - (mirrored ? 1 - 0.1 * 12 / 5 : 1)) < 1e-12);
        assert_true(fabs(s.between - (1 - 0.1 * (mirrored ? 28 : 40) / 20)) < 1e-12);
        assert_true(fabs(s.within - 0.8) < 1e-12);
    }
    /* Two positions: .5 apart in the first language, .1 in the second. */
    const double two[16] = {1, .5, 0, 0, .5, 1, 0, 0, 0, 0, 1, .1, 0, 0, .1, 1};
    assert_true(fabs(ig_position_summarise(two, 2).within - .3) < 1e-12);
    assert_true(isnan(ig_position_summarise(c, 0).same) &&
                isnan(ig_position_summarise(c, 1).within));
}

/* Vectors of one dimension in a picture of two. */
static void fewer_axes_than_asked(void **state)
{
    (void)state;
    const float x[] = {1, 2, 6};
    double y[6];
    ig_components c;
    ig_err err;
    assert_ok(ig_components_fit(&c, x, 3, 1, &err), &err);
    ig_components_project(&c, y, 2, x, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(fabs(y[2 * i]) - fabs((double)x[i] - 3.0)) < 1e-12);
        assert_true(y[2 * i + 1] == 0);
    }
    ig_components_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors), cmocka_unit_test(as_numpy_has_it),
        cmocka_unit_test(properties),   cmocka_unit_test(fewer_axes_than_asked),
        cmocka_unit_test(groups_apart), cmocka_unit_test(cosines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
