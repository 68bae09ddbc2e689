/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in bfloat16, by the CPU's own or by rounded operands: against `ref` on operands rounded
 * here by their definition (which leaves only the sums' float32 errors), against `ref` on the
 * operands as they are (which must not be off by more than bfloat16's rounding explains), whatever
 * the cuts, and in a small training whose losses follow float32's.
 */
#include "backend/cpu/cpu.h"
#include "engine_fixture.h"
#include "ops_tables.h"
#include "train/optimizer.h"

typedef struct {
    int m, n, k;
    bool a_trans;
    ig_b_form form;
    bool accumulate;
    ig_epilogue epilogue;
} bf16_case;

typedef struct {
    ig_gemm g;
    int64_t n_a, n_b, n_c;
    float *a, *b, *c, *aux, *bias;
} bf16_data;

enum { pad = 5 };

static bf16_data data_new(const bf16_case *x)
{
    bf16_data d = {0};
    const int lda = (x->a_trans ? x->m : x->k) + pad;
    const int ldb = (x->form == IG_B_COLS ? x->k : x->n) + pad, ldc = x->n + pad;
    d.n_a = (int64_t)(x->a_trans ? x->k : x->m) * lda;
    d.n_b = (int64_t)(x->form == IG_B_COLS ? x->n : x->k) * ldb;
    d.n_c = (int64_t)x->m * ldc;
    d.a = buffer_new(d.n_a, 1);
    d.b = buffer_new(d.n_b, 2);
    d.c = buffer_new(d.n_c, 3);
    d.aux = buffer_new(d.n_c, 4);
    d.bias = buffer_new(x->n, 5);
    d.g = (ig_gemm){.m = x->m,
                    .n = x->n,
                    .k = x->k,
                    .a = d.a,
                    .lda = lda,
                    .a_trans = x->a_trans,
                    .b = d.b,
                    .ldb = ldb,
                    .b_form = x->form,
                    .c = d.c,
                    .ldc = ldc,
                    .accumulate = x->accumulate,
                    .epilogue = x->epilogue,
                    .bias = d.bias,
                    .aux = d.aux,
                    .ld_aux = ldc};
    return d;
}

static void data_free(bf16_data *d)
{
    buffer_free(d->a, d->n_a);
    buffer_free(d->b, d->n_b);
    buffer_free(d->c, d->n_c);
    buffer_free(d->aux, d->n_c);
    buffer_free(d->bias, d->g.n);
}

/* Runs the product with b packed by the table where the case says so. */
static void run(const ig_ops *t, const bf16_data *d)
{
    ig_scratch s = {0};
    ig_gemm g = d->g;
    const int64_t n = t->pack_size(g.k, g.n);
    float *packed = buffer_new(n, 0);
    if (g.b_form == IG_B_PACKED) {
        t->pack_b(packed, d->b, d->g.ldb, IG_B_ROWS, g.k, g.n);
        g.b = packed;
    }
    t->gemm(&g, &s);
    buffer_free(packed, n);
    ig_scratch_free(&s);
}

/* Bound for gelu' by gelu_table.inc, with any products. */
static const double slope_error = 1.1e-5;

static void check_near(const bf16_data *got, const bf16_data *want, double tolerance)
{
    const double of_aux = want->g.epilogue == IG_EPI_BIAS_GELU ? slope_error : 0;
    for (int64_t i = 0; i < want->g.m; i++) {
        const int64_t row = i * want->g.ldc, n = want->g.n;
        assert_close(got->c + row, want->c + row, n, tolerance, 0, "bfloat16");
        assert_close(got->aux + row, want->aux + row, n, tolerance + of_aux, 0, "bfloat16, aux");
        assert_memory_equal(got->c + row + n, want->c + row + n, pad * sizeof(float));
        assert_memory_equal(got->aux + row + n, want->aux + row + n, pad * sizeof(float));
    }
}

/* Operands are uniform in [−1, 1). Sums of exact products: λ √K u Σ|a||b| with λ = 7, as
 * test_ops_gemm.c has it; twice, since an instruction rounds after each of its two products.
 * Rounding the operands: each product is off by at most 2 · 2⁻⁹ |ab| (1 + 2⁻¹⁰), independently and
 * without a preferred sign, so by Hoeffding's inequality a sum is off by more than λ √K 2⁻⁸ but
 * with probability 2 exp(−λ²/2). The epilogues have Lipschitz constants below 1.2. */
static void check_case(const ig_ops *t, const bf16_case *x)
{
    bf16_data exact = data_new(x), want = data_new(x), got = data_new(x);
    const double sums = 2 * 7 * sqrt(x->k + 4.0) * 0x1p-24 * (0.25 * x->k + 2);
    const double rounding = 1.2 * 7 * sqrt((double)x->k) * 0x1p-8 * 1.001;
    for (int64_t i = 0; i < want.n_a; i++)
        want.a[i] = bf16_float(bf16_bits(want.a[i]));
    for (int64_t i = 0; i < want.n_b; i++)
        want.b[i] = bf16_float(bf16_bits(want.b[i]));
    run(ig_ops_ref(), &exact);
    run(ig_ops_ref(), &want);
    run(t, &got);
    check_near(&got, &want, sums);
    check_near(&got, &exact, sums + rounding);
    data_free(&exact);
    data_free(&want);
    data_free(&got);
}

static void products(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},    {1, 33, 7},     {2, 16, 0},
                                   {5, 17, 3},   {11, 31, 64},   {13, 64, 27},
                                   {23, 65, 16}, {211, 48, 401}, {25, 7, 129}};
    const ig_ops *t = ig_ops_bfloat16();
    for (size_t i = 0; t != NULL && i < sizeof sizes / sizeof *sizes; i++)
        for (int trans = 0; trans < 2; trans++)
            for (int form = IG_B_ROWS; form <= IG_B_PACKED; form++)
                for (int way = 0; way < 5; way++)
                    check_case(t, &(bf16_case){sizes[i][0], sizes[i][1], sizes[i][2], trans,
                                               (ig_b_form)form, way == 4,
                                               way < 4 ? (ig_epilogue)way : IG_EPI_NONE});
    static const bf16_case large[] = {
        {211, 67, 1021, true, IG_B_COLS, true, IG_EPI_NONE},
        {40, 2100, 45, true, IG_B_ROWS, true, IG_EPI_NONE},
        {31, 35, 1021, false, IG_B_PACKED, false, IG_EPI_BIAS_GELU},
    };
    for (size_t i = 0; t != NULL && i < sizeof large / sizeof *large; i++)
        check_case(t, &large[i]);
}

