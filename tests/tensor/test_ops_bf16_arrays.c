/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays kept in bfloat16. What a product or attention makes of operands that are bfloat16 numbers
 * already has the same bits whether they are stored so or as floats, and what it stores so is what
 * it would store as floats, rounded.
 */
#include "ops_tables.h"

#include <math.h>

/* Rounds x[n_row, n], rows ld apart, and gives the same numbers in rows ld / 2 apart. ld is even.
 */
static float *to_bf16(float *x, int64_t n_row, int64_t ld)
{
    float *h = buffer_new(n_row * ld / 2, 9);
    for (int64_t i = 0; i < n_row * ld; i += 2) {
        const uint32_t low = bf16_bits(x[i]), high = bf16_bits(x[i + 1]), both = high << 16 | low;
        memcpy(h + i / 2, &both, sizeof both);
        x[i] = bf16_float(low);
        x[i + 1] = bf16_float(high);
    }
    return h;
}

/* The table that keeps arrays in bfloat16; NULL: this CPU has none, and the test is reported as
 * skipped. */
static const ig_ops *table_with_bf16_arrays(void)
{
    const ig_ops *t = ig_ops_bfloat16();
    if (t == NULL || t->bf16)
        return t;
    skip_here("this CPU keeps no arrays in bfloat16");
    return NULL;
}

/* got[n_row, n] holds bfloat16 in rows ld / 2 floats apart, want floats in rows ld apart. */
static void same_rounded(const float *got, const float *want, int64_t n_row, int64_t n, int64_t ld,
                         const char *what)
{
    for (int64_t r = 0; r < n_row; r++)
        for (int64_t j = 0; j < n; j++) {
            uint32_t both;
            memcpy(&both, got + (r * ld + j) / 2, sizeof both);
            const uint32_t number = j % 2 == 0 ? both & 0xFFFF : both >> 16;
            if (number != bf16_bits(want[r * ld + j]))
                fail_msg("%s: row %ld, column %ld: found %04x, expected %04x (of %g)", what,
                         (long)r, (long)j, number, bf16_bits(want[r * ld + j]),
                         (double)want[r * ld + j]);
        }
}

typedef struct {
    int m, n, k;
    bool a_trans;
    ig_epilogue epilogue;
    int bf16;
} bf16_arrays_case;

enum { pad = 6 };

/* The numbers between rows of n numbers are no operand. */
static void spoil_gaps(float *x, int64_t n_row, int64_t n, int64_t ld)
{
    for (int64_t r = 0; r < n_row; r++)
        for (int64_t i = n; i < ld; i++)
            x[r * ld + i] = NAN;
}

