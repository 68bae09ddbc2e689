/* SPDX-License-Identifier: Apache-2.0
 *
 * Accuracy of the elementary functions inside the kernels, seen through the ops, against double
 * precision: GELU and its derivative over [−30, 30], the exponential through the softmax, and the
 * dropout bits against ig_philox one by one.
 */
#define EMULATED_BY_ONE_THREAD /* so many elements */
#include "ops_tables.h"

/* GELU as a product of 1 × 1 with its bias: z = x · 1 + 0. */
static void gelu_is_accurate(void **state)
{
    (void)state;
    enum { n = 60001 };
    float *z = buffer_new(n, 1), *y = buffer_new(n, 1), *slope = buffer_new(n, 1), zero = 0,
          one = 1;
    for (int i = 0; i < n; i++)
        z[i] = (float)(i - n / 2) * 1e-3f;
    FOR_EACH_TABLE(t)
    {
        ig_scratch s = {0};
        ig_gemm g = {.m = n,
                     .n = 1,
                     .k = 1,
                     .a = z,
                     .lda = 1,
                     .b = &one,
                     .ldb = 1,
                     .c = y,
                     .ldc = 1,
                     .epilogue = IG_EPI_BIAS_GELU,
                     .bias = &zero,
                     .aux = slope,
                     .ld_aux = 1};
        t->gemm(&g, &s);
        ig_scratch_free(&s);
        double worst = 0, worst_near = 0, worst_slope = 0;
        for (int i = 0; i < n; i++) {
            double x = (double)z[i], cdf = 0.5 * erfc(-x * 0.70710678118654752440);
            double want = x * cdf, d = cdf + x * 0.39894228040143267794 * exp(-0.5 * x * x);
            double relative = fabs((double)y[i] - want) / (fabs(want) + 1e-30);
            worst = fmax(worst, x > -12 ? relative : 0);
            worst_near = fmax(worst_near, fabs(x) < 2 ? relative : 0);
            worst_slope = fmax(worst_slope, fabs((double)slope[i] - d));
        }
        print_message("%s: gelu relative error %.2g (|z| < 2: %.2g), derivative absolute %.2g\n",
                      t->name, worst, worst_near, worst_slope);
        /* In units of 2⁻²⁴: 8 where it matters; the tail loses the rounding of z² / 2 in the
         * exponent (z = −12: 72 units, and half as many again from the exponent's product). */
        assert_true(worst_near <= 8 * 0x1p-24);
        assert_true(worst <= 256 * 0x1p-24);
        assert_true(worst_slope <= 6 * 0x1p-24);
    }
    buffer_free(z, n);
    buffer_free(y, n);
    buffer_free(slope, n);
}

/* z σ(w) with w = 2 √(2/π) (z + 0.044715 z³): three roundings of w reach the exponential, so what
 * is small there is off by some units and 4 |w| more; beyond z = −9.9 the exponential is at its
 * end. */
static void gelu_by_tanh_is_accurate(void **state)
{
    (void)state;
    FOR_EACH_TABLE(t)
    {
        double worst = 0, worst_slope = 0;
        for (int i = -30000; i <= 30000; i++) {
            ig_scratch s = {0};
            float z = (float)i * 1e-3f, y, slope, zero = 0, one = 1;
            const ig_gemm g = {.m = 1,
                               .n = 1,
                               .k = 1,
                               .a = &z,
                               .lda = 1,
                               .b = &one,
                               .ldb = 1,
                               .c = &y,
                               .ldc = 1,
                               .epilogue = IG_EPI_BIAS_GELU_TANH,
                               .bias = &zero,
                               .aux = &slope,
                               .ld_aux = 1};
            t->gemm(&g, &s);
            ig_scratch_free(&s);
            const double x = (double)z, w = 1.59576912160573071176 * (x + 0.044715 * x * x * x),
                         sigma = 1 / (1 + exp(-w)), want = x * sigma;
            const double d = sigma + x / (1 + exp(-w)) / (1 + exp(w)) * 1.59576912160573071176 *
                                         (1 + 3 * 0.044715 * x * x);
            if (x > -9.9)
                worst = fmax(worst, fabs((double)y - want) / (fabs(want) + 1e-30) /
                                        (8 + (x < 0 ? 4 * fabs(w) : 0)));
            else
                assert_true(fabs((double)y - want) < 1e-35);
            worst_slope = fmax(worst_slope, fabs((double)slope - d));
        }
        print_message("%s: gelu by tanh: error %.2g of its bound, derivative absolute %.2g\n",
                      t->name, worst / 0x1p-24, worst_slope);
        assert_true(worst <= 0x1p-24);
        assert_true(worst_slope <= 16 * 0x1p-24);
    }
}

