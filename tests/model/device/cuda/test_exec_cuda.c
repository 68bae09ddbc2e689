/* SPDX-License-Identifier: Apache-2.0
 *
 * The ops that only an engine has, as kernels of the emulated GPU, against those of the host, with
 * blocks of one thread and of several; the others are in tests/tensor. Tolerances are those of sums
 * of a few thousand terms below 1 in float32.
 */
#include "model/device/cuda/exec_cuda.h"

#include "model/device/cuda/device_cuda.h"
#include "ops_tables.h"

static ig_scratch scratch;

static ig_exec host(void)
{
    return (ig_exec){.run = &ig_exec_host, .ops = ig_ops_ref(), .scratch = &scratch, .lane = true};
}

static const ig_device *device;

static ig_exec there(int threads)
{
    device = ig_cuda_device_of(emulated_driver(threads));
    return (ig_exec){.run = device->run, .ops = ig_ops_ref()};
}

/* Runs what has been put, and compares n floats of the device's with those of the host. */
static void same(float *got, const float *want, int64_t n, double tolerance, const char *what)
{
    float *values = malloc((size_t)n * sizeof *values);
    assert_non_null(values);
    device->download(values, got, n * (int64_t)sizeof *values);
    assert_close(values, want, n, tolerance, tolerance, what);
    free(values);
}

#define EACH_WIDTH(x)                                                                              \
    for (int k_ = 0; k_ < 2; k_++)                                                                 \
        for (ig_exec x = there(k_ == 0 ? 1 : 7); x.run != NULL; x.run = NULL)

static void rows(void **state)
{
    (void)state;
    enum { N = 40, D = 13, KEPT = 9 };
    static const int32_t kept[KEPT] = {0, 1, 5, 6, 7, 20, 21, 38, 39};
    const ig_exec h = host();
    EACH_WIDTH(x)
    {
        float *a = buffer_new(N * D, 1), *b = buffer_copy(a, N * D), *by = buffer_new(D, 2);
        h.run->keep_rows(&h, a, kept, KEPT, D);
        x.run->keep_rows(&x, b, kept, KEPT, D);
        same(b, a, KEPT * D, 1e-30, "keep_rows");
        h.run->spread_rows(&h, a, kept, KEPT, D, N);
        x.run->spread_rows(&x, b, kept, KEPT, D, N);
        same(b, a, N * D, 1e-30, "spread_rows");
        h.run->shift_rows(&h, a, by, N, D);
        x.run->shift_rows(&x, b, by, N, D);
        same(b, a, N * D, 1e-30, "shift_rows");
        /* Rows that go to one place. */
        static const int32_t twice[] = {3, 3, 3, 7, 11, 11};
        float *more = buffer_new(6 * D, 3);
        h.run->scatter_add_rows(&h, a, more, twice, 6, D);
        x.run->scatter_add_rows(&x, b, more, twice, 6, D);
        same(b, a, N * D, 1e-30, "scatter_add_rows");
        buffer_free(a, N * D);
        buffer_free(b, N * D);
        buffer_free(by, D);
        buffer_free(more, 6 * D);
    }
}

static void elements(void **state)
{
    (void)state;
    enum { N = 1500 };
    const ig_exec h = host();
    EACH_WIDTH(x)
    {
        float *a = buffer_new(N, 1), *b = buffer_copy(a, N), *by = buffer_new(N, 2);
        h.run->tanh(&h, a, N);
        x.run->tanh(&x, b, N);
        same(b, a, N, 1e-6, "tanh");
        h.run->tanh_grad(&h, a, by, N);
        x.run->tanh_grad(&x, b, by, N);
        same(b, a, N, 1e-6, "tanh_grad");
        h.run->add(&h, a, by, N);
        x.run->add(&x, b, by, N);
        h.run->elu(&h, a, N);
        x.run->elu(&x, b, N);
        same(b, a, N, 2e-6, "elu");
        h.run->elu_grad(&h, a, by, N);
        x.run->elu_grad(&x, b, by, N);
        same(b, a, N, 2e-6, "elu_grad");
        h.run->multiply(&h, a, by, N);
        x.run->multiply(&x, b, by, N);
        same(b, a, N, 2e-6, "multiply");
        x.run->copy(&x, b + 1, by, N - 2);
        x.run->zero(&x, b + 3, 5);
        memcpy(a + 1, by, (N - 2) * sizeof *a);
        memset(a + 3, 0, 5 * sizeof *a);
        same(b, a, N, 2e-6, "copy");
        buffer_free(a, N);
        buffer_free(b, N);
        buffer_free(by, N);
    }
}