static void check(const ig_ops *t, const bf16_arrays_case *x)
{
    const int64_t lda = (x->a_trans ? x->m : x->k) + pad, ldb = x->n + pad, ldc = x->n + pad;
    const int64_t n_row = x->a_trans ? x->k : x->m, n_c = x->m * ldc;
    const bool c_bf16 = (x->bf16 & IG_BF16_C) != 0;
    ig_scratch s = {0};
    float *a = buffer_new(n_row * lda, 1), *b = buffer_new(x->k * ldb, 2);
    float *c = buffer_new(n_c, 3), *aux = buffer_new(n_c, 4), *bias = buffer_new(x->n, 5);
    spoil_gaps(a, n_row, lda - pad, lda);
    spoil_gaps(b, x->k, x->n, ldb);
    float *ha = to_bf16(a, n_row, lda), *hb = to_bf16(b, x->k, ldb);
    float *haux = to_bf16(aux, x->m, ldc), *hc = buffer_new(n_c, 3), *sum = buffer_new(x->m, 6);
    float *was = buffer_copy(sum, x->m);
    const int64_t n_pack = t->pack_size(x->k, x->n);
    float *packed = buffer_new(n_pack, 0);
    ig_gemm g = {.m = x->m,
                 .n = x->n,
                 .k = x->k,
                 .a = a,
                 .lda = (int)lda,
                 .a_trans = x->a_trans,
                 .b = b,
                 .ldb = (int)ldb,
                 .c = c,
                 .ldc = (int)ldc,
                 .accumulate = x->a_trans,
                 .epilogue = x->epilogue,
                 .bias = bias,
                 .aux = x->epilogue >= IG_EPI_BIAS_GELU ? aux : NULL,
                 .ld_aux = (int)ldc};
    if ((x->bf16 & IG_BF16_B) == 0 && !x->a_trans) {
        t->pack_b(packed, b, (int)ldb, IG_B_ROWS, x->k, x->n);
        g.b = packed;
        g.b_form = IG_B_PACKED;
    }
    t->gemm(&g, &s);

    g.bf16 = x->bf16;
    if (x->bf16 & IG_BF16_A) {
        g.a = ha;
        g.lda = (int)lda / 2;
    }
    if (x->bf16 & IG_BF16_B) {
        g.b = hb;
        g.ldb = (int)ldb / 2;
    }
    g.c = hc;
    if (c_bf16)
        g.ldc = (int)ldc / 2;
    if (x->bf16 & IG_BF16_AUX) {
        g.aux = haux;
        g.ld_aux = (int)ldc / 2;
    }
    if (x->a_trans)
        g.a_sum = sum;
    float *before = buffer_copy(hc, n_c);
    t->gemm(&g, &s);
    if (c_bf16) {
        same_rounded(hc, c, x->m, x->n, ldc, "c");
        for (int64_t i = 0; i + 1 < x->m; i++) /* what lies between the rows is left alone */
            assert_memory_equal(hc + (i * ldc + x->n) / 2, before + (i * ldc + x->n) / 2,
                                pad / 2 * sizeof(float));
        if (x->bf16 & IG_BF16_AUX)
            same_rounded(haux, aux, x->m, x->n, ldc, "aux");
    } else
        assert_memory_equal(hc, c, (size_t)n_c * sizeof(float));
    for (int64_t i = 0; x->a_trans && i < x->m; i++) {
        double want = (double)was[i];
        for (int64_t r = 0; r < x->k; r++)
            want += (double)a[r * lda + i];
        assert_close(&sum[i], &(float){(float)want}, 1, 1e-5 * (1 + x->k), 0, "column sums");
    }
    buffer_free(a, n_row * lda);
    buffer_free(b, x->k * ldb);
    buffer_free(c, n_c);
    buffer_free(aux, n_c);
    buffer_free(bias, x->n);
    buffer_free(ha, n_row * lda / 2);
    buffer_free(hb, x->k * ldb / 2);
    buffer_free(haux, n_c / 2);
    buffer_free(hc, n_c);
    buffer_free(before, n_c);
    buffer_free(sum, x->m);
    buffer_free(was, x->m);
    buffer_free(packed, n_pack);
    ig_scratch_free(&s);
}

static void products(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 2, 2},   {12, 32, 64},  {13, 34, 6},   {27, 64, 128},
                                   {40, 96, 2}, {211, 50, 30}, {31, 66, 1020}};
    static const ig_epilogue epilogue[] = {IG_EPI_NONE, IG_EPI_BIAS, IG_EPI_BIAS_GELU, IG_EPI_MUL,
                                           IG_EPI_BIAS_GELU_TANH};
    const ig_ops *t = table_with_bf16_arrays();
    for (size_t i = 0; t != NULL && i < sizeof sizes / sizeof *sizes; i++) {
        bf16_arrays_case x = {.m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2]};
        for (int way = 0; way < 5; way++) {
            x.epilogue = epilogue[way];
            const int made = way < 2 ? IG_BF16_C : IG_BF16_C | IG_BF16_AUX;
            for (int in = 0; in < 2; in++) {
                x.bf16 = made | (in ? IG_BF16_A : 0);
                check(t, &x);
            }
        }
        x.epilogue = IG_EPI_NONE;
        x.bf16 = IG_BF16_A;
        check(t, &x);
    }
}

