/* SPDX-License-Identifier: Apache-2.0
 *
 * Relative positions, rotation and masks: every table against `ref`, and `ref` against what the
 * papers state: a distance's vector is the same wherever a pair stands, rotation is by an angle
 * that depends on the position, and back is back.
 */
#include "ops_tables.h"

#include <math.h>

static const double u = 0x1p-24;

static ig_dropout dropout_of(float p)
{
    return (ig_dropout){
        .key = ig_rng_key_make(12, IG_STREAM_TEST), .site = 5, .step = 78, .row0 = 900, .p = p};
}

typedef struct {
    int n_head, d, n_seq, length[4], n_distance;
    float p;
    bool keys, keep;
} relative_case;

static const relative_case relative_cases[] = {
    {1, 64, 4, {27, 1, 4, 16}, 27, 0.1f, false, true},
    {2, 24, 3, {7, 33, 128}, 200, 0.3f, true, true},
    {3, 51, 2, {5, 65}, 65, 0.0f, true, true},
    {1, 16, 2, {17, 150}, 512, 0.1f, true, false},
    {4, 4, 2, {31, 2}, 40, 0.0f, false, true},
};

/* As for attention without distances (test_ops_rows.c), where a score is now up to three sums of
 * D/H products; a row of ddistance sums up to T·H·n_seq products of a score's gradient with a
 * query (and a key). */
static void relative_attention(void **state)
{
    (void)state;
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof relative_cases / sizeof *relative_cases; i++) {
        const relative_case *x = &relative_cases[i];
        int32_t start[5] = {0};
        int longest = 0;
        for (int k = 0; k < x->n_seq; k++) {
            start[k + 1] = start[k] + x->length[k];
            longest = x->length[k] > longest ? x->length[k] : longest;
        }
        const int dh = x->d / x->n_head;
        const int64_t n = (int64_t)start[x->n_seq] * x->d,
                      n_p = ig_attention_size(start, x->n_seq, x->n_head),
                      n_table = (2 * (int64_t)x->n_distance - 1) * dh;
        float *qkv = buffer_new(3 * n, 1), *dctx = buffer_new(n, 2),
              *table = buffer_new(n_table, 9), *ctx[3], *probs[3], *dqkv[3], *dtable[3];
        const ig_ops *ops[3] = {ig_ops_ref(), t, t};
        for (int k = 0; k < 3; k++) {
            ctx[k] = buffer_new(n, 3);
            probs[k] = buffer_new(n_p, 4);
            dqkv[k] = buffer_new(3 * n, 5);
            dtable[k] = buffer_new(n_table, 6);
            ig_attention a = {.n_seq = x->n_seq,
                              .n_head = x->n_head,
                              .d = x->d,
                              .seq_start = start,
                              .qkv = qkv,
                              .probs = x->keep ? probs[k] : NULL,
                              .ctx = ctx[k],
                              .dctx = dctx,
                              .dqkv = dqkv[k],
                              .drop = dropout_of(x->p),
                              .distance = table,
                              .n_distance = x->n_distance,
                              .distance_keys = x->keys,
                              .ddistance = dtable[k]};
            ops[k]->attention(&a, &s);
            if (x->keep)
                ops[k]->attention_grad(&a, &s);
        }
        const double scale = 1 / (1 - (double)x->p);
        const double tolerance = 8 * (3 * sqrt(dh) + sqrt(longest)) * u * scale;
        assert_close(probs[1], probs[0], n_p, tolerance, 0, t->name);
        assert_close(ctx[1], ctx[0], n, tolerance, 0, t->name);
        assert_close(dqkv[1], dqkv[0], 3 * n, tolerance * (sqrt(longest) + sqrt(dh)), 0, t->name);
        assert_close(dtable[1], dtable[0], n_table,
                     tolerance * (sqrt((double)longest * x->n_head * x->n_seq) + sqrt(dh)), 0,
                     t->name);
        assert_memory_equal(ctx[1], ctx[2], (size_t)n * sizeof(float));
        assert_memory_equal(dqkv[1], dqkv[2], (size_t)(3 * n) * sizeof(float));
        assert_memory_equal(dtable[1], dtable[2], (size_t)n_table * sizeof(float));
        for (int k = 0; k < 3; k++) {
            buffer_free(ctx[k], n);
            buffer_free(probs[k], n_p);
            buffer_free(dqkv[k], 3 * n);
            buffer_free(dtable[k], n_table);
        }
        buffer_free(qkv, 3 * n);
        buffer_free(dctx, n);
        buffer_free(table, n_table);
    }
    ig_scratch_free(&s);
}

