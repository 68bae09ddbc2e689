/* SPDX-License-Identifier: Apache-2.0
 *
 * What blocks other than BERT's are made of: gated units, root-mean-square norms, rotation of
 * halves, heads that share keys, scaled scores and addends; every table against `ref`, with
 * canaries, in place where that is allowed.
 *
 * Tolerances are multiples of u = 2⁻²⁴ times the size of what is summed (test_ops_rows.c). An
 * activation of |z| < 4 is off by 8 of its own units at most, of w = 1.6 (z + .045 z³) and more in
 * the approximation by tanh, whose values are small there: 32 u in absolute terms.
 */
#include "ops_tables.h"

#include <math.h>

static const double u = 0x1p-24;

/* --- gated units */

static void gates(void **state)
{
    static const int shape[][2] = {{1, 1}, {3, 5}, {7, 16}, {2, 67}, {5, 130}};
    static const ig_activation act[] = {IG_ACT_GELU, IG_ACT_GELU_TANH, IG_ACT_SILU};
    (void)state;
    FOR_EACH_TABLE(t)
    for (int i = 0; i < 15; i++) {
        const int rows = shape[i / 3][0], f = shape[i / 3][1];
        const int64_t n = (int64_t)rows * f;
        float *xy = buffer_new(2 * n, 1), *dout = buffer_new(n, 2), *out[2], *dxy[2];
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < f; c++)
                xy[2 * r * f + c] *= 4;
        for (int k = 0; k < 2; k++) {
            const ig_ops *ops = k == 0 ? ig_ops_ref() : t;
            out[k] = buffer_new(n, 3);
            dxy[k] = k == 0 ? buffer_new(2 * n, 4) : buffer_copy(xy, 2 * n); /* ours in place */
            ops->gate(&(ig_gate){.xy = xy, .n = rows, .f = f, .act = act[i % 3], .out = out[k]});
            ops->gate_grad(&(ig_gate){.xy = k == 0 ? xy : dxy[k],
                                      .n = rows,
                                      .f = f,
                                      .act = act[i % 3],
                                      .dout = dout,
                                      .dxy = dxy[k]});
        }
        assert_close(out[1], out[0], n, 32 * u, 0, t->name);
        assert_close(dxy[1], dxy[0], 2 * n, 32 * u, 0, t->name);
        for (int k = 0; k < 2; k++) {
            buffer_free(out[k], n);
            buffer_free(dxy[k], 2 * n);
        }
        buffer_free(xy, 2 * n);
        buffer_free(dout, n);
    }
}

/* The reference by its definition, at a few values, and its derivative by differences. */
static void gates_are_their_functions(void **state)
{
    static const double z[] = {-3, -.5, 0, .25, 2}, h = 1e-3;
    (void)state;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 5; i++) {
            float out[3], xy[3][2], dxy[2], one = 1;
            for (int k = 0; k < 3; k++) {
                xy[k][0] = (float)(z[i] + (k - 1) * h);
                xy[k][1] = 2;
                ig_ops_ref()->gate(&(ig_gate){
                    .xy = xy[k], .n = 1, .f = 1, .act = (ig_activation)a, .out = &out[k]});
            }
            const double inner = z[i] + .044715 * z[i] * z[i] * z[i],
                         want = a == IG_ACT_GELU ? z[i] * .5 * erfc(-z[i] * sqrt(.5))
                                : a == IG_ACT_SILU
                                    ? z[i] / (1 + exp(-z[i]))
                                    : z[i] / 2 * (1 + tanh(0.79788456080286536 * inner));
            assert_true(fabs((double)out[1] - 2 * want) < 8 * u);
            ig_ops_ref()->gate_grad(&(ig_gate){
                .xy = xy[1], .n = 1, .f = 1, .act = (ig_activation)a, .dout = &one, .dxy = dxy});
            const double slope =
                ((double)out[2] - (double)out[0]) / ((double)xy[2][0] - (double)xy[0][0]);
            assert_true(fabs((double)dxy[0] - slope) < 1e-3); /* of float32 numbers h apart */
            assert_true(fabs((double)dxy[1] - want) < 8 * u);
        }
}

/* --- norms by the root mean square */