static void cuts_change_nothing(void **state)
{
    (void)state;
    static const bf16_case cases[] = {
        {61, 83, 64, false, IG_B_ROWS, false, IG_EPI_BIAS_GELU},
        {61, 83, 901, true, IG_B_ROWS, true, IG_EPI_NONE},
        {301, 83, 390, false, IG_B_COLS, false, IG_EPI_MUL},
    };
    const ig_ops *t = ig_ops_bfloat16();
    for (size_t i = 0; t != NULL && i < sizeof cases / sizeof *cases; i++) {
        bf16_data whole = data_new(&cases[i]), parts = data_new(&cases[i]);
        run(t, &whole);
        static const int row_cuts[] = {0, 1, 8, 61, 301}, col_cuts[] = {0, 5, 48, 83};
        const ig_gemm p = parts.g;
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 3 && row_cuts[r] < p.m; c++) {
                const int i0 = row_cuts[r], j0 = col_cuts[c];
                bf16_data part = parts;
                part.g.m = row_cuts[r + 1] - i0;
                part.g.n = col_cuts[c + 1] - j0;
                part.g.a += p.a_trans ? i0 : i0 * p.lda;
                part.g.b += p.b_form == IG_B_COLS ? j0 * p.ldb : j0;
                part.g.c += i0 * p.ldc + j0;
                part.g.aux += i0 * p.ld_aux + j0;
                part.g.bias += j0;
                run(t, &part);
            }
        assert_memory_equal(whole.c, parts.c, (size_t)whole.n_c * sizeof(float));
        assert_memory_equal(whole.aux, parts.aux, (size_t)whole.n_c * sizeof(float));
        data_free(&whole);
        data_free(&parts);
    }
}

/* A value that is not finite reaches the elements that it reaches in ref, and no other. */
static void not_finite(void **state)
{
    (void)state;
    const ig_ops *t = ig_ops_bfloat16();
    for (int way = 0; t != NULL && way < 4; way++) {
        const bf16_case c = {19, 37, 21, false, IG_B_PACKED, false, (ig_epilogue)way};
        bf16_data want = data_new(&c), got = data_new(&c);
        float *const a[] = {want.a, got.a};
        for (int i = 0; i < 2; i++) {
            a[i][2 * want.g.lda + 1] = NAN;
            a[i][7 * want.g.lda + 20] = INFINITY;
            a[i][11 * want.g.lda + 3] = -INFINITY;
        }
        run(ig_ops_ref(), &want);
        run(t, &got);
        for (int64_t i = 0; i < want.n_c; i++) {
            assert_int_equal(isfinite(got.c[i]) != 0, isfinite(want.c[i]) != 0);
            assert_int_equal(isfinite(got.aux[i]) != 0, isfinite(want.aux[i]) != 0);
        }
        data_free(&want);
        data_free(&got);
    }
}

enum { n_update = SANITIZED ? 16 : 60 };

