/* SPDX-License-Identifier: Apache-2.0
 *
 * AdamW against its definition in double, in both conventions of epsilon; clipping; what decays and
 * what does not; schedules against their closed form; any number of threads the same bits.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "model/bert_params.h"
#include "test.h"
#include "train/optimizer.h"
#include "train/schedule.h"

#include <string.h>

static ig_bert *small_model(void)
{
    ig_err err;
    ig_bert *m;
    ig_bert_config c = ig_bert_config_small(700);
    c.num_hidden_layers = 2;
    assert_ok(ig_bert_new(&m, &c, 3, &err), &err);
    return m;
}

static void fill(float *g, int64_t n, uint32_t step, double scale)
{
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, step);
    for (int64_t i = 0; i < n; i++)
        g[i] = (float)(scale * ig_rng_normal(&r));
}

static bool is_decayed(const char *name)
{
    size_t n = strlen(name);
    bool bias = n >= 5 && strcmp(name + n - 5, ".bias") == 0;
    return !bias && strstr(name, "LayerNorm") == NULL;
}

/* 12 steps beside double arithmetic. The float path keeps m, v and p in float: a relative rounding
 * of 2^-24 per operation on each, about 8 operations a step on an update of size lr, and one on p.
 */
static void against_definition(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    const double lr = 3e-3, b1 = 0.9, b2 = 0.999, eps = 1e-6, wd = 0.01, clip = 1.0;
    for (int rule = 0; rule < 2; rule++) {
        ig_err err;
        ig_bert *m = small_model();
        int64_t n = ig_bert_n_weight(m);
        ig_optimizer_options o = {b1, b2,   eps,
                                  wd, clip, rule == 1 ? IG_ADAM_PYTORCH : IG_ADAM_HF28};
        ig_optimizer *opt;
        assert_ok(ig_optimizer_new(&opt, m, &o, ig_ops_ref(), NULL, &err), &err);
        double *p, *mm, *vv;
        float *g, *got, *want;
        assert_ok(ig_alloc(&p, n, 8, "", &err), &err);
        assert_ok(ig_alloc(&mm, n, 8, "", &err), &err);
        assert_ok(ig_alloc(&vv, n, 8, "", &err), &err);
        assert_ok(ig_alloc(&g, n, 4, "", &err), &err);
        assert_ok(ig_alloc(&want, n, 4, "", &err), &err);
        for (int64_t i = 0; i < n; i++)
            p[i] = (double)ig_bert_weights(m)[i];
        for (int t = 1; t <= STEPS; t++) {
            double scale = t % 3 == 0 ? 1e-5 : 0.02, norm, sum = 0, factor;
            memset(g, 0, (size_t)n * 4);
            for (int k = 0; k < ig_bert_n_param(m); k++) {
                const ig_bert_param *q = &ig_bert_params(m)[k];
                fill(g + q->offset, (int64_t)q->rows * q->cols, (uint32_t)(t * 1000 + k), scale);
            }
            for (int64_t i = 0; i < n; i++)
                sum += (double)g[i] * (double)g[i];
            factor = clip / (sqrt(sum) + 1e-6) < 1 ? clip / (sqrt(sum) + 1e-6) : 1;
            assert_true(t % 3 == 0 ? factor == 1 : factor < 0.5);
            assert_ok(ig_optimizer_step(opt, g, lr, &norm, &err), &err);
            assert_true(fabs(norm - sqrt(sum)) <= 1e-12 * norm);
            for (int k = 0; k < ig_bert_n_param(m); k++) {
                const ig_bert_param *q = &ig_bert_params(m)[k];
                double decay = is_decayed(q->name) ? wd : 0;
                for (int64_t i = q->offset; i < q->offset + (int64_t)q->rows * q->cols; i++) {
                    double x = (double)g[i] * factor, c1 = 1 - pow(b1, t), c2 = 1 - pow(b2, t);
                    mm[i] = b1 * mm[i] + (1 - b1) * x;
                    vv[i] = b2 * vv[i] + (1 - b2) * x * x;
                    if (rule == 0) {
                        p[i] -= lr * sqrt(c2) / c1 * mm[i] / (sqrt(vv[i]) + eps);
                        p[i] -= lr * decay * p[i];
                    } else {
                        p[i] -= lr * decay * p[i];
                        p[i] -= lr * (mm[i] / c1) / (sqrt(vv[i] / c2) + eps);
                    }
                }
            }
        }
        got = ig_bert_weights(m);
        for (int64_t i = 0; i < n; i++)
            want[i] = (float)p[i];
        /* float(0.999) is off by 1.3e-8, so 1 − β2 by 1.3e-5 of itself and √v by half of that. */
        double atol = STEPS * lr * 10 * (1.3e-5 + 16 * 0x1p-24);
        assert_close(got, want, n, atol * 0.2, STEPS * 0x1p-23, rule == 0 ? "hf-2.8" : "pytorch");
        ig_free(p);
        ig_free(mm);
        ig_free(vv);
        ig_free(g);
        ig_free(want);
        ig_optimizer_free(opt);
        ig_bert_free(m);
    }
}

