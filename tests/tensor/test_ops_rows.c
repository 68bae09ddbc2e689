/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisation with dropout, attention, loss, tables and AdamW: every table against `ref` over odd
 * shapes, with canaries, and twice for the same bits.
 *
 * Tolerances are multiples of u = 2⁻²⁴ times the size of what is summed: all inputs lie in [−1, 1).
 * A sum of n terms on lanes has an error of about √n u Σ|x| at most; each elementary function adds
 * a few u (test_ops_elementary.c).
 */
#include "ops_tables.h"

static const double u = 0x1p-24;

static ig_dropout dropout_of(float p)
{
    return (ig_dropout){
        .key = ig_rng_key_make(11, IG_STREAM_TEST), .site = 5, .step = 77, .row0 = 1000, .p = p};
}

typedef struct {
    int n_row, d;
    float p;
    bool drop_after, residual, keep;
} norm_case;

static const norm_case norm_cases[] = {
    {1, 1, 0.0f, false, false, true},   {3, 5, 0.3f, false, true, true},
    {17, 64, 0.1f, false, true, true},  {9, 67, 0.5f, true, true, true},
    {5, 128, 0.1f, true, false, false}, {2, 1030, 0.1f, false, true, true},
    {2, 2001, 0.9f, true, true, true},  {40, 16, 0.0f, false, true, true},
    {2, 8200, 0.1f, false, true, true}, /* wider than the buffer of numbers */
};

/* xhat of a row of size d: the sums over d have relative error √d u each, times |xhat| ≤ √d. */
static void norms(void **state)
{
    (void)state;
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof norm_cases / sizeof *norm_cases; i++) {
        norm_case x = norm_cases[i];
        int64_t n = (int64_t)x.n_row * x.d;
        float *in = buffer_new(n, 1), *res = buffer_new(n, 2), *gamma = buffer_new(x.d, 3),
              *beta = buffer_new(x.d, 4);
        float *out[3], *xhat[3], *rstd[3], *sum[3];
        const ig_ops *table[3] = {ig_ops_ref(), t, t};
        for (int k = 0; k < 3; k++) {
            out[k] = buffer_new(n, 5);
            xhat[k] = buffer_new(n, 6);
            rstd[k] = buffer_new(x.n_row, 7);
            ig_norm a = {.n_row = x.n_row,
                         .d = x.d,
                         .x = in,
                         .residual = x.residual ? res : NULL,
                         .drop = dropout_of(x.p),
                         .drop_after = x.drop_after,
                         .gamma = gamma,
                         .beta = beta,
                         .eps = 1e-12f,
                         .out = out[k],
                         .xhat = x.keep ? xhat[k] : NULL,
                         .rstd = x.keep ? rstd[k] : NULL};
            if (x.d == 1)
                a.eps = 1e-3f;
            sum[k] = buffer_copy(res, n);
            if (x.residual && !x.drop_after) {
                a.sum = sum[k];
                if (k == 2) /* in place, as pre-LN has it */
                    a.residual = sum[k];
            } else if (k == 2 && x.residual) { /* in place */
                memcpy(out[k], res, (size_t)n * sizeof(float));
                a.residual = out[k];
            }
            table[k]->norm(&a);
        }
        double tolerance = 16 * sqrt(x.d) * u / (1 - (double)x.p);
        assert_close(out[1], out[0], n, tolerance, tolerance, t->name);
        assert_close(xhat[1], xhat[0], n, tolerance, tolerance, t->name);
        assert_close(rstd[1], rstd[0], x.n_row, 0, 8 * sqrt(x.d) * u, t->name);
        assert_memory_equal(out[1], out[2], (size_t)n * sizeof(float));
        assert_close(sum[1], sum[0], n, 4 * u / (1 - (double)x.p), 0, t->name);
        assert_memory_equal(sum[1], sum[2], (size_t)n * sizeof(float));
        for (int k = 0; k < 3; k++) {
            buffer_free(sum[k], n);
            buffer_free(out[k], n);
            buffer_free(xhat[k], n);
            buffer_free(rstd[k], x.n_row);
        }
        buffer_free(in, n);
        buffer_free(res, n);
        buffer_free(gamma, x.d);
        buffer_free(beta, x.d);
    }
}