/* Cosines and signed sines as the op wants them, of angles pos · 0.7^i. */
static void make_table(float *table, int n_pos, int dh)
{
    for (int p = 0; p < n_pos; p++)
        for (int i = 0; i < dh / 2; i++) {
            float *c = table + 2 * (int64_t)p * dh + 2 * i, *s = c + dh;
            double angle = p * pow(0.7, i);
            c[0] = c[1] = (float)cos(angle);
            s[1] = (float)sin(angle);
            s[0] = -s[1];
        }
}

static void rotation(void **state)
{
    (void)state;
    static const struct {
        int n, n_head, dh, ld;
    } cases[] = {{1, 1, 2, 2}, {9, 2, 64, 192}, {7, 3, 14, 45}, {5, 1, 18, 18}, {4, 4, 32, 200}};
    enum { n_pos = 40 };
    FOR_EACH_TABLE(t)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = cases[i].n, dh = cases[i].dh, h = cases[i].n_head, ld = cases[i].ld;
        const int64_t size = (int64_t)n * ld, n_table = 2 * (int64_t)n_pos * dh;
        float *table = buffer_new(n_table, 1), *x = buffer_new(size, 2);
        float *want = buffer_copy(x, size), *got = buffer_copy(x, size);
        int32_t pos[16];
        for (int r = 0; r < n; r++)
            pos[r] = (7 * r + 3) % n_pos;
        make_table(table, n_pos, dh);
        ig_ops_ref()->rotary(&(ig_rotary){want, n, ld, h, dh, table, pos, false, false});
        t->rotary(&(ig_rotary){got, n, ld, h, dh, table, pos, false, false});
        assert_close(got, want, size, 4 * u, 0, t->name);
        for (int r = 0; r < n; r++) /* the definition, at the last head's last pair */
            for (int c = h * dh - 2, k = 0; k < 1; k++) {
                const double angle = pos[r] * pow(0.7, dh / 2 - 1);
                const double a = (double)x[r * ld + c], b = (double)x[r * ld + c + 1];
                assert_true(fabs((double)got[r * ld + c] - (a * cos(angle) - b * sin(angle))) <
                            8 * u);
                assert_true(fabs((double)got[r * ld + c + 1] - (a * sin(angle) + b * cos(angle))) <
                            8 * u);
            }
        t->rotary(&(ig_rotary){got, n, ld, h, dh, table, pos, true, false});
        assert_close(got, x, size, 8 * u, 0, t->name);
        for (int r = 0; r < n; r++) /* what lies after the heads is left alone */
            assert_memory_equal(got + r * ld + h * dh, x + r * ld + h * dh,
                                (size_t)(ld - h * dh) * sizeof *x);
        buffer_free(table, n_table);
        buffer_free(x, size);
        buffer_free(want, size);
        buffer_free(got, size);
    }
}

static const ig_attention_mask mask[] = {{true, 0}, {false, 4}, {true, 6}, {false, 40}};