/* Google's program (optimization.py): m and v without corrections, update m / (√v + ε) + wd·p, p −=
 * lr · update, one step from zero moments and a second. */
static void uncorrected(void **state)
{
    (void)state;
    const double lr = 1e-2, b1 = 0.9, b2 = 0.999, eps = 1e-6, wd = 0.1;
    ig_err err;
    ig_bert *m = small_model();
    const int64_t n = ig_bert_n_weight(m);
    const ig_optimizer_options o = {
        .beta1 = b1, .beta2 = b2, .eps = eps, .weight_decay = wd, .rule = IG_ADAM_GOOGLE};
    ig_optimizer *opt;
    assert_ok(ig_optimizer_new(&opt, m, &o, ig_ops_ref(), NULL, &err), &err);
    const ig_bert_param *q = ig_bert_param_find(m, "bert.encoder.layer.1.output.dense.weight");
    float *g, before[2];
    assert_ok(ig_alloc(&g, n, 4, "", &err), &err);
    memcpy(before, ig_bert_weights(m) + q->offset, sizeof before);
    double p[2] = {(double)before[0], (double)before[1]}, mm[2] = {0, 0}, vv[2] = {0, 0};
    for (int t = 0; t < 2; t++) {
        g[q->offset] = t == 0 ? 0.5F : -0.25F;
        g[q->offset + 1] = 1e-4F;
        assert_ok(ig_optimizer_step(opt, g, lr, NULL, &err), &err);
        for (int i = 0; i < 2; i++) {
            const double x = (double)g[q->offset + i];
            mm[i] = b1 * mm[i] + (1 - b1) * x;
            vv[i] = b2 * vv[i] + (1 - b2) * x * x;
            p[i] -= lr * (mm[i] / (sqrt(vv[i]) + eps) + wd * p[i]);
        }
    }
    /* The first step alone is lr · .1/√.001 = 3.2 lr. */
    for (int i = 0; i < 2; i++)
        assert_true(fabs((double)ig_bert_weights(m)[q->offset + i] - p[i]) < 1e-6);
    assert_true(fabs((double)before[1] - p[1]) > 4 * lr);
    ig_free(g);
    ig_optimizer_free(opt);
    ig_bert_free(m);
}

static void non_finite_changes_nothing(void **state)
{
    (void)state;
    ig_err err;
    ig_bert *m = small_model();
    int64_t n = ig_bert_n_weight(m);
    ig_optimizer_options o = {0.9, 0.999, 1e-6, 0.01, 1, IG_ADAM_HF28};
    ig_optimizer *opt;
    assert_ok(ig_optimizer_new(&opt, m, &o, ig_ops_ref(), NULL, &err), &err);
    float *g, *before;
    assert_ok(ig_alloc(&g, n, 4, "", &err), &err);
    assert_ok(ig_alloc(&before, n, 4, "", &err), &err);
    memcpy(before, ig_bert_weights(m), (size_t)n * 4);
    const ig_bert_param *p = ig_bert_param_find(m, "bert.encoder.layer.1.output.dense.weight");
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        g[p->offset + 100] = bad[i];
        assert_int_equal(ig_optimizer_step(opt, g, 1, NULL, &err), IG_ERR_NUMERIC);
        assert_string_equal(err.where, p->name);
        assert_memory_equal(before, ig_bert_weights(m), (size_t)n * 4);
        assert_int_equal(ig_optimizer_language_steps(opt)[0], 0);
    }
    ig_free(g);
    ig_free(before);
    ig_optimizer_free(opt);
    ig_bert_free(m);
}