static void norm_gradients(void **state)
{
    (void)state;
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof norm_cases / sizeof *norm_cases; i++) {
        norm_case x = norm_cases[i];
        int64_t n = (int64_t)x.n_row * x.d;
        float *dout = buffer_new(n, 1), *xhat = buffer_new(n, 2), *gamma = buffer_new(x.d, 3),
              *rstd = buffer_new(x.n_row, 4);
        float *dx[3], *dres[3], *dgamma[3], *dbeta[3], *more = buffer_new(n, 9);
        const ig_ops *table[3] = {ig_ops_ref(), t, t};
        for (int k = 0; k < 3; k++) {
            dx[k] = buffer_new(n, 5);
            dres[k] = buffer_new(n, 6);
            dgamma[k] = buffer_new(x.d, 7);
            dbeta[k] = buffer_new(x.d, 8);
            ig_norm_grad a = {.n_row = x.n_row,
                              .d = x.d,
                              .dout = dout,
                              .xhat = xhat,
                              .rstd = rstd,
                              .drop = dropout_of(x.p),
                              .drop_after = x.drop_after,
                              .gamma = gamma,
                              .dx = dx[k],
                              .dresidual = x.residual ? dres[k] : NULL,
                              .dgamma = dgamma[k],
                              .dbeta = dbeta[k]};
            if (k == 2) { /* in place */
                memcpy(dx[k], dout, (size_t)n * sizeof(float));
                a.dout = dx[k];
            }
            if (x.residual && x.keep && i % 2 == 0) {
                a.dsum = k == 2 ? dres[k] : more;
                memcpy(dres[k], more, (size_t)n * sizeof(float));
            }
            table[k]->norm_grad(&a, &s);
        }
        double tolerance = 16 * sqrt(x.d) * u / (1 - (double)x.p);
        assert_close(dx[1], dx[0], n, tolerance, tolerance, t->name);
        assert_close(dres[1], dres[0], n, tolerance, tolerance, t->name);
        double column = 4 * sqrt(x.n_row) * x.n_row * u / (1 - (double)x.p) + 4 * u;
        assert_close(dgamma[1], dgamma[0], x.d, column, 0, t->name);
        assert_close(dbeta[1], dbeta[0], x.d, column, 0, t->name);
        assert_memory_equal(dx[1], dx[2], (size_t)n * sizeof(float));
        assert_memory_equal(dgamma[1], dgamma[2], (size_t)x.d * sizeof(float));
        for (int k = 0; k < 3; k++) {
            buffer_free(dx[k], n);
            buffer_free(dres[k], n);
            buffer_free(dgamma[k], x.d);
            buffer_free(dbeta[k], x.d);
        }
        buffer_free(more, n);
        buffer_free(dout, n);
        buffer_free(xhat, n);
        buffer_free(gamma, x.d);
        buffer_free(rstd, x.n_row);
    }
    ig_scratch_free(&s);
}

/* Scores are sums of Dh products (at most 1 each), divided by √Dh: absolute error of a probability
 * below 4 √Dh u; what follows sums at most T of them times values of at most 1 (times 1/(1−p)). */
