/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product of every table against `ref`: all forms and epilogues, odd shapes, paddings,
 * what is written and what is left alone, NaN and infinity, and that an element's bits do not
 * depend on how rows and columns are split over calls.
 *
 * Tolerance: a chain of K fused steps has an error of at most λ √K u Σ|a||b| but with probability
 * 2 exp(−λ²/2) (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019); λ = 7, u = 2⁻²⁴. The epilogues
 * have Lipschitz constants below 1.2 and add a few u of their own (test_ops_elementary.c).
 */
#include "ops_tables.h"

#include <sys/resource.h>

typedef struct {
    int m, n, k;
    bool a_trans;
    ig_b_form form;
    bool accumulate;
    ig_epilogue epilogue;
    bool no_aux;
} gemm_case;

typedef struct {
    ig_gemm g;
    int64_t n_a, n_b, n_c;
    float *a, *b, *c, *aux, *bias, *packed;
    int64_t n_packed;
} gemm_data;

enum { pad = 3 };

static gemm_data data_new(const gemm_case *x)
{
    gemm_data d = {0};
    int rows_a = x->a_trans ? x->k : x->m, cols_a = x->a_trans ? x->m : x->k;
    int rows_b = x->form == IG_B_COLS ? x->n : x->k, cols_b = x->form == IG_B_COLS ? x->k : x->n;
    d.n_a = (int64_t)rows_a * (cols_a + pad);
    d.n_b = (int64_t)rows_b * (cols_b + pad);
    d.n_c = (int64_t)x->m * (x->n + pad);
    d.a = buffer_new(d.n_a, 1);
    d.b = buffer_new(d.n_b, 2);
    d.c = buffer_new(d.n_c, 3);
    d.aux = x->no_aux ? NULL : buffer_new(d.n_c, 4);
    d.bias = buffer_new(x->n, 5);
    d.g = (ig_gemm){.m = x->m,
                    .n = x->n,
                    .k = x->k,
                    .a = d.a,
                    .lda = cols_a + pad,
                    .a_trans = x->a_trans,
                    .b = d.b,
                    .ldb = cols_b + pad,
                    .b_form = x->form,
                    .c = d.c,
                    .ldc = x->n + pad,
                    .accumulate = x->accumulate,
                    .epilogue = x->epilogue,
                    .bias = x->epilogue == IG_EPI_BIAS_GELU && x->k % 2 == 1 ? NULL : d.bias,
                    .aux = d.aux,
                    .ld_aux = x->n + pad};
    return d;
}

/* Lets the table pack b when the case is about packed operands. */
static void data_pack(gemm_data *d, const ig_ops *t)
{
    if (d->g.b_form != IG_B_PACKED)
        return;
    d->n_packed = t->pack_size(d->g.k, d->g.n);
    d->packed = buffer_new(d->n_packed, 0);
    t->pack_b(d->packed, d->b, d->g.ldb, IG_B_ROWS, d->g.k, d->g.n);
    d->g.b = d->packed;
}

static void data_free(gemm_data *d)
{
    buffer_free(d->a, d->n_a);
    buffer_free(d->b, d->n_b);
    buffer_free(d->c, d->n_c);
    buffer_free(d->aux, d->n_c);
    buffer_free(d->bias, d->g.n);
    buffer_free(d->packed, d->n_packed);
}

static void check_case(const ig_ops *t, const gemm_case *x)
{
    gemm_data want = data_new(x), got = data_new(x);
    ig_scratch s = {0};
    data_pack(&want, ig_ops_ref());
    ig_ops_ref()->gemm(&want.g, &s);
    data_pack(&got, t);
    t->gemm(&got.g, &s);
    /* Σ|a||b| ≤ K; in the mean K/4. The start value (bias, c) is at most 1. */
    double tolerance = 7 * sqrt((double)x->k + 4) * 0x1p-24 * (0.25 * x->k + 2);
    char what[160];
    snprintf(what, sizeof what, "%s %dx%dx%d trans %d form %d acc %d epi %d", t->name, x->m, x->n,
             x->k, x->a_trans, (int)x->form, x->accumulate, (int)x->epilogue);
    for (int64_t i = 0; i < x->m; i++) {
        int64_t row = i * want.g.ldc;
        assert_close(got.c + row, want.c + row, x->n, tolerance, 0, what);
        assert_memory_equal(got.c + row + x->n, want.c + row + x->n, pad * sizeof(float));
        if (got.aux != NULL) {
            assert_close(got.aux + row, want.aux + row, x->n, tolerance, 0, what);
            assert_memory_equal(got.aux + row + x->n, want.aux + row + x->n, pad * sizeof(float));
        }
    }
    ig_scratch_free(&s);
    data_free(&want);
    data_free(&got);
}

