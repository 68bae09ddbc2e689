/* SPDX-License-Identifier: Apache-2.0
 *
 * Every gradient of `ref` against finite differences, with `ref` compiled in double. The loss is
 * Σ w · out with random weights w; the derivative is the fourth-order four-point difference
 * (8 (f₊ − f₋) − (f₊₊ − f₋₋)) / 12 h with h = 10⁻³: its error is about h⁴ f⁽⁵⁾/30 + 10⁻¹⁶/h, some
 * 10⁻¹³ to 10⁻¹¹ here, and 10⁻⁸ is asked.
 */
#define IG_OPS_DOUBLE
#include "tensor/ops.h"

#include "backend/ref/ref_table.inc"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static double *random_new(int64_t n, uint32_t seed)
{
    double *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 1, 0);
    for (int64_t i = 0; i < n; i++)
        p[i] = 2 * ig_rng_unit(&r) - 1;
    return p;
}

static double *zeros_new(int64_t n)
{
    double *p = calloc((size_t)n + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

static double weighted(const double *w, const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += w[i] * x[i];
    return sum;
}

typedef double loss_fn(void *arg);

/* The derivative of loss along each x[i] must be want[i]. */
static void check(const char *what, loss_fn *loss, void *arg, double *x, int64_t n,
                  const double *want)
{
    const double h = 1e-3;
    for (int64_t i = 0; i < n; i++) {
        const double x0 = x[i], step[4] = {h, -h, 2 * h, -2 * h};
        double f[4];
        for (int k = 0; k < 4; k++) {
            x[i] = x0 + step[k];
            f[k] = loss(arg);
        }
        x[i] = x0;
        double got = (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h);
        if (!(fabs(got - want[i]) <= 1e-8 * (1 + fabs(want[i])))) {
            print_error("%s[%lld]: difference %.12g, gradient %.12g\n", what, (long long)i, got,
                        want[i]);
            fail();
        }
    }
}

static ig_dropout dropout_of(double p)
{
    return (ig_dropout){
        .key = ig_rng_key_make(2, IG_STREAM_TEST), .site = 3, .step = 4, .row0 = 5, .p = p};
}

/* --- normalisation ------------------------------------------------------------------------------
 */

enum { norm_rows = 5, norm_d = 19, norm_n = norm_rows * norm_d };
typedef struct {
    ig_norm a;
    const double *w, *v; /* weights of `out` and `sum` in the loss */
} norm_arg;

static double norm_loss(void *p)
{
    norm_arg *x = p;
    ref_norm(&x->a);
    return weighted(x->w, x->a.out, norm_n) +
           (x->a.sum != NULL ? weighted(x->v, x->a.sum, norm_n) : 0);
}

static void norm_gradient(void **state)
{
    (void)state;
    for (int way = 0; way < 9; way++) { /* from 6 on with the sum as a result */
        double *v = random_new(norm_n, 6), *sum = zeros_new(norm_n);
        double *x = random_new(norm_n, 1), *res = random_new(norm_n, 2);
        double *gamma = random_new(norm_d, 3), *beta = random_new(norm_d, 4);
        double *w = random_new(norm_n, 5), *out = zeros_new(norm_n), *xhat = zeros_new(norm_n);
        double *rstd = zeros_new(norm_rows), *dx = zeros_new(norm_n), *dres = zeros_new(norm_n);
        double *dgamma = zeros_new(norm_d), *dbeta = zeros_new(norm_d);
        norm_arg arg = {.a = {.n_row = norm_rows,
                              .d = norm_d,
                              .x = x,
                              .residual = way < 3 || way >= 6 ? res : NULL,
                              .sum = way >= 6 ? sum : NULL,
                              .drop = dropout_of(way % 3 == 0 ? 0 : 0.3),
                              .drop_after = way % 3 == 2,
                              .gamma = gamma,
                              .beta = beta,
                              .eps = 1e-3,
                              .out = out,
                              .xhat = xhat,
                              .rstd = rstd},
                        .w = w,
                        .v = v};
        norm_loss(&arg);
        ig_norm_grad g = {.n_row = norm_rows,
                          .d = norm_d,
                          .dout = w,
                          .xhat = xhat,
                          .rstd = rstd,
                          .drop = arg.a.drop,
                          .drop_after = arg.a.drop_after,
                          .gamma = gamma,
                          .dsum = way >= 6 ? v : NULL,
                          .dx = dx,
                          .dresidual = dres,
                          .dgamma = dgamma,
                          .dbeta = dbeta};
        ref_norm_grad(&g, NULL);
        arg.a.xhat = arg.a.rstd = NULL;
        check("x", norm_loss, &arg, x, norm_n, dx);
        if (way < 3 || way >= 6)
            check("residual", norm_loss, &arg, res, norm_n, dres);
        check("gamma", norm_loss, &arg, gamma, norm_d, dgamma);
        check("beta", norm_loss, &arg, beta, norm_d, dbeta);
        double *all[] = {x, res, gamma, beta, w, out, xhat, rstd, dx, dres, dgamma, dbeta, v, sum};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
    }
}

/* --- attention ----------------------------------------------------------------------------------
 */

typedef struct {
    ig_attention a;
    const double *w;
    int64_t n;
    ig_scratch s;
} attention_arg;

static double attention_loss(void *p)
{
    attention_arg *x = p;
    ig_attention a = x->a;
    a.probs = NULL;
    ref_attention(&a, &x->s);
    return weighted(x->w, x->a.ctx, x->n);
}

static void attention_gradient(void **state)
{
    (void)state;
    static const int32_t start[] = {0, 5, 6, 15};
    enum { tokens = 15, d = 6, n = tokens * d };
    /* Dropout, heads; no distances, of queries, of keys too; all keys, those before, those near. */
    for (int way = 0; way < 36; way++) {
        const int far = way % 12;
        enum { n_distance = 10 };
        int n_head = way % 4 < 2 ? 1 : 3;
        int64_t n_table = (2 * n_distance - 1) * (d / n_head);
        double *table = random_new(n_table, 3), *dtable = zeros_new(n_table);
        double *qkv = random_new(3 * n, 1), *w = random_new(n, 2), *ctx = zeros_new(n);
        double *probs = zeros_new(ig_attention_size(start, 3, n_head)), *dqkv = zeros_new(3 * n);
        attention_arg arg = {.a = {.n_seq = 3,
                                   .n_head = n_head,
                                   .d = d,
                                   .seq_start = start,
                                   .qkv = qkv,
                                   .probs = probs,
                                   .ctx = ctx,
                                   .dctx = w,
                                   .dqkv = dqkv,
                                   .drop = dropout_of(way % 2 == 0 ? 0 : 0.3),
                                   .distance = far < 4 ? NULL : table,
                                   .n_distance = n_distance,
                                   .distance_keys = far >= 8,
                                   .ddistance = dtable,
                                   .mask = {way / 12 == 1, way / 12 == 2 ? 2 : 0}},
                             .w = w,
                             .n = n};
        for (int i = 0; i < 3 * n; i++)
            qkv[i] *= 2;
        ref_attention(&arg.a, &arg.s);
        ref_attention_grad(&arg.a, &arg.s);
        check("qkv", attention_loss, &arg, qkv, 3 * n, dqkv);
        check("distance", attention_loss, &arg, table, n_table, dtable);
        double *all[] = {qkv, w, ctx, probs, dqkv, table, dtable};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        ig_free(arg.s.block);
    }
}

/* --- matrix products, GELU, bias ----------------------------------------------------------------
 */

typedef struct {
    ig_gemm g;
    const double *w;
} gemm_arg;

static double gemm_loss(void *p)
{
    gemm_arg *x = p;
    ref_gemm(&x->g, NULL);
    return weighted(x->w, x->g.c, (int64_t)x->g.m * x->g.n);
}

/* y = gelu(x wᵀ + b) as the model chains it: BIAS_GELU keeps gelu', MUL takes it back in the
 * product before, the weight's gradient is a transposed product, the bias's a column sum. */
static void linear_gradient(void **state)
{
    (void)state;
    enum { m = 7, n = 5, k = 6 };
    for (int act = 0; act < 3; act++) {
        double *x = random_new(m * k, 1), *w = random_new(n * k, 2), *b = random_new(n, 3);
        double *dy = random_new(m * n, 4), *y = zeros_new(m * n), *slope = zeros_new(m * n);
        double *eye = zeros_new(n * n), *dz = zeros_new(m * n), *dx = zeros_new(m * k);
        double *dw = zeros_new(n * k), *db = zeros_new(n);
        gemm_arg arg = {.g = {.m = m,
                              .n = n,
                              .k = k,
                              .a = x,
                              .lda = k,
                              .b = w,
                              .ldb = k,
                              .b_form = IG_B_COLS,
                              .c = y,
                              .ldc = n,
                              .epilogue = act == 2   ? IG_EPI_BIAS_GELU_TANH
                                          : act == 1 ? IG_EPI_BIAS_GELU
                                                     : IG_EPI_BIAS,
                              .bias = b,
                              .aux = slope,
                              .ld_aux = n},
                        .w = dy};
        gemm_loss(&arg);
        if (!act)
            for (int i = 0; i < m * n; i++)
                slope[i] = 1;
        for (int i = 0; i < n; i++)
            eye[i * n + i] = 1;
        ig_gemm to_z = {.m = m,
                        .n = n,
                        .k = n,
                        .a = dy,
                        .lda = n,
                        .b = eye,
                        .ldb = n,
                        .c = dz,
                        .ldc = n,
                        .epilogue = IG_EPI_MUL,
                        .aux = slope,
                        .ld_aux = n};
        ig_gemm to_x = {
            .m = m, .n = k, .k = n, .a = dz, .lda = n, .b = w, .ldb = k, .c = dx, .ldc = k};
        ig_gemm to_w = {.m = n,
                        .n = k,
                        .k = m,
                        .a = dz,
                        .lda = n,
                        .a_trans = true,
                        .b = x,
                        .ldb = k,
                        .c = dw,
                        .ldc = k,
                        .accumulate = true};
        ref_gemm(&to_z, NULL);
        ref_gemm(&to_x, NULL);
        ref_gemm(&to_w, NULL);
        ref_column_sum(db, dz, m, n, n);
        arg.g.aux = NULL;
        check("x", gemm_loss, &arg, x, m * k, dx);
        check("w", gemm_loss, &arg, w, n * k, dw);
        check("b", gemm_loss, &arg, b, n, db);
        double *all[] = {x, w, b, dy, y, slope, eye, dz, dx, dw, db};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
    }
}

/* --- loss ---------------------------------------------------------------------------------------
 */

enum { xent_rows = 4, xent_v = 9 };
static const int32_t xent_label[xent_rows] = {0, 8, 3, 3};

static double xent_loss(void *p)
{
    double copy[xent_rows * xent_v], nll[xent_rows], sum = 0;
    memcpy(copy, p, sizeof copy);
    ref_softmax_xent(&(ig_xent){copy, xent_rows, xent_v, xent_v, xent_label, 1, false, nll, NULL});
    for (int r = 0; r < xent_rows; r++)
        sum += 0.37 * nll[r];
    return sum;
}

static void softmax_xent_gradient(void **state)
{
    (void)state;
    double *x = random_new(xent_rows * xent_v, 1), *dx = zeros_new(xent_rows * xent_v);
    double nll[xent_rows];
    int32_t best[xent_rows];
    memcpy(dx, x, xent_rows * xent_v * sizeof *dx);
    ref_softmax_xent(&(ig_xent){dx, xent_rows, xent_v, xent_v, xent_label, 0.37, true, nll, best});
    check("logits", xent_loss, x, x, xent_rows * xent_v, dx);
    free(x);
    free(dx);
}

/* --- embeddings ---------------------------------------------------------------------------------
 */

enum { embed_n = 7, embed_d = 3, embed_v = 5 };
static const int32_t embed_id[embed_n] = {4, 1, 1, 0, 2, 4, 1},
                     embed_pos[embed_n] = {0, 1, 2, 3, 4, 0, 1},
                     embed_seg[embed_n] = {0, 0, 0, 1, 1, 0, 1};
typedef struct {
    double *table[3], *out;
    const double *w;
} embed_arg;

static double embed_loss(void *p)
{
    embed_arg *x = p;
    ref_embed(&(ig_embed){x->out, embed_n, embed_d, x->table[0], x->table[1], x->table[2], embed_id,
                          embed_pos, embed_seg});
    return weighted(x->w, x->out, embed_n * embed_d);
}

static void embed_gradient(void **state)
{
    (void)state;
    enum { n = embed_v * embed_d };
    double *w = random_new(embed_n * embed_d, 1), *grad[3];
    embed_arg arg = {.out = zeros_new(embed_n * embed_d), .w = w};
    for (int i = 0; i < 3; i++) {
        arg.table[i] = random_new(n, 2 + (uint32_t)i);
        grad[i] = zeros_new(n);
    }
    ref_embed_grad(&(ig_embed_grad){w, embed_n, embed_d, grad[0], grad[1], grad[2], embed_id,
                                    embed_pos, embed_seg, -1, 0, 0, 0});
    for (int i = 0; i < 3; i++)
        check("table", embed_loss, &arg, arg.table[i], n, grad[i]);
    /* The odd gradient: a pad's row of `word` gets nothing, the other tables get all. */
    double *pad = zeros_new(n), *pos = zeros_new(n);
    ref_embed_grad(&(ig_embed_grad){w, embed_n, embed_d, pad, pos, NULL, embed_id, embed_pos,
                                    embed_seg, 1, 0, 0, 0});
    for (int c = 0; c < embed_d; c++) {
        assert_true(pad[embed_d + c] == 0);
        assert_true(pad[4 * embed_d + c] == grad[0][4 * embed_d + c]);
        assert_true(pos[embed_d + c] == grad[1][embed_d + c]);
    }
    for (int i = 0; i < 3; i++) {
        free(arg.table[i]);
        free(grad[i]);
    }
    free(pad);
    free(pos);
    free(w);
    free(arg.out);
}

/* Gather and scatter are each other's transpose: <gather(x), y> = <x, scatter(y)>. */
static void gather_and_scatter_are_adjoint(void **state)
{
    (void)state;
    static const int32_t row[] = {3, 0, 3, 4};
    double *x = random_new(15, 1), *y = random_new(12, 2), *gx = zeros_new(12), *sy = zeros_new(15);
    ref_gather_rows(gx, x, row, 4, 3);
    ref_scatter_add_rows(sy, y, row, 4, 3);
    assert_true(fabs(weighted(gx, y, 12) - weighted(x, sy, 15)) < 1e-14);
    free(x);
    free(y);
    free(gx);
    free(sy);
}

/* --- AdamW --------------------------------------------------------------------------------------
 */

/* Two conventions, written down as their sources state them, over five steps. */
static void adamw_is_the_published_rule(void **state)
{
    (void)state;
    const double lr = 0.01, b1 = 0.9, b2 = 0.999, eps = 1e-6, wd = 0.1, clip = 0.7;
    for (int torch = 0; torch < 2; torch++) {
        double p = 0.5, m = 0, v = 0, want = 0.5, wm = 0, wv = 0;
        for (int t = 1; t <= 5; t++) {
            double g = sin(3.0 * t), c1 = 1 - pow(b1, t), c2 = 1 - pow(b2, t);
            ig_adamw a = {.beta1 = b1,
                          .beta2 = b2,
                          .eps = eps,
                          .grad_scale = clip,
                          .decay = lr * wd,
                          .decay_first = torch};
            a.lr_t = torch ? lr / c1 : lr * sqrt(c2) / c1;
            a.root = torch ? 1 / sqrt(c2) : 1;
            ref_adamw(&a, &p, &g, &m, &v, 1);
            g *= clip;
            wm = b1 * wm + (1 - b1) * g;
            wv = b2 * wv + (1 - b2) * g * g;
            if (torch) { /* torch.optim.AdamW */
                want *= 1 - lr * wd;
                want -= lr * (wm / c1) / (sqrt(wv / c2) + eps);
            } else { /* transformers 2.8, AdamW */
                want -= lr * sqrt(c2) / c1 * wm / (sqrt(wv) + eps);
                want -= lr * wd * want;
            }
        }
        assert_true(fabs(p - want) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norm_gradient),
        cmocka_unit_test(attention_gradient),
        cmocka_unit_test(linear_gradient),
        cmocka_unit_test(softmax_xent_gradient),
        cmocka_unit_test(embed_gradient),
        cmocka_unit_test(gather_and_scatter_are_adjoint),
        cmocka_unit_test(adamw_is_the_published_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