static void attentions(void **state)
{
    (void)state;
    static const struct {
        int n_head, d, n_seq, length[4];
        float p;
        bool keep;
        ig_attention_mask mask;
    } cases[] = {
        {1, 64, 4, {27, 1, 4, 16}, 0.1f, true, {0}},
        {2, 24, 3, {7, 33, 128}, 0.3f, true, {0}},
        {3, 51, 2, {5, 65}, 0.0f, true, {0}},
        {1, 64, 2, {17, 150}, 0.1f, false, {0}},
        {4, 16, 2, {31, 32}, 0.0f, false, {0}},
        {2, 64, 1, {161}, 0.2f, true, {0}},
        {2, 64, 3, {1, 33, 66}, 0.2f, true, {true, 0}},
        {1, 48, 2, {9, 70}, 0.0f, true, {true, 0}},
        {2, 32, 3, {5, 40, 2}, 0.1f, true, {false, 3}},
        {1, 64, 2, {35, 19}, 0.0f, false, {true, 17}},
    };
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t start[5] = {0};
        int longest = 0;
        for (int k = 0; k < cases[i].n_seq; k++) {
            start[k + 1] = start[k] + cases[i].length[k];
            longest = cases[i].length[k] > longest ? cases[i].length[k] : longest;
        }
        int d = cases[i].d, n_tok = start[cases[i].n_seq];
        int64_t n = (int64_t)n_tok * d,
                n_p = ig_attention_size(start, cases[i].n_seq, cases[i].n_head);
        float *qkv = buffer_new(3 * n, 1), *dctx = buffer_new(n, 2), *ctx[3], *probs[3], *dqkv[3];
        const ig_ops *table[3] = {ig_ops_ref(), t, t};
        for (int k = 0; k < 3; k++) {
            ctx[k] = buffer_new(n, 3);
            probs[k] = buffer_new(n_p, 4);
            dqkv[k] = buffer_new(3 * n, 5);
            ig_attention a = {.n_seq = cases[i].n_seq,
                              .n_head = cases[i].n_head,
                              .d = d,
                              .seq_start = start,
                              .qkv = qkv,
                              .probs = cases[i].keep ? probs[k] : NULL,
                              .ctx = ctx[k],
                              .dctx = dctx,
                              .dqkv = dqkv[k],
                              .drop = dropout_of(cases[i].p),
                              .mask = cases[i].mask};
            table[k]->attention(&a, &s);
            if (cases[i].keep)
                table[k]->attention_grad(&a, &s);
        }
        double scale = 1 / (1 - (double)cases[i].p), dh = (double)d / cases[i].n_head;
        double tolerance = 8 * (sqrt(dh) + sqrt(longest)) * u * scale;
        assert_close(probs[1], probs[0], n_p, tolerance, 0, t->name);
        assert_close(ctx[1], ctx[0], n, tolerance, 0, t->name);
        /* dv sums T terms; dq, dk sum T terms of dh-sums each. */
        assert_close(dqkv[1], dqkv[0], 3 * n, tolerance * (sqrt(longest) + sqrt(dh)), 0, t->name);
        assert_memory_equal(ctx[1], ctx[2], (size_t)n * sizeof(float));
        assert_memory_equal(dqkv[1], dqkv[2], (size_t)(3 * n) * sizeof(float));
        for (int k = 0; k < 3; k++) {
            buffer_free(ctx[k], n);
            buffer_free(probs[k], n_p);
            buffer_free(dqkv[k], 3 * n);
        }
        buffer_free(qkv, 3 * n);
        buffer_free(dctx, n);
    }
    ig_scratch_free(&s);
}

static void losses(void **state)
{
    (void)state;
    static const int widths[] = {1, 2, 15, 33, 4096, 5003};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        enum { rows = 5 };
        int v = widths[i], ld = v + 3;
        int64_t n = (int64_t)rows * ld;
        int32_t label[rows], best[2][rows];
        double nll[2][rows];
        float *x[2] = {buffer_new(n, 1), buffer_new(n, 1)};
        for (int r = 0; r < rows; r++)
            label[r] = r * 7919 % v;
        for (int k = 0; k < 2; k++) {
            for (int64_t j = 0; j < n; j++)
                x[k][j] *= 20;
            if (v > 20) /* ties: the lowest id wins */
                x[k][ld + 19] = x[k][ld + 20] = x[k][ld + 7] = 30;
        }
        float *before = buffer_copy(x[0], n);
        const ig_ops *table[2] = {ig_ops_ref(), t};
        for (int grad = 0; grad < 2; grad++) {
            for (int k = 0; k < 2; k++)
                table[k]->softmax_xent(
                    &(ig_xent){x[k], rows, v, ld, label, 0.25f, grad, nll[k], best[k]});
            for (int r = 0; r < rows; r++) {
                assert_true(fabs(nll[1][r] - nll[0][r]) <= 64 * u * (1 + fabs(nll[0][r])));
                assert_int_equal(best[1][r], best[0][r]);
                assert_close(x[1] + r * ld, x[0] + r * ld, v, 16 * u, 64 * u, t->name);
                assert_memory_equal(x[1] + r * ld + v, before + r * ld + v, 3 * sizeof(float));
            }
            if (!grad)
                assert_memory_equal(x[1], before, (size_t)n * sizeof(float));
        }
        if (v > 20)
            assert_int_equal(best[1][1], 7);
        x[1][3 * ld] = NAN; /* a NaN makes the loss of its row NaN, and of no other */
        t->softmax_xent(&(ig_xent){x[1], rows, v, ld, label, 1.0f, false, nll[1], NULL});
        for (int r = 0; r < rows; r++)
            assert_int_equal(isnan(nll[1][r]) != 0, r == 3);
        buffer_free(x[0], n);
        buffer_free(x[1], n);
        buffer_free(before, n);
    }
}