static void norms_by_squares(void **state)
{
    static const int shape[][2] = {{1, 1}, {3, 5}, {9, 64}, {4, 67}, {2, 1030}};
    (void)state;
    FOR_EACH_TABLE(t)
    for (int i = 0; i < 10; i++) {
        const int rows = shape[i / 2][0], d = shape[i / 2][1];
        const int64_t n = (int64_t)rows * d;
        float *x = buffer_new(n, 1), *residual = buffer_new(n, 2), *gamma = buffer_new(d, 3);
        float *out[2], *sum[2];
        for (int k = 0; k < 2; k++) {
            out[k] = buffer_new(n, 4);
            sum[k] = buffer_copy(residual, n);
            (k == 0 ? ig_ops_ref() : t)
                ->norm(&(ig_norm){.n_row = rows,
                                  .d = d,
                                  .x = x,
                                  .residual = i % 2 ? sum[k] : NULL,
                                  .gamma = gamma,
                                  .rms = true,
                                  .eps = 1e-3f,
                                  .out = out[k],
                                  .sum = i % 2 ? sum[k] : NULL});
        }
        const double tolerance = 16 * sqrt(d) * u;
        assert_close(out[1], out[0], n, tolerance, tolerance, t->name);
        assert_close(sum[1], sum[0], n, 2 * u, 0, t->name);
        for (int r = 0; r < rows; r++) { /* the definition */
            double squares = 0;
            for (int c = 0; c < d; c++) {
                const double v = (double)x[r * d + c] + (i % 2 ? (double)residual[r * d + c] : 0);
                squares += v * v / d;
            }
            const double v = (double)x[r * d] + (i % 2 ? (double)residual[r * d] : 0);
            assert_true(fabs((double)out[1][r * d] - v / sqrt(squares + 1e-3) * (double)gamma[0]) <
                        tolerance * (1 + fabs(v / sqrt(squares + 1e-3))));
        }
        for (int k = 0; k < 2; k++) {
            buffer_free(out[k], n);
            buffer_free(sum[k], n);
        }
        buffer_free(x, n);
        buffer_free(residual, n);
        buffer_free(gamma, d);
    }
}

static void norms_of_heads(void **state)
{
    static const struct {
        int n, n_head, dh, ld;
    } cases[] = {{1, 1, 1, 1}, {9, 2, 64, 192}, {7, 3, 14, 45}, {5, 1, 18, 18}, {4, 3, 33, 200}};
    (void)state;
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = cases[i].n, dh = cases[i].dh, h = cases[i].n_head, ld = cases[i].ld;
        const int64_t size = (int64_t)n * ld;
        float *x = buffer_new(size, 1), *gamma = buffer_new(dh, 2), *got[2];
        for (int k = 0; k < 2; k++) {
            got[k] = buffer_copy(x, size);
            (k == 0 ? ig_ops_ref() : t)
                ->head_norm(&(ig_head_norm){got[k], n, ld, h, dh, gamma, 1e-6f});
        }
        const double tolerance = 16 * sqrt(dh) * u;
        assert_close(got[1], got[0], size, tolerance, tolerance, t->name);
        for (int r = 0; r < n; r++) { /* what lies after the heads is left alone */
            double squares = 0;
            const float *head = x + r * ld + (h - 1) * dh;
            for (int c = 0; c < dh; c++)
                squares += (double)head[c] * (double)head[c] / dh;
            const double want = (double)head[dh - 1] / sqrt(squares + 1e-6) * (double)gamma[dh - 1];
            assert_true(fabs((double)got[1][r * ld + h * dh - 1] - want) <
                        tolerance * (1 + fabs(want)));
            assert_memory_equal(got[1] + r * ld + h * dh, x + r * ld + h * dh,
                                (size_t)(ld - h * dh) * sizeof *x);
        }
        for (int k = 0; k < 2; k++)
            buffer_free(got[k], size);
        buffer_free(x, size);
        buffer_free(gamma, dh);
    }
}

/* --- rotation of halves */