static void threads_same_bits(void **state)
{
    (void)state;
    ig_err err;
    float *first = NULL;
    double first_norm = 0;
    for (int n_thread = 1; n_thread <= 4; n_thread *= 2) {
        ig_team *team;
        assert_ok(ig_team_new(&team, n_thread, &err), &err);
        ig_bert *m = small_model();
        int64_t n = ig_bert_n_weight(m);
        ig_optimizer_options o = {0.9, 0.999, 1e-6, 0.01, 1, IG_ADAM_HF28};
        ig_optimizer *opt;
        assert_ok(ig_optimizer_new(&opt, m, &o, ig_ops_best(), team, &err), &err);
        float *g;
        double norm = 0;
        assert_ok(ig_alloc(&g, n, 4, "", &err), &err);
        for (uint32_t t = 0; t < 3; t++) {
            fill(g, n, t, 0.1);
            assert_ok(ig_optimizer_step(opt, g, 1e-3, &norm, &err), &err);
        }
        if (first == NULL) {
            assert_ok(ig_alloc(&first, n, 4, "", &err), &err);
            memcpy(first, ig_bert_weights(m), (size_t)n * 4);
            first_norm = norm;
        }
        assert_true(norm == first_norm);
        assert_memory_equal(first, ig_bert_weights(m), (size_t)n * 4);
        ig_free(g);
        ig_optimizer_free(opt);
        ig_bert_free(m);
        ig_team_free(team);
    }
    ig_free(first);
}

/* Hugging Face's LambdaLR: k/50 below 50, then (T − k)/(T − 50). */
static void schedules(void **state)
{
    (void)state;
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 0, 50, 13500) == 0);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 25, 50, 13500) == 0.5);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 50, 50, 13500) == 1);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 6775, 50, 13500) == 0.5);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 13499, 50, 13500) == 1.0 / 13450);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 13500, 50, 13500) == 0);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 20000, 50, 13500) == 0);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 0, 0, 10) == 1);
    assert_true(ig_schedule(IG_SCHEDULE_CONSTANT, 10, 20, 100) == 0.5);
    assert_true(ig_schedule(IG_SCHEDULE_CONSTANT, 99, 20, 100) == 1);
    assert_true(ig_schedule(IG_SCHEDULE_LINEAR, 5, 50, 20) == 0.1); /* shorter than its warm-up */
    /* XLM: from 1e-7 to lr in equal steps, then lr · √(warm-up / update). */
    const ig_schedule_kind root = IG_SCHEDULE_INVERSE_SQRT;
    assert_true(ig_schedule_rate(root, 1e-4, 0, 30, 100) == 1e-7);
    assert_true(fabs(ig_schedule_rate(root, 1e-4, 15, 30, 100) - (1e-7 + 1e-4) / 2) < 1e-19);
    assert_true(ig_schedule_rate(root, 1e-4, 30, 30, 100) == 1e-4);
    assert_true(fabs(ig_schedule_rate(root, 1e-4, 120, 30, 100) - 5e-5) < 1e-19);
    assert_true(ig_schedule_rate(IG_SCHEDULE_LINEAR, 1e-4, 15, 30, 100) == 5e-5);
}

/* Row 15 of the paper: 2148 micro-batches, 16 an update: 134 updates an epoch, 13 400 in 100, four
 * left over that join the next epoch's first update (20 micro-batches). */
static void micro_batches(void **state)
{
    (void)state;
    assert_int_equal(ig_schedule_updates(2148, 100, 16, true), 13400);
    assert_int_equal(ig_schedule_updates(2148, 100, 16, false), 13425);
    assert_int_equal(ig_schedule_updates(135, 100, 1, true), 13500);
    assert_int_equal(ig_schedule_updates(135, 100, 1, false), 13500);
    int64_t before = 0;
    for (int64_t k = 0; k < 13400; k++) {
        int64_t from = ig_schedule_micro_before(k, 2148, 16, true);
        int64_t to = ig_schedule_micro_before(k + 1, 2148, 16, true);
        assert_int_equal(from, before);
        assert_int_equal(to - from, k > 0 && k % 134 == 0 ? 20 : 16);
        before = to;
    }
    for (int64_t k = 0; k < 1000; k++)
        assert_int_equal(ig_schedule_micro_before(k, 2148, 16, false), 16 * k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_definition),
        cmocka_unit_test(uncorrected),
        cmocka_unit_test(non_finite_changes_nothing),
        cmocka_unit_test(threads_same_bits),
        cmocka_unit_test(schedules),
        cmocka_unit_test(micro_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