static void tables_of_rows(void **state)
{
    (void)state;
    enum { n = 23, d = 37, v = 11 };
    int32_t id[n], pos[n], seg[n];
    for (int i = 0; i < n; i++) {
        id[i] = i * 5 % v;
        pos[i] = i % v;
        seg[i] = i % 2;
    }
    FOR_EACH_TABLE(t)
    for (int way = 0; way < 3; way++) {
        const ig_ops *table[2] = {ig_ops_ref(), t};
        float *x = buffer_new(n * d, 1), *p[2][4];
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < 4; j++)
                p[k][j] = buffer_new(n * d, 2 + (uint32_t)j);
            float **w = p[k];
            table[k]->embed(&(ig_embed){w[0], n, d, w[1], way > 0 ? w[2] : NULL,
                                        way > 1 ? w[3] : NULL, id, pos, seg});
            table[k]->embed_grad(&(ig_embed_grad){x, n, d, w[1], way > 0 ? w[2] : NULL,
                                                  way > 1 ? w[3] : NULL, id, pos, seg,
                                                  way == 0 ? -1 : 5, 0, 0, 0});
            table[k]->column_sum(w[2], x, n, d, d);
            table[k]->gather_rows(w[3], x, id, n, d);
            table[k]->scatter_add_rows(w[1], x, id, n, d);
            table[k]->add(w[2], w[1], n * d - 1);
        }
        /* Sums of at most 23 values in [−1, 1), in the same order but for column_sum. */
        for (int j = 0; j < 4; j++) {
            assert_close(p[1][j], p[0][j], n * d, 32 * u, 4 * u, t->name);
            buffer_free(p[0][j], n * d);
            buffer_free(p[1][j], n * d);
        }
        double want = ig_ops_ref()->sum_squares(x, n * d), got = t->sum_squares(x, n * d);
        assert_true(fabs(got - want) <= 1e-12 * want);
        buffer_free(x, n * d);
    }
}

static void adamw_steps(void **state)
{
    (void)state;
    static const int sizes[] = {1, 15, 64, 1003};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int first = 0; first < 2; first++) {
            int n = sizes[i];
            ig_adamw a = {.beta1 = 0.9f,
                          .beta2 = 0.999f,
                          .lr_t = 1e-3f,
                          .root = 3.0f,
                          .eps = 1e-6f,
                          .grad_scale = 0.5f,
                          .decay = 1e-4f,
                          .decay_first = first};
            const ig_ops *table[2] = {ig_ops_ref(), t};
            float *g = buffer_new(n, 1), *p[2], *m[2], *v[2];
            for (int k = 0; k < 2; k++) {
                p[k] = buffer_new(n, 2);
                m[k] = buffer_new(n, 3);
                v[k] = buffer_new(n, 4);
                for (int j = 0; j < n; j++)
                    v[k][j] *= v[k][j];
                table[k]->adamw(&a, p[k], g, m[k], v[k], n);
            }
            assert_close(m[1], m[0], n, 2 * u, 4 * u, t->name);
            assert_close(v[1], v[0], n, 0, 8 * u, t->name);
            assert_close(p[1], p[0], n, 8 * u * 1e-2, 4 * u, t->name);
            buffer_free(g, n);
            for (int k = 0; k < 2; k++) {
                buffer_free(p[k], n);
                buffer_free(m[k], n);
                buffer_free(v[k], n);
            }
        }
}

/* A word of an LSTM and its gradient, gates from −90 to 90 among them; NaN is not hidden. The
 * functions have absolute errors of a few 2⁻²⁴. */