/* Every table leaves out what the reference weighs with 0, with dropout and distances. */
static void masked_gradients(void **state)
{
    (void)state;
    enum { d = 32, n_tok = 77 + 33, n = n_tok * d, n_head = 2, n_distance = 80 };
    static const int32_t start[] = {0, 77, n_tok};
    const int64_t n_probs = ig_attention_size(start, 2, n_head),
                  n_far = (2 * n_distance - 1) * (d / n_head);
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t k = 0; k < 2 * sizeof mask / sizeof *mask; k++) {
        float *qkv = buffer_new(3 * n, 1), *dctx = buffer_new(n, 2), *far = buffer_new(n_far, 3);
        float *ctx[2], *dqkv[2], *dfar[2], *probs = buffer_new(n_probs, 4);
        for (int i = 0; i < 2; i++) {
            const ig_ops *ops = i == 0 ? ig_ops_ref() : t;
            ctx[i] = buffer_new(n, 5);
            dqkv[i] = buffer_new(3 * n, 6);
            dfar[i] = buffer_new(n_far, 7);
            const ig_attention a = {.n_seq = 2,
                                    .n_head = n_head,
                                    .d = d,
                                    .seq_start = start,
                                    .qkv = qkv,
                                    .probs = probs,
                                    .ctx = ctx[i],
                                    .dctx = dctx,
                                    .dqkv = dqkv[i],
                                    .drop = {.p = 0.1f, .key = ig_rng_key_make(5, IG_STREAM_TEST)},
                                    .distance = k % 2 == 0 ? NULL : far,
                                    .n_distance = n_distance,
                                    .distance_keys = true,
                                    .ddistance = k % 2 == 0 ? NULL : dfar[i],
                                    .mask = mask[k / 2]};
            ops->attention(&a, &s);
            ops->attention_grad(&a, &s);
        }
        assert_close(ctx[1], ctx[0], n, 32 * u, 0, t->name);
        assert_close(dqkv[1], dqkv[0], 3 * n, 256 * u, 0, t->name);
        assert_close(dfar[1], dfar[0], n_far, 256 * u, 0, t->name);
        for (int i = 0; i < 2; i++) {
            buffer_free(ctx[i], n);
            buffer_free(dqkv[i], 3 * n);
            buffer_free(dfar[i], n_far);
        }
        buffer_free(qkv, 3 * n);
        buffer_free(dctx, n);
        buffer_free(far, n_far);
        buffer_free(probs, n_probs);
    }
    ig_scratch_free(&s);
}

/* The context of query i under a mask is that of a sequence which has only the keys it leaves. */
static void masks(void **state)
{
    (void)state;
    enum { t_all = 77, d = 32, n = t_all * d };
    ig_scratch s = {0};
    FOR_EACH_TABLE(t)
    for (size_t k = 0; k < 2 * sizeof mask / sizeof *mask; k++) {
        const ig_ops *ops = k % 2 == 0 ? ig_ops_ref() : t;
        float *qkv = buffer_new(3 * n, 1), *got = buffer_new(n, 2), *want = buffer_new(n, 3);
        ig_attention a = {.n_seq = 1,
                          .n_head = 2,
                          .d = d,
                          .seq_start = (int32_t[]){0, t_all},
                          .qkv = qkv,
                          .ctx = got,
                          .mask = mask[k / 2]};
        ops->attention(&a, &s);
        for (int i = 0; i < t_all; i++) {
            const int w = a.mask.window > 0 ? a.mask.window : t_all;
            const int from = i > w ? i - w : 0, last = i + w < t_all ? i + w : t_all - 1,
                      to = a.mask.causal ? i + 1 : last + 1;
            ig_attention only = a;
            only.mask = (ig_attention_mask){0};
            only.seq_start = (int32_t[]){0, to - from};
            only.qkv = qkv + from * 3 * d;
            only.ctx = want;
            ops->attention(&only, &s);
            assert_close(got + i * d, want + (i - from) * d, d, 16 * u, 0, ops->name);
        }
        buffer_free(qkv, 3 * n);
        buffer_free(got, n);
        buffer_free(want, n);
    }
    ig_scratch_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_attention),
        cmocka_unit_test(rotation),
        cmocka_unit_test(masks),
        cmocka_unit_test(masked_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