static void all_shapes(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},    {1, 33, 7},   {2, 16, 0},   {5, 17, 3},
                                   {11, 31, 64}, {12, 32, 64}, {13, 64, 27}, {23, 65, 16},
                                   {37, 100, 5}, {64, 7, 129}, {25, 48, 401}};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int trans = 0; trans < 2; trans++)
            for (int form = IG_B_ROWS; form <= IG_B_PACKED; form++)
                for (int way = 0; way < 6; way++) {
                    gemm_case x = {sizes[i][0],     sizes[i][1], sizes[i][2], trans,
                                   (ig_b_form)form, way == 5,    IG_EPI_NONE, false};
                    if (way < 5) {
                        x.epilogue = way < 4 ? (ig_epilogue)way : IG_EPI_BIAS_GELU;
                        x.no_aux = way == 4;
                    }
                    check_case(t, &x);
                }
}

/* Shapes that pack a, pack b, cut K in several pieces and N in several blocks. */
static void large_shapes(void **state)
{
    (void)state;
    static const gemm_case cases[] = {
        {211, 67, 1021, false, IG_B_ROWS, false, IG_EPI_BIAS_GELU, false},
        {211, 67, 1021, true, IG_B_COLS, true, IG_EPI_NONE, false},
        {40, 2100, 45, true, IG_B_ROWS, true, IG_EPI_NONE, false},
        {1100, 40, 70, true, IG_B_PACKED, false, IG_EPI_MUL, false},
        {31, 35, 1021, false, IG_B_PACKED, false, IG_EPI_BIAS, false},
    };
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(t, &cases[i]);
}

/* The whole product against the same one computed in pieces: the bits must be the same. */
static void splits_change_nothing(void **state)
{
    (void)state;
    static const gemm_case cases[] = {
        {61, 83, 64, false, IG_B_ROWS, false, IG_EPI_BIAS_GELU, false},
        {61, 83, 500, true, IG_B_ROWS, true, IG_EPI_NONE, false},
        {301, 83, 390, false, IG_B_COLS, false, IG_EPI_MUL, false},
    };
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gemm_data whole = data_new(&cases[i]), parts = data_new(&cases[i]);
        t->gemm(&whole.g, &s);
        const ig_gemm *p = &parts.g;
        static const int row_cuts[] = {0, 1, 8, 61, 301}, col_cuts[] = {0, 5, 48, 83};
        for (size_t r = 0; r + 1 < sizeof row_cuts / sizeof *row_cuts; r++)
            for (size_t c = 0; c + 1 < sizeof col_cuts / sizeof *col_cuts; c++) {
                int i0 = row_cuts[r], j0 = col_cuts[c];
                ig_gemm g = *p;
                if (i0 >= p->m)
                    continue;
                g.m = row_cuts[r + 1] - i0;
                g.n = col_cuts[c + 1] - j0;
                g.a = p->a + (p->a_trans ? i0 : i0 * p->lda);
                g.b = p->b + (p->b_form == IG_B_COLS ? j0 * p->ldb : j0);
                g.c = p->c + i0 * p->ldc + j0;
                g.aux = p->aux + i0 * p->ld_aux + j0;
                g.bias = p->bias + j0;
                t->gemm(&g, &s);
            }
        assert_memory_equal(whole.c, parts.c, (size_t)whole.n_c * sizeof(float));
        assert_memory_equal(whole.aux, parts.aux, (size_t)whole.n_c * sizeof(float));
        data_free(&whole);
        data_free(&parts);
    }
    ig_scratch_free(&s);
}

/* Without the products of a's zeros: the same bits, whichever way c lies, and nothing beside c. */
static void zeros_left_out(void **state)
{
    (void)state;
    static const gemm_case cases[] = {
        {1, 1, 1, false, IG_B_PACKED, false, IG_EPI_NONE, false},
        {5, 17, 3, true, IG_B_PACKED, true, IG_EPI_NONE, false},
        {37, 100, 64, false, IG_B_PACKED, false, IG_EPI_BIAS, false},
        {33, 205, 401, true, IG_B_PACKED, true, IG_EPI_NONE, false},
        {50, 96, 130, true, IG_B_PACKED, false, IG_EPI_NONE, false},
        {19, 33, 0, false, IG_B_PACKED, false, IG_EPI_BIAS, false},
    };
    ig_scratch s = {0};
    for (int i_table = 0; ig_ops_names[i_table] != NULL; i_table++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases && table_of(i_table) != NULL; i++) {
            const ig_ops *t = table_of(i_table);
            gemm_data want = data_new(&cases[i]), got = data_new(&cases[i]);
            const ig_gemm *g = &want.g;
            for (int64_t k = 0; k < want.n_a; k++)
                if (k % 5 == 1 || k % 7 < 3)
                    want.a[k] = got.a[k] = k % 2 == 0 ? 0.0f : -0.0f;
            const int ld = g->m + pad;
            const int64_t n_turned = (int64_t)g->n * ld;
            float *turned = buffer_new(n_turned, 9), *untouched = buffer_copy(turned, n_turned);
            for (int64_t r = 0; r < g->m; r++)
                for (int64_t c = 0; c < g->n; c++)
                    turned[c * ld + r] = g->c[r * g->ldc + c];
            data_pack(&want, t);
            data_pack(&got, t);
            t->gemm(&want.g, &s);
            t->gemm_sparse(&got.g, &s);
            assert_memory_equal(got.c, want.c, (size_t)want.n_c * sizeof(float));
            got.g.c = turned;
            got.g.ldc = ld;
            got.g.c_trans = true;
            t->gemm_sparse(&got.g, &s);
            for (int64_t c = 0; c < g->n; c++) {
                for (int64_t r = 0; r < g->m; r++)
                    assert_memory_equal(&turned[c * ld + r], &want.c[r * g->ldc + c],
                                        sizeof(float));
                assert_memory_equal(turned + c * ld + g->m, untouched + c * ld + g->m,
                                    pad * sizeof(float));
            }
            buffer_free(turned, n_turned);
            buffer_free(untouched, n_turned);
            data_free(&want);
            data_free(&got);
        }
    ig_scratch_free(&s);
}