/* Losses per prediction of a small model that learns one batch by heart. */
static void training(double *loss, ig_precision precision, int n_thread, bool split)
{
    ig_bert_config c = ig_bert_config_small(120);
    c.num_hidden_layers = 2;
    if (split) { /* large enough for the team to share its ops */
        c.hidden_size = 192;
        c.num_attention_heads = 3;
        c.intermediate_size = 768;
    }
    const ig_optimizer_options adam = {
        .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .weight_decay = 0.01, .clip = 1};
    static const int length[] = {17, 24, 9, 31, 12, 20, 28, 15};
    ig_err err;
    ig_optimizer *o;
    ig_engine *e;
    ig_bert *m = make_model(&c, 3);
    ig_team *team = make_team(n_thread);
    test_batch b = make_batch(&c, length, 8, 0.3, 5);
    assert_ok(ig_engine_new(&e, m, team, NULL, precision, &err), &err);
    assert_ok(ig_optimizer_new(&o, m, &adam, ig_ops_best(), team, &err), &err);
    for (int i = 0; i < n_update; i++) {
        ig_pass pass = make_pass(false);
        pass.scale[IG_HEAD_MASKED] = 1.0f / (float)b.b.target[IG_HEAD_MASKED].n;
        loss[i] = run_train(e, &b.b, &pass) / b.b.target[IG_HEAD_MASKED].n;
        assert_ok(ig_optimizer_step(o, ig_engine_gradient(e), 2e-3, NULL, &err), &err);
        ig_engine_weights_changed(e);
    }
    ig_optimizer_free(o);
    ig_engine_free(e);
    free_batch(&b);
    ig_team_free(team);
    ig_bert_free(m);
}

static void training_follows_float32(void **state)
{
    (void)state;
    double want[n_update], got[n_update], again[n_update];
    if (ig_ops_bfloat16() == NULL)
        return;
    for (int split = 0; split < 2; split++) {
        training(want, IG_PRECISION_F32, 1, split);
        training(got, IG_PRECISION_BF16, 1, split);
        training(again, IG_PRECISION_BF16, 3, split);
        assert_memory_equal(got, again, sizeof got);
        bool differs = false;
        for (int i = 0; i < n_update; i++) {
            differs |= got[i] != want[i];
            if (fabs(got[i] - want[i]) > 0.03 * want[i] + 0.01)
                fail_msg("update %d: loss %g, in float32 %g", i, got[i], want[i]);
        }
        assert_true(differs);
        assert_true(want[n_update - 1] < (SANITIZED ? 0.9 : 0.5) * want[0]);
    }
}

/* GELU of z by a product of 1 × 1 with its bias, as test_ops_elementary.c has it for float32. */
static void gelu_is_near(void **state)
{
    (void)state;
    enum { n = 60001 };
    const ig_ops *t = ig_ops_bfloat16();
    if (t == NULL)
        return;
    float *z = buffer_new(n, 1), *y = buffer_new(n, 1), *slope = buffer_new(n, 1), zero = 0;
    double worst = 0, worst_slope = 0;
    for (int i = 0; i < n; i++)
        z[i] = (float)(i - n / 2) * 1e-3f;
    ig_gemm g = {.m = 1,
                 .n = n,
                 .k = 1,
                 .a = &zero,
                 .lda = 1,
                 .b = z,
                 .ldb = n,
                 .c = y,
                 .ldc = n,
                 .epilogue = IG_EPI_BIAS_GELU,
                 .bias = z,
                 .aux = slope,
                 .ld_aux = n};
    ig_scratch s = {0};
    t->gemm(&g, &s);
    for (int i = 0; i < n; i++) {
        const double x = (double)z[i], cdf = 0.5 * erfc(-x * 0.70710678118654752440);
        const double d = cdf + x * 0.39894228040143267794 * exp(-0.5 * x * x);
        const double size = fmax(1, fabs(x));
        worst = fmax(worst, fabs((double)y[i] - x * cdf) / size);
        worst_slope = fmax(worst_slope, fabs((double)slope[i] - d));
    }
    print_message("gelu: error %.2g of the larger of 1 and |z|, of its derivative %.2g\n", worst,
                  worst_slope);
    /* The polynomials' own errors are 1e-7 and 1.1e-5, the rest is float32's rounding. */
    assert_true(worst <= 4 * 0x1p-24);
    assert_true(worst_slope <= slope_error);
    ig_scratch_free(&s);
    buffer_free(z, n);
    buffer_free(y, n);
    buffer_free(slope, n);
}

/* Attention's products round q, k, v (uniform in [−1, 1)), probabilities and gradients. A score is
 * off by at most 7 · 2⁻⁸ / 3 with the bound above (a product's variance is 1/9, and √Dh cancels),
 * so a probability by 2 % of itself, and so a row's mean of values by .02 + 2 · 2⁻⁸; the gradients
 * have a product more on the way. */