/* A row (0, x): its second probability is 1 / (1 + e^(−x)), so its gradient gives eˣ / (1 + eˣ). */
static void exponential_is_accurate(void **state)
{
    (void)state;
    FOR_EACH_TABLE(t)
    {
        double worst = 0;
        for (int i = 0; i < 80000; i++) {
            float row[2] = {0, -(float)i * 1e-3f};
            double x = (double)row[1], nll;
            int32_t label = 0;
            t->softmax_xent(&(ig_xent){row, 1, 2, 2, &label, 1.0f, true, &nll, NULL});
            double want = exp(x) / (1 + exp(x));
            worst = fmax(worst, fabs((double)row[1] - want) / want);
        }
        print_message("%s: exponential relative error %.2g\n", t->name, worst);
        assert_true(worst <= 4 * 0x1p-24);
    }
}

/* Rows of ones after dropout and no residual, seen through the gradient of a norm whose xhat is 0
 * and whose dout sums to 0: dx = ±1 where kept. */
static void dropout_bits_are_philox(void **state)
{
    (void)state;
    static const int widths[] = {2, 8, 30, 64, 128, 136, 1026};
    enum { rows = 19 };
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int d = widths[i];
        int64_t n = (int64_t)rows * d;
        float *dout = buffer_new(n, 1), *xhat = buffer_new(n, 1), *gamma = buffer_new(d, 1),
              *dx = buffer_new(n, 1), *dg = buffer_new(d, 1), *db = buffer_new(d, 1), rstd[rows];
        for (int64_t j = 0; j < n; j++) {
            dout[j] = j % 2 == 0 ? 1.0f : -1.0f;
            xhat[j] = 0;
        }
        for (int j = 0; j < d; j++)
            gamma[j] = 1;
        for (int r = 0; r < rows; r++)
            rstd[r] = 1;
        ig_norm_grad a = {.n_row = rows,
                          .d = d,
                          .dout = dout,
                          .xhat = xhat,
                          .rstd = rstd,
                          .drop = {.key = ig_rng_key_make(3, IG_STREAM_DROPOUT),
                                   .site = 9,
                                   .step = 1234567,
                                   .row0 = 0xFFFFFFF0u, /* wraps around */
                                   .p = 0.25f},
                          .gamma = gamma,
                          .dx = dx,
                          .dgamma = dg,
                          .dbeta = db};
        ig_scratch s = {0};
        t->norm_grad(&a, &s);
        ig_scratch_free(&s);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < d; c++) {
                uint32_t block[4];
                ig_philox(a.drop.key, (uint32_t)c / 8, a.drop.row0 + (uint32_t)r, a.drop.site,
                          a.drop.step, block);
                uint32_t number = block[c % 8 / 2] >> (c % 2 * 16) & 0xFFFFu;
                assert_int_equal(dx[r * d + c] == 0.0f, number < 16384);
            }
        buffer_free(dout, n);
        buffer_free(xhat, n);
        buffer_free(gamma, d);
        buffer_free(dx, n);
        buffer_free(dg, d);
        buffer_free(db, d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gelu_is_accurate),
        cmocka_unit_test(gelu_by_tanh_is_accurate),
        cmocka_unit_test(exponential_is_accurate),
        cmocka_unit_test(dropout_bits_are_philox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