/* Copies of every size and place come whole, in their turn. */
static void uploads(void **state)
{
    (void)state;
    enum { N = 100000 };
    EACH_WIDTH(x)
    {
        unsigned char *there_, *here = malloc(N), *back = malloc(N);
        ig_err err;
        assert_ok(device->alloc(&there_, N, 1, "bytes", &err), &err);
        assert_true(here != NULL && back != NULL);
        for (int i = 0; i < N; i++)
            here[i] = (unsigned char)(i * 7 + i / 256);
        static const int size[] = {0, 1, 3, 4, 5, 1023, 65536, 65537, N};
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
            x.run->zero(&x, (float *)(void *)there_, N / 4);
            device->upload(there_, here, size[i]);
            device->download(back, there_, N);
            for (int k = 0; k < N; k++)
                assert_int_equal(back[k], k < size[i] ? here[k] : 0);
        }
        device->free(there_);
        device->free(NULL);
        free(here);
        free(back);
    }
}

/* Gradients of layers whose many rows are cut into parts. */
static void layers(void **state)
{
    (void)state;
    static const int shape[][3] = {
        {64, 70, 3000}, {5, 3, 40}, {192, 64, 517}, {1, 1, 2000}, {3, 4, 0}};
    const ig_exec h = host();
    EACH_WIDTH(x)
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int fresh = 0; fresh < 2; fresh++) {
            const int m = shape[i][0], n = shape[i][1], k = shape[i][2], ld = m + 3;
            float *dy = buffer_new((int64_t)k * ld, 1), *in = buffer_new((int64_t)k * n, 2),
                  *dw[2] = {buffer_new(m * n, 3), buffer_new(m * n, 3)},
                  *db[2] = {buffer_new(m, 4), buffer_new(m, 4)};
            ig_layer_grad l = {
                .m = m, .n = n, .k = k, .dy = dy, .ld_dy = ld, .x = in, .once = true};
            ig_exec on[2] = {h, x};
            for (int q = 0; q < 2; q++) {
                l.dw = dw[q];
                l.db = db[q];
                on[q].fresh = fresh == 1;
                on[q].run->layer_grad(&on[q], &l);
            }
            const double tolerance = 7 * sqrt(k + 4) * 0x1p-24 * (0.25 * k + 2);
            same(dw[1], dw[0], (int64_t)m * n, tolerance, "dw");
            same(db[1], db[0], m, tolerance, "db");
            buffer_free(dy, (int64_t)k * ld);
            buffer_free(in, (int64_t)k * n);
            for (int q = 0; q < 2; q++) {
                buffer_free(dw[q], m * n);
                buffer_free(db[q], m);
            }
        }
}

static void mixtures(void **state)
{
    (void)state;
    enum { L = 4, N = 300 };
    const ig_exec h = host();
    EACH_WIDTH(x)
    {
        float *layers_ = buffer_new(L * N, 1), *weight = buffer_new(L, 2),
              *gamma = buffer_new(1, 3), *dout = buffer_new(N, 4), *out[2], *dweight[2], *dgamma[2];
        ig_exec on[2] = {h, x};
        for (int q = 0; q < 2; q++) {
            out[q] = buffer_new(N, 5);
            dweight[q] = buffer_new(L, 6);
            dgamma[q] = buffer_new(1, 7);
            ig_mix a = {.n_layer = L,
                        .n = N,
                        .layers = layers_,
                        .weight = weight,
                        .gamma = gamma,
                        .out = out[q],
                        .dout = dout,
                        .dweight = dweight[q],
                        .dgamma = dgamma[q]};
            on[q].run->mix(&on[q], &a);
            on[q].run->mix_grad(&on[q], &a);
            if (q == 1)
                same(out[1], out[0], N, 1e-6, "mix");
        }
        same(dweight[1], dweight[0], L, 1e-5, "dweight");
        same(dgamma[1], dgamma[0], 1, 1e-5, "dgamma");
        for (int q = 0; q < 2; q++)
            on[q].run->mix_share(&on[q],
                                 &(ig_mix){.n_layer = L,
                                           .n = N,
                                           .weight = weight,
                                           .gamma = gamma,
                                           .out = out[q],
                                           .dout = dout},
                                 2);
        same(out[1], out[0], N, 1e-6, "mix_share");
        buffer_free(layers_, L * N);
        buffer_free(weight, L);
        buffer_free(gamma, 1);
        buffer_free(dout, N);
        for (int q = 0; q < 2; q++) {
            buffer_free(out[q], N);
            buffer_free(dweight[q], L);
            buffer_free(dgamma[q], 1);
        }
    }
}