/* Gradients of weights, with the bias's: any K, odd ones too. */
static void gradients(void **state)
{
    (void)state;
    static const int sizes[][3] = {{2, 2, 1},    {32, 64, 27},  {64, 256, 270},
                                   {210, 34, 7}, {34, 66, 801}, {400, 2100, 5}};
    static const int ways[] = {0, IG_BF16_A, IG_BF16_B, IG_BF16_A | IG_BF16_B};
    const ig_ops *t = table_with_bf16_arrays();
    for (size_t i = 0; t != NULL && i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++)
            check(t, &(bf16_arrays_case){.m = sizes[i][0],
                                         .n = sizes[i][1],
                                         .k = sizes[i][2],
                                         .a_trans = true,
                                         .bf16 = ways[way]});
}

static void attention(void **state)
{
    (void)state;
    enum { n_seq = 4 };
    static const int32_t start[] = {0, 27, 28, 61, 131};
    static const int heads[][2] = {{64, 1}, {64, 2}, {48, 3}, {36, 3}, {96, 1}};
    const ig_ops *t = table_with_bf16_arrays();
    for (size_t i = 0; t != NULL && i < sizeof heads / sizeof *heads; i++)
        for (int drop = 0; drop < 2; drop++) {
            const int d = heads[i][0];
            const int64_t n = (int64_t)start[n_seq] * d;
            const int64_t n_p = ig_attention_size(start, n_seq, heads[i][1]);
            float *qkv = buffer_new(3 * n, 1), *dctx = buffer_new(n, 2), *ctx[2], *probs[2];
            float *bf16 = to_bf16(qkv, start[n_seq], 3 * d), *dqkv[2];
            float *bf16_dctx = to_bf16(dctx, start[n_seq], d);
            ig_scratch s = {0};
            for (int k = 0; k < 2; k++) {
                ctx[k] = buffer_new(k == 0 ? n : n / 2, 3);
                probs[k] = buffer_new(n_p, 4);
                dqkv[k] = buffer_new(k == 0 ? 3 * n : 3 * n / 2, 5);
                const ig_attention a = {.n_seq = n_seq,
                                        .n_head = heads[i][1],
                                        .d = d,
                                        .seq_start = start,
                                        .qkv = k == 0 ? qkv : bf16,
                                        .probs = probs[k],
                                        .ctx = ctx[k],
                                        .dctx = k == 0 ? dctx : bf16_dctx,
                                        .dqkv = dqkv[k],
                                        .drop = {.key = {{1, 2}}, .site = 3, .p = drop ? .1f : 0},
                                        .mask = {.causal = i % 2 == 1},
                                        .bf16 = k == 1};
                t->attention(&a, &s);
                t->attention_grad(&a, &s);
            }
            assert_memory_equal(probs[0], probs[1], (size_t)n_p * sizeof(float));
            same_rounded(ctx[1], ctx[0], start[n_seq], d, d, "ctx");
            same_rounded(dqkv[1], dqkv[0], start[n_seq], 3 * d, 3 * d, "dqkv");
            for (int k = 0; k < 2; k++) {
                buffer_free(ctx[k], k == 0 ? n : n / 2);
                buffer_free(probs[k], n_p);
                buffer_free(dqkv[k], k == 0 ? 3 * n : 3 * n / 2);
            }
            buffer_free(qkv, 3 * n);
            buffer_free(bf16, 3 * n / 2);
            buffer_free(dctx, n);
            buffer_free(bf16_dctx, n / 2);
            ig_scratch_free(&s);
        }
}

/* LayerNorm leaves its output once more, rounded, its gradient rounded instead, and of its
 * normalised input, kept rounded, makes the gradient that it makes of the same numbers as floats.
 */