static void check_attention(int d, int n_head, const int32_t *start, int n_seq, bool causal)
{
    const int64_t n = (int64_t)start[n_seq] * d, n_p = ig_attention_size(start, n_seq, n_head);
    const ig_ops *table[] = {ig_ops_ref(), ig_ops_bfloat16()};
    if (table[1] == NULL)
        return;
    float *qkv = buffer_new(3 * n, 1), *dctx = buffer_new(n, 2), *ctx[2], *probs[2], *dqkv[2];
    ig_scratch s = {0};
    for (int k = 0; k < 2; k++) {
        ctx[k] = buffer_new(n, 3);
        probs[k] = buffer_new(n_p, 4);
        dqkv[k] = buffer_new(3 * n, 5);
        const ig_attention a = {.n_seq = n_seq,
                                .n_head = n_head,
                                .d = d,
                                .seq_start = start,
                                .qkv = qkv,
                                .probs = probs[k],
                                .ctx = ctx[k],
                                .dctx = dctx,
                                .dqkv = dqkv[k],
                                .drop = {.key = {{1, 2}}, .site = 3, .p = 0.1f},
                                .mask = {.causal = causal}};
        table[k]->attention(&a, &s);
        table[k]->attention_grad(&a, &s);
    }
    for (int64_t i = 0; i < n_p; i++)
        assert_true(signbit(probs[0][i]) == signbit(probs[1][i]));
    assert_close(probs[1], probs[0], n_p, 1e-30, 0.02, "probabilities"); /* 0 where masked */
    assert_close(ctx[1], ctx[0], n, 0.03, 0, "attention");
    assert_close(dqkv[1], dqkv[0], 3 * n, 0.06, 0, "attention, gradient");
    assert_memory_not_equal(ctx[0], ctx[1], (size_t)n * sizeof(float));
    for (int k = 0; k < 2; k++) {
        buffer_free(ctx[k], n);
        buffer_free(probs[k], n_p);
        buffer_free(dqkv[k], 3 * n);
    }
    buffer_free(qkv, 3 * n);
    buffer_free(dctx, n);
    ig_scratch_free(&s);
}

static void attention_is_near(void **state)
{
    (void)state;
    for (int causal = 0; causal < 2; causal++)
        check_attention(64, 2, (const int32_t[]){0, 27, 28, 61}, 3, causal == 1);
    for (int causal = 0; causal < 2; causal++) /* much longer than wide */
        check_attention(48, 4, (const int32_t[]){0, 75, 76, 109, 210}, 4, causal == 1);
}

/* Where a CPU has no such products, its float32 kernels give the bits that they give for operands
 * rounded beforehand. */
static void rounded_is_float32_of_rounded(void **state)
{
    (void)state;
    static const bf16_case cases[] = {
        {61, 83, 64, false, IG_B_ROWS, false, IG_EPI_BIAS_GELU},
        {1, 7, 3, true, IG_B_COLS, false, IG_EPI_BIAS},
        {61, 2083, 901, true, IG_B_PACKED, true, IG_EPI_NONE},
        {301, 83, 390, false, IG_B_COLS, false, IG_EPI_MUL},
    };
    FOR_EACH_TABLE(exact)
    {
        const ig_ops *t = emulated_is(exact) ? emulated_rounded(exact) : ig_ops_rounded(exact);
        assert_non_null(t);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bf16_data want = data_new(&cases[i]), got = data_new(&cases[i]);
            for (int64_t k = 0; k < want.n_a; k++)
                want.a[k] = bf16_float(bf16_bits(want.a[k]));
            for (int64_t k = 0; k < want.n_b; k++)
                want.b[k] = bf16_float(bf16_bits(want.b[k]));
            want.a[0] = 0;
            got.a[0] = -0x1.8p-130f; /* below 2^-126 */
            run(exact, &want);
            run(t, &got);
            assert_memory_equal(want.c, got.c, (size_t)want.n_c * sizeof(float));
            assert_memory_equal(want.aux, got.aux, (size_t)want.n_c * sizeof(float));
            data_free(&want);
            data_free(&got);
        }
    }
}

/* Where it cannot be had, the engine says so. */
static void refused_by_reference(void **state)
{
    (void)state;
    ig_err err;
    const ig_ops *ops;
    assert_int_equal(setenv("ISOGLOT_CPU", "ref", 1), 0);
    assert_int_equal(ig_engine_ops(&ops, IG_PRECISION_BF16, &err), IG_ERR_USAGE);
    assert_ok(ig_engine_ops(&ops, IG_PRECISION_F32, &err), &err);
    assert_int_equal(unsetenv("ISOGLOT_CPU"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(gelu_is_near),
        cmocka_unit_test(attention_is_near),
        cmocka_unit_test(training_follows_float32),
        cmocka_unit_test(rounded_is_float32_of_rounded),
        cmocka_unit_test(refused_by_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