/* Losses and gradients of next sentences, with parameters of which some are frozen. */
static void next_sentences(void **state)
{
    (void)state;
    enum { D = 11, N = 5, N_ROW = 20, SIZE = D * D + 4 * D + 2 };
    static const int32_t label[N] = {1, 0, 0, 1, 1}, row[N] = {0, 4, 9, 10, 19};
    const ig_exec h = host();
    EACH_WIDTH(x)
    for (int frozen = 0; frozen < 2; frozen++) {
        float *w = buffer_new(SIZE, 1), *hidden = buffer_new(N_ROW * D, 2), *grad[2], *dhidden[2];
        double nll[2][N];
        int32_t best[2][N];
        ig_exec on[2] = {h, x};
        for (int q = 0; q < 2; q++) {
            float *g = grad[q] = buffer_new(SIZE, 3), *t = dhidden[q] = buffer_new(N_ROW * D, 4);
            float *b = w + D * D, *room = buffer_new(D, 5);
            on[q].run->next_loss(&on[q], &(ig_next_loss){.n = N,
                                                         .d = D,
                                                         .label = label,
                                                         .row = row,
                                                         .hidden = hidden,
                                                         .w = w,
                                                         .b = b,
                                                         .u = b + D,
                                                         .c = b + 3 * D,
                                                         .t = room,
                                                         .nll = nll[q],
                                                         .best = best[q],
                                                         .train = true,
                                                         .dhidden = frozen ? NULL : t,
                                                         .dw = frozen ? NULL : g,
                                                         .db = g + D * D,
                                                         .du = g + D * D + D,
                                                         .dc = g + D * D + 3 * D,
                                                         .scale = 0.3f});
            if (q == 1)
                same(grad[1], grad[0], SIZE, 1e-5, "gradient");
            buffer_free(room, D);
        }
        same(dhidden[1], dhidden[0], N_ROW * D, 1e-5, "dhidden");
        for (int i = 0; i < N; i++) {
            assert_true(fabs(nll[0][i] - nll[1][i]) <= 1e-5);
            assert_int_equal(best[0][i], best[1][i]);
        }
        for (int q = 0; q < 2; q++) {
            buffer_free(grad[q], SIZE);
            buffer_free(dhidden[q], N_ROW * D);
        }
        buffer_free(w, SIZE);
        buffer_free(hidden, N_ROW * D);
    }
}

/* More spans than go into a launch, some empty, some of several pieces. */
static void blocks(void **state)
{
    (void)state;
    enum { N_SPAN = 300, N = 40000 };
    const ig_exec h = host();
    ig_span span[N_SPAN];
    ig_adamw_span update[N_SPAN];
    const ig_adamw how[2] = {{.beta1 = 0.9f,
                              .beta2 = 0.999f,
                              .lr_t = 0.01f,
                              .root = 1,
                              .eps = 1e-6f,
                              .grad_scale = 0.5f,
                              .decay = 0.02f},
                             {.beta1 = 0.8f,
                              .beta2 = 0.99f,
                              .lr_t = 0.02f,
                              .root = 1.5f,
                              .eps = 1e-8f,
                              .grad_scale = 2,
                              .decay = 0.01f,
                              .decay_first = true}};
    int64_t at = 3;
    for (int i = 0; i < N_SPAN; i++) {
        const int64_t size = i == 7 ? 9000 : i == 200 ? 4096 : i == 150 ? 4097 : (i * 37) % 60;
        span[i] = (ig_span){at, at + size};
        update[i] = (ig_adamw_span){span[i], &how[i % 2]};
        at += size + i % 3;
    }
    assert_true(at < N);
    EACH_WIDTH(x)
    {
        float *g = buffer_new(N, 1), *w[2], *m[2], *v[2];
        double sum[2][N_SPAN];
        ig_exec on[2] = {h, x};
        for (int q = 0; q < 2; q++) {
            w[q] = buffer_new(N, 2);
            m[q] = buffer_new(N, 3);
            v[q] = buffer_new(N, 4);
            for (int i = 0; i < N; i++)
                v[q][i] = fabsf(v[q][i]);
            on[q].run->sum_squares(&on[q], g, span, N_SPAN, sum[q]);
            on[q].run->adamw(&on[q], update, N_SPAN, &(ig_moments){w[q], g, m[q], v[q]});
        }
        for (int i = 0; i < N_SPAN; i++)
            assert_true(fabs(sum[0][i] - sum[1][i]) <= 1e-12 * sum[0][i]);
        same(w[1], w[0], N, 1e-6, "weights");
        same(m[1], m[0], N, 1e-6, "m");
        same(v[1], v[0], N, 1e-6, "v");
        for (int q = 0; q < 2; q++) {
            buffer_free(w[q], N);
            buffer_free(m[q], N);
            buffer_free(v[q], N);
        }
        buffer_free(g, N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows),     cmocka_unit_test(elements),
                                       cmocka_unit_test(uploads),  cmocka_unit_test(layers),
                                       cmocka_unit_test(mixtures), cmocka_unit_test(next_sentences),
                                       cmocka_unit_test(blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
