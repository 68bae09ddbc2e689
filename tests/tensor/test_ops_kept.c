/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests dropout's decisions kept for the backward pass: the bits beside a LayerNorm and the signs
 * of attention's probabilities are those of `ref`, which asks ig_philox for each, and the backward
 * pass makes of the bits what it makes when it draws again.
 */
#include "ops_tables.h"

static const ig_dropout drop = {.key = {{1, 2}}, .site = 3, .step = 4, .row0 = 5, .p = 0.3f};

static void bits_of_norms(void **state)
{
    (void)state;
    static const int32_t chosen[] = {0, 2, 3, 7, 8, 9, 14, 30, 31};
    static const struct {
        int n_row, d;
        bool after;
        const int32_t *row;
    } cases[] = {{9, 64, false, NULL}, {9, 64, true, NULL}, {9, 64, false, chosen},
                 {3, 1, false, NULL},  {5, 51, true, NULL}, {1, 16, false, NULL},
                 {2, 768, false, NULL}};
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int d = cases[i].d, n_row = cases[i].n_row;
        const int64_t n = (int64_t)n_row * d, n_word = n_row * ig_kept_words(d);
        float *x = buffer_new(n, 1), *gamma = buffer_new(d, 2), *beta = buffer_new(d, 3),
              *xhat = buffer_new(n, 0), *rstd = buffer_new(n_row, 0);
        uint16_t *kept[2] = {malloc((size_t)n_word * 2), malloc((size_t)n_word * 2)};
        float *out[2] = {buffer_new(n, 0), buffer_new(n, 0)};
        ig_norm a = {.n_row = n_row,
                     .d = d,
                     .x = x,
                     .drop = drop,
                     .drop_after = cases[i].after,
                     .gamma = gamma,
                     .beta = beta,
                     .eps = 1e-3f,
                     .xhat = xhat,
                     .rstd = rstd};
        a.drop.row = cases[i].row;
        const ig_ops *table[] = {ig_ops_ref(), t};
        for (int k = 0; k < 2; k++) {
            memset(kept[k], 0xA5, (size_t)n_word * 2);
            a.out = out[k];
            a.kept = kept[k];
            table[k]->norm(&a);
        }
        assert_memory_equal(kept[0], kept[1], (size_t)n_word * 2);
        a.kept = NULL;
        a.out = out[0];
        t->norm(&a);
        assert_memory_equal(out[0], out[1], (size_t)n * sizeof(float));

        float *dx[2] = {buffer_new(n, 0), buffer_new(n, 0)},
              *dgamma[2] = {buffer_new(d, 4), buffer_new(d, 4)}, *dbeta = buffer_new(d, 5);
        for (int k = 0; k < 2; k++) {
            ig_norm_grad g = {.n_row = n_row,
                              .d = d,
                              .dout = x,
                              .xhat = xhat,
                              .rstd = rstd,
                              .drop = a.drop,
                              .drop_after = a.drop_after,
                              .kept = k == 0 ? NULL : kept[1],
                              .gamma = gamma,
                              .dx = dx[k],
                              .dgamma = dgamma[k],
                              .dbeta = dbeta};
            t->norm_grad(&g, &s);
        }
        assert_memory_equal(dx[0], dx[1], (size_t)n * sizeof(float));
        assert_memory_equal(dgamma[0], dgamma[1], (size_t)d * sizeof(float));
        for (int k = 0; k < 2; k++) {
            free(kept[k]);
            buffer_free(out[k], n);
            buffer_free(dx[k], n);
            buffer_free(dgamma[k], d);
        }
        buffer_free(dbeta, d);
        buffer_free(x, n);
        buffer_free(gamma, d);
        buffer_free(beta, d);
        buffer_free(xhat, n);
        buffer_free(rstd, n_row);
    }
    ig_scratch_free(&s);
}

static void signs_of_probabilities(void **state)
{
    (void)state;
    enum { d = 48, n_head = 3, n_seq = 4 };
    static const int32_t start[] = {0, 27, 28, 61, 77};
    const int64_t n = (int64_t)start[n_seq] * d, n_p = ig_attention_size(start, n_seq, n_head);
    float *qkv = buffer_new(3 * n, 1), *ctx = buffer_new(n, 0);
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    {
        float *probs[2] = {buffer_new(n_p, 0), buffer_new(n_p, 0)};
        const ig_ops *table[] = {ig_ops_ref(), t};
        for (int k = 0; k < 2; k++)
            table[k]->attention(&(ig_attention){.n_seq = n_seq,
                                                .n_head = n_head,
                                                .d = d,
                                                .seq_start = start,
                                                .qkv = qkv,
                                                .probs = probs[k],
                                                .ctx = ctx,
                                                .drop = drop},
                                &s);
        int64_t gone = 0;
        for (int64_t i = 0; i < n_p; i++) {
            assert_true(signbit(probs[0][i]) == signbit(probs[1][i]));
            gone += signbit(probs[1][i]) != 0;
        }
        assert_true(gone > n_p / 4 && gone < n_p * 7 / 20);
        buffer_free(probs[0], n_p);
        buffer_free(probs[1], n_p);
    }
    buffer_free(qkv, 3 * n);
    buffer_free(ctx, n);
    ig_scratch_free(&s);
}

/* Dropout by itself: every bit is ref's, and one of probability 0 leaves the rows alone. */
static void rows_alone(void **state)
{
    (void)state;
    static const int32_t chosen[] = {0, 2, 3, 7, 8, 9, 14, 30, 31};
    static const int shape[][2] = {{9, 64}, {9, 51}, {3, 1}, {7, 400}, {2, 768}, {2, 8200}};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < 2 * sizeof shape / sizeof *shape; i++) {
        const int n_row = shape[i / 2][0], d = shape[i / 2][1];
        const int64_t n = (int64_t)n_row * d;
        float *want = buffer_new(n, 1), *got = buffer_new(n, 1), *same = buffer_new(n, 1);
        ig_dropout how = drop;
        how.row = i % 2 == 0 ? NULL : chosen;
        ig_ops_ref()->drop(want, n_row, d, &how);
        t->drop(got, n_row, d, &how);
        assert_memory_equal(got, want, (size_t)n * sizeof *got);
        assert_true(n < 64 || memcmp(got, same, (size_t)n * sizeof *got) != 0);
        buffer_free(got, n);
        got = buffer_copy(same, n);
        how.p = 0;
        t->drop(got, n_row, d, &how);
        assert_memory_equal(got, same, (size_t)n * sizeof *got);
        buffer_free(want, n);
        buffer_free(got, n);
        buffer_free(same, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_norms),
        cmocka_unit_test(rows_alone),
        cmocka_unit_test(signs_of_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