static void rotation_of_halves(void **state)
{
    static const struct {
        int n, n_head, dh, ld;
    } cases[] = {{1, 1, 2, 2}, {9, 2, 64, 192}, {7, 3, 14, 45}, {5, 1, 18, 18}, {4, 4, 32, 200}};
    enum { n_pos = 40 };
    (void)state;
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = cases[i].n, dh = cases[i].dh, h = cases[i].n_head, ld = cases[i].ld;
        const int64_t size = (int64_t)n * ld, n_table = 2 * (int64_t)n_pos * dh;
        float *table = buffer_new(n_table, 1), *x = buffer_new(size, 2);
        float *want = buffer_copy(x, size), *got = buffer_copy(x, size);
        int32_t pos[16];
        for (int r = 0; r < n; r++)
            pos[r] = (7 * r + 3) % n_pos;
        for (int p = 0; p < n_pos; p++)
            for (int c = 0; c < dh; c++) { /* −sin for the first half, sin for the second */
                const double angle = p * pow(.7, c % (dh / 2));
                table[2 * p * dh + c] = (float)cos(angle);
                table[2 * p * dh + dh + c] = (float)(c < dh / 2 ? -sin(angle) : sin(angle));
            }
        ig_ops_ref()->rotary(&(ig_rotary){want, n, ld, h, dh, table, pos, false, true});
        t->rotary(&(ig_rotary){got, n, ld, h, dh, table, pos, false, true});
        assert_close(got, want, size, 4 * u, 0, t->name);
        for (int r = 0; r < n; r++) { /* the definition, at the last head's last pair */
            const int c = (h - 1) * dh + dh / 2 - 1;
            const double angle = pos[r] * pow(.7, dh / 2 - 1);
            const double a = (double)x[r * ld + c], b = (double)x[r * ld + c + dh / 2];
            assert_true(fabs((double)got[r * ld + c] - (a * cos(angle) - b * sin(angle))) < 8 * u);
            assert_true(fabs((double)got[r * ld + c + dh / 2] - (b * cos(angle) + a * sin(angle))) <
                        8 * u);
        }
        t->rotary(&(ig_rotary){got, n, ld, h, dh, table, pos, true, true});
        assert_close(got, x, size, 8 * u, 0, t->name);
        buffer_free(table, n_table);
        buffer_free(x, size);
        buffer_free(want, size);
        buffer_free(got, size);
    }
}

/* --- attention */

/* Heads that share keys and values, another scale, an addend by distance, windows. */
static void shared_keys(void **state)
{
    static const struct {
        int n_head, n_kv, d;
        float scale;
        bool addend;
        ig_attention_mask mask;
    } cases[] = {{4, 2, 64, 0, false, {0}},
                 {6, 1, 48, .3f, false, {true, 0}},
                 {4, 4, 36, 0, true, {0}},
                 {6, 3, 66, 0, true, {false, 5}},
                 {2, 1, 128, .125f, false, {true, 9}}};
    static const int32_t start[] = {0, 1, 34, 34 + 71};
    enum { n_tok = 34 + 71, longest = 71 };
    ig_scratch s = {0};
    (void)state;
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int d = cases[i].d, h = cases[i].n_head;
        const int64_t n = (int64_t)n_tok * d, n_p = ig_attention_size(start, 3, h),
                      n_far = (int64_t)h * (2 * longest - 1);
        float *qkv = buffer_new(3 * n, 1), *addend = buffer_new(n_far, 2), *ctx[2], *probs[2];
        for (int k = 0; k < 2; k++) {
            ctx[k] = buffer_new(n, 3);
            probs[k] = buffer_new(n_p, 4);
            const ig_attention a = {.n_seq = 3,
                                    .n_head = h,
                                    .n_kv = cases[i].n_kv,
                                    .d = d,
                                    .scale = cases[i].scale,
                                    .seq_start = start,
                                    .qkv = qkv,
                                    .probs = probs[k],
                                    .ctx = ctx[k],
                                    .addend = cases[i].addend ? addend : NULL,
                                    .n_distance = longest,
                                    .mask = cases[i].mask};
            (k == 0 ? ig_ops_ref() : t)->attention(&a, &s);
        }
        const double tolerance = 8 * (sqrt((double)d / h) + sqrt(longest)) * u;
        assert_close(probs[1], probs[0], n_p, tolerance, 0, t->name);
        assert_close(ctx[1], ctx[0], n, tolerance, 0, t->name);
        /* The first sequence has one token: its context is its value, of the head's group. */
        const int dh = d / h;
        for (int k = 0; k < h; k++)
            assert_memory_equal(ctx[1] + k * dh,
                                qkv + d + (cases[i].n_kv + k / (h / cases[i].n_kv)) * dh,
                                (size_t)dh * sizeof *qkv);
        for (int k = 0; k < 2; k++) {
            buffer_free(ctx[k], n);
            buffer_free(probs[k], n_p);
        }
        buffer_free(qkv, 3 * n);
        buffer_free(addend, n_far);
    }
    ig_scratch_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates),
        cmocka_unit_test(gates_are_their_functions),
        cmocka_unit_test(norms_by_squares),
        cmocka_unit_test(norms_of_heads),
        cmocka_unit_test(rotation_of_halves),
        cmocka_unit_test(shared_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
