/* SPDX-License-Identifier: Apache-2.0
 *
 * Trainings on the emulated GPU: after fifty updates the weights are those of the CPU within 1e-4,
 * and the measures near; a run that was stopped goes on with the same bits; matrix products of
 * bfloat16 operands train, too.
 */
#include "base/file.h"
#include "base/memory.h"
#include "emulated.h"
#include "model/bert_params.h"
#include "model/device/cuda/device_cuda.h"
#include "root_fixture.h"
#include "run/train/run_train.h"

#include <stdlib.h>
#include <string.h>

enum { UPDATES = 50 };

static ig_run_config settings(const char *name)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.out = strdup(in_root(name));
    c.data.world_sentences = 80;
    c.data.dev_take = 20;
    c.tokens.vocab_size = 200;
    c.model.preset = IG_PRESET_TINY;
    c.optimisation.updates = UPDATES;
    c.optimisation.warmup = 10;
    c.objective.batching.batch = 12;
    c.objective.block = 32;
    c.objective.nsp = true;
    c.objective.batching.instances = IG_INSTANCES_PAIRS;
    c.objective.batching.document = 10;
    c.save_every = 20;
    c.threads = 1;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static volatile sig_atomic_t stop_now;
static void stop_at(void *arg, const ig_run_result *so_far)
{
    stop_now = so_far->update == *(const int64_t *)arg;
}

/* Trains on a device; `stop`: is stopped after that update and goes on, −1: is not. */
static double train(const ig_run_config *c, const ig_device *device, int64_t stop)
{
    const ig_run_with with = {.lock = -1, .update = stop_at, .arg = &stop};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    ig_device_set_default(device);
    stop_now = 0;
    if (stop > 0) {
        assert_int_equal(ig_run_train_with(c, &with, &stop_now, r, &err), IG_ERR_STOPPED);
        ig_run_result_free(r);
        stop = -1;
        stop_now = 0;
    }
    assert_ok(ig_run_train_with(c, &with, &stop_now, r, &err), &err);
    ig_device_set_default(&ig_device_host);
    assert_true(r->finished);
    const double loss = r->loss;
    ig_run_result_free(r);
    ig_free(r);
    return loss;
}

static const ig_device *emulated(void)
{
    return ig_cuda_device_of(tested_driver(1));
}

static ig_bert *trained(const ig_run_config *c)
{
    char path[300];
    ig_bert *m;
    ig_bert_report report;
    snprintf(path, sizeof path, "%s/model", c->out);
    assert_ok(ig_bert_load(&m, path, &report, &err), &err);
    return m;
}

/* What --dry-run says of the memory, and what a training and its measures take. */
static void memory_in_advance(void **state)
{
    (void)state;
    ig_run_config c = settings("memory");
    ig_run_plan p;
    c.device = strdup("cuda");
    assert_ok(ig_run_dry(&c, &p, &err), &err);
    free(c.device);
    c.device = NULL;
    emulated_most();
    train(&c, emulated(), -1);
    const int64_t most = emulated_most();
    if (most > 0) /* a real card does not count */
        assert_true(most <= p.device_memory && p.device_memory < most + most / 2 + (21 << 20));
    ig_run_config_free(&c);
}

static void fifty_updates(void **state)
{
    (void)state;
    ig_run_config c[2] = {settings("host"), settings("emulated")};
    const double loss[2] = {train(&c[0], &ig_device_host, -1), train(&c[1], emulated(), -1)};
    ig_bert *m[2] = {trained(&c[0]), trained(&c[1])};
    assert_true(loss[0] < 5.8 && fabs(loss[1] - loss[0]) <= 1e-4 * loss[0]);
    for (int i = 0; i < ig_bert_n_param(m[0]); i++) {
        const ig_bert_param *p = &ig_bert_params(m[0])[i];
        if (strstr(p->name, "key.bias") == NULL)
            assert_close(ig_bert_weights(m[1]) + p->offset, ig_bert_weights(m[0]) + p->offset,
                         (int64_t)p->rows * p->cols, 1e-4, 0, p->name);
    }
    for (int i = 0; i < 2; i++) {
        ig_bert_free(m[i]);
        ig_run_config_free(&c[i]);
    }
}

static void same_model(const ig_run_config *a, const ig_run_config *b)
{
    ig_bert *m[2] = {trained(a), trained(b)};
    assert_memory_equal(ig_bert_weights(m[0]), ig_bert_weights(m[1]),
                        (size_t)ig_bert_n_weight(m[0]) * sizeof(float));
    ig_bert_free(m[0]);
    ig_bert_free(m[1]);
}

/* After fifty_updates, whose run it is compared with. */
static void resumed(void **state)
{
    (void)state;
    ig_run_config c = settings("stopped"), whole = settings("emulated");
    train(&c, emulated(), 27);
    same_model(&c, &whole);
    ig_run_config_free(&c);
    ig_run_config_free(&whole);
}

/* Rounded operands give other bits and nearly the same loss. */
static void rounded(void **state)
{
    (void)state;
    ig_run_config c = settings("rounded"), whole = settings("emulated");
    c.optimisation.precision = IG_PRECISION_BF16;
    const double loss = train(&c, emulated(), -1), exact = train(&whole, emulated(), -1);
    assert_true(loss != exact && fabs(loss - exact) < 0.02 * exact);
    ig_run_config_free(&c);
    ig_run_config_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_in_advance),
                                       cmocka_unit_test(fifty_updates), cmocka_unit_test(resumed),
                                       cmocka_unit_test(rounded)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