/* Every table with fused multiply-add gives the same bits. */
static void fused_tables_agree(void **state)
{
    (void)state;
    const ig_ops *x = ig_ops_named("avx2"), *y = ig_ops_named("avx512");
    if (x == NULL || y == NULL) {
        skip_here("this CPU does not run two tables with fused multiply-add");
        skip();
    }
    const gemm_case c = {71, 91, 800, false, IG_B_ROWS, true, IG_EPI_NONE, false};
    gemm_data p = data_new(&c), q = data_new(&c);
    ig_scratch s = {0};
    x->gemm(&p.g, &s);
    y->gemm(&q.g, &s);
    assert_memory_equal(p.c, q.c, (size_t)p.n_c * sizeof(float));
    ig_scratch_free(&s);
    data_free(&p);
    data_free(&q);
}

/* A NaN or an infinity in an operand reaches the elements that it reaches in ref, and no other. */
static void not_finite(void **state)
{
    (void)state;
    FOR_EACH_TABLE(t)
    for (int way = 0; way < 4; way++) {
        const gemm_case c = {19, 37, 21, false, IG_B_ROWS, false, (ig_epilogue)way, false};
        gemm_data want = data_new(&c), got = data_new(&c);
        ig_scratch s = {0};
        float *const a[] = {want.a, got.a};
        for (int i = 0; i < 2; i++) {
            a[i][2 * want.g.lda + 1] = NAN;
            a[i][7 * want.g.lda + 20] = INFINITY;
            a[i][11 * want.g.lda + 3] = -INFINITY;
        }
        ig_ops_ref()->gemm(&want.g, &s);
        t->gemm(&got.g, &s);
        for (int64_t i = 0; i < want.n_c; i++) {
            assert_int_equal(isfinite(got.c[i]) != 0, isfinite(want.c[i]) != 0);
            assert_int_equal(isfinite(got.aux[i]) != 0, isfinite(want.aux[i]) != 0);
        }
        ig_scratch_free(&s);
        data_free(&want);
        data_free(&got);
    }
}

/* Without memory for its packing an op leaves its result alone, and the scratch memory says so,
 * once; then it works again. */
static void no_scratch_memory(void **state)
{
    (void)state;
    if (SANITIZED) /* the sanitizers' own memory is beyond any limit */
        skip();
    const gemm_case x = {.m = 300, .n = 2000, .k = 3000, .form = IG_B_ROWS};
    FOR_EACH_TABLE(t)
    {
        if (t == ig_ops_ref() || emulated_is(t)) /* which need no scratch memory */
            continue;
        gemm_data d = data_new(&x);
        ig_scratch s = {0};
        ig_err err;
        struct rlimit was, tight;
        const float before = d.c[0];
        assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
        tight = was;
        tight.rlim_cur = 1 << 20; /* less than there is already */
        assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
        void **taken = NULL; /* what is free within the heap */
        for (void **more; (more = malloc(1 << 12)) != NULL; taken = more)
            *more = (void *)taken;
        t->gemm(&d.g, &s);
        assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
        for (void **next; taken != NULL; taken = next) {
            next = *taken;
            free((void *)taken);
        }
        assert_true(s.lost && memcmp(&d.c[0], &before, sizeof before) == 0);
        assert_int_equal(ig_scratches_check(&s, 1, &err), IG_ERR_MEMORY);
        assert_ok(ig_scratches_check(&s, 1, &err), &err);
        t->gemm(&d.g, &s);
        assert_ok(ig_scratches_check(&s, 1, &err), &err);
        assert_true(memcmp(&d.c[0], &before, sizeof before) != 0);
        ig_scratch_free(&s);
        data_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shapes),
        cmocka_unit_test(large_shapes),
        cmocka_unit_test(splits_change_nothing),
        cmocka_unit_test(zeros_left_out),
        cmocka_unit_test(fused_tables_agree),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(no_scratch_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