static void lstm_cells(void **state)
{
    (void)state;
    static const int sizes[] = {1, 7, 16, 33, 200};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const int h = sizes[i / 2];
        float *gate[2], *cell[2], *slope[2], *out[2], *dbefore[2];
        float *before = buffer_new(h, 2), *dcell = buffer_new(h, 3);
        const ig_ops *ops[2] = {ig_ops_ref(), t};
        for (int k = 0; k < 2; k++) {
            gate[k] = buffer_new(4 * h, 1);
            for (int c = 0; c < 4 * h; c++)
                gate[k][c] *= c % 3 == 0 ? 90.0f : 5.0f;
            cell[k] = buffer_new(h, 4);
            slope[k] = buffer_new(h, 5);
            out[k] = buffer_new(h, 6);
            dbefore[k] = buffer_new(h, 7);
            ig_lstm_cell a = {.h = h,
                              .gate = gate[k],
                              .before = i % 2 == 0 ? NULL : before,
                              .cell = cell[k],
                              .slope = slope[k],
                              .out = out[k],
                              .dcell = dcell,
                              .dbefore = dbefore[k]};
            ops[k]->lstm_cell(&a);
            if (k == 1) {
                assert_close(gate[1], gate[0], 4 * h, 4e-7, 0, "gates");
                assert_close(cell[1], cell[0], h, 8e-7, 0, "cell");
                assert_close(slope[1], slope[0], h, 1.2e-6, 0, "slope");
                assert_close(out[1], out[0], h, 1.6e-6, 0, "out");
            }
        }
        memcpy(gate[1], gate[0], 4 * (size_t)h * sizeof(float));
        memcpy(slope[1], slope[0], (size_t)h * sizeof(float));
        memcpy(out[1], out[0], (size_t)h * sizeof(float));
        for (int k = 1; k >= 0; k--) {
            ig_lstm_cell a = {.h = h,
                              .gate = gate[k],
                              .before = i % 2 == 0 ? NULL : before,
                              .slope = slope[k],
                              .out = out[k],
                              .dcell = dcell,
                              .dbefore = dbefore[k]};
            ops[k]->lstm_cell_grad(&a);
        }
        assert_close(gate[1], gate[0], 4 * h, 8e-7, 0, "gates' gradient");
        assert_close(dbefore[1], dbefore[0], h, 8e-7, 0, "gradient of the cell before");
        gate[1][0] = NAN;
        t->lstm_cell(&(ig_lstm_cell){
            .h = h, .gate = gate[1], .cell = cell[1], .slope = slope[1], .out = out[1]});
        assert_true(isnan(gate[1][0]) && isnan(cell[1][0]) && isnan(out[1][0]));
        for (int k = 0; k < 2; k++) {
            buffer_free(gate[k], 4 * h);
            buffer_free(cell[k], h);
            buffer_free(slope[k], h);
            buffer_free(out[k], h);
            buffer_free(dbefore[k], h);
        }
        buffer_free(before, h);
        buffer_free(dcell, h);
    }
}

/* ISOGLOT_CPU restricts the choice, and an unknown name chooses nothing. */
static void environment_restricts(void **state)
{
    (void)state;
    for (int i = 0; ig_ops_names[i] != NULL; i++) {
        assert_int_equal(setenv("ISOGLOT_CPU", ig_ops_names[i], 1), 0);
        assert_ptr_equal(ig_ops_best(), table_of(i));
    }
    assert_int_equal(setenv("ISOGLOT_CPU", "z80", 1), 0);
    assert_null(ig_ops_best());
    assert_int_equal(unsetenv("ISOGLOT_CPU"), 0);
    assert_non_null(ig_ops_best());
    const char *op, *kernel;
    int n = 0;
    for (; ig_ops_describe(ig_ops_best(), n, &op, &kernel); n++)
        assert_non_null(kernel);
    assert_int_equal(n, 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms),          cmocka_unit_test(norm_gradients),
        cmocka_unit_test(attentions),     cmocka_unit_test(losses),
        cmocka_unit_test(tables_of_rows), cmocka_unit_test(adamw_steps),
        cmocka_unit_test(lstm_cells),     cmocka_unit_test(environment_restricts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