static void norms(void **state)
{
    (void)state;
    static const int columns[] = {64, 2, 50, 96, 768};
    const ig_ops *t = table_with_bf16_arrays();
    if (t == NULL)
        return;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (int after = 0; after < 2; after++) {
            enum { n_row = 9 };
            const int d = columns[i];
            const int64_t n = n_row * d, n_word = n_row * ig_kept_words(d);
            float *x = buffer_new(n, 1), *gamma = buffer_new(d, 2), *beta = buffer_new(d, 3),
                  *xhat = buffer_new(n, 0), *rstd = buffer_new(n_row, 0), *sum = buffer_new(d, 4);
            float *out[2] = {buffer_new(n, 0), buffer_new(n, 0)}, *bf16 = buffer_new(n / 2, 0),
                  *dx = buffer_new(n, 0);
            uint16_t *kept = malloc((size_t)n_word * sizeof *kept);
            ig_scratch s = {0};
            ig_norm a = {.n_row = n_row,
                         .d = d,
                         .x = x,
                         .drop = {.key = {{1, 2}}, .site = 3, .step = 4, .row0 = 5, .p = 0.3f},
                         .drop_after = after != 0,
                         .gamma = gamma,
                         .beta = beta,
                         .eps = 1e-3f,
                         .out = out[0],
                         .xhat = xhat,
                         .rstd = rstd,
                         .kept = kept};
            t->norm(&a);
            a.out = out[1];
            a.bf16 = bf16;
            t->norm(&a);
            assert_memory_equal(out[0], out[1], (size_t)n * sizeof(float));
            same_rounded(bf16, out[0], n_row, d, d, "LayerNorm");

            ig_norm_grad g = {.n_row = n_row,
                              .d = d,
                              .dout = x,
                              .xhat = xhat,
                              .rstd = rstd,
                              .drop = a.drop,
                              .drop_after = a.drop_after,
                              .kept = kept,
                              .gamma = gamma,
                              .dx = dx,
                              .dgamma = sum,
                              .dbeta = sum};
            t->norm_grad(&g, &s);
            g.dx = bf16;
            g.bf16 = true;
            t->norm_grad(&g, &s);
            same_rounded(bf16, dx, n_row, d, d, "gradient of LayerNorm");

            a.bf16_xhat = true;
            a.xhat = bf16;
            a.bf16 = NULL;
            t->norm(&a);
            assert_memory_equal(out[0], out[1], (size_t)n * sizeof(float));
            same_rounded(bf16, xhat, n_row, d, d, "normalised input");
            float *rounded = to_bf16(xhat, n_row, d), *dx2 = buffer_new(n, 0),
                  *sum2 = buffer_new(d, 4);
            buffer_free(sum, d);
            sum = buffer_new(d, 4);
            g.bf16 = false;
            g.dx = dx;
            g.dgamma = g.dbeta = sum;
            t->norm_grad(&g, &s);
            g.xhat = rounded;
            g.bf16_xhat = true;
            g.dx = dx2;
            g.dgamma = g.dbeta = sum2;
            t->norm_grad(&g, &s);
            assert_memory_equal(dx, dx2, (size_t)n * sizeof(float));
            assert_memory_equal(sum, sum2, (size_t)d * sizeof(float));
            buffer_free(rounded, n / 2);
            buffer_free(dx2, n);
            buffer_free(sum2, d);
            ig_scratch_free(&s);
            free(kept);
            buffer_free(dx, n);
            buffer_free(bf16, n / 2);
            buffer_free(out[1], n);
            buffer_free(out[0], n);
            buffer_free(sum, d);
            buffer_free(rstd, n_row);
            buffer_free(xhat, n);
            buffer_free(beta, d);
            buffer_free(gamma, d);
            buffer_free(x, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(gradients),
        cmocka_unit_test(attention),
        cmocka_unit_test(norms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
