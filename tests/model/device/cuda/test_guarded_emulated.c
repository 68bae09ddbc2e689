/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulated GPU with memory that nobody but its kernels and copies can touch: a training that is
 * measured, stopped and gone on with gives the bits that it gives with open memory.
 */
#include "base/file.h"
#include "base/memory.h"
#include "emulated.h"
#include "guarded_device.h"
#include "model/device/cuda/device_cuda.h"
#include "model/device/cuda/queue.h"
#include "root_fixture.h"
#include "run/train/run_train.h"

#include <stdlib.h>
#include <string.h>

static void *take(int64_t bytes)
{
    void *p;
    return guarded_alloc(&p, bytes, 1, "block", &err) == IG_ERR_OK ? p : NULL;
}

static ig_run_config settings(const char *name)
{
    ig_run_config c = {0};
    assert_ok(ig_options_default(&ig_run_options, &c, &err), &err);
    c.out = strdup(in_root(name));
    c.data.world_sentences = 60;
    c.data.dev_take = 20;
    c.tokens.vocab_size = 200;
    c.model.preset = IG_PRESET_TINY;
    c.model.position_type = IG_POSITION_RELATIVE_KEY;
    c.optimisation.updates = 6;
    c.objective.batching.batch = 8;
    c.objective.block = 32;
    c.save_every = 2;
    c.threads = 2;
    assert_ok(ig_run_config_resolve(&c, &err), &err);
    return c;
}

static volatile sig_atomic_t stop_now;
static void stop_at(void *arg, const ig_run_result *so_far)
{
    stop_now = so_far->update == *(const int64_t *)arg;
}

static void train(const ig_run_config *c, int64_t stop)
{
    const ig_measure_plan plan = {.what = IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                                          IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(perplexity),
                                  .all_layers = true,
                                  .at = {.kind = IG_CHECKPOINTS_EVERY, .every = 3}};
    const ig_run_with with = {.lock = -1, .plan = &plan, .update = stop_at, .arg = &stop};
    ig_run_result *r;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    if (stop > 0)
        assert_int_equal(ig_run_train_with(c, &with, &stop_now, r, &err), IG_ERR_STOPPED);
    stop = -1;
    stop_now = 0;
    assert_ok(ig_run_train_with(c, &with, &stop_now, r, &err), &err);
    assert_true(r->finished && r->measured);
    ig_run_result_free(r);
    ig_free(r);
}

static void same_file(const ig_run_config *c, const char *name)
{
    char path[2][300], *text[2];
    int64_t n[2];
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", c[i].out, name);
        assert_ok(ig_file_read(&text[i], &n[i], path[i], 1 << 28, &err), &err);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(text[0], text[1], (size_t)n[0]);
    ig_free(text[0]);
    ig_free(text[1]);
}

static void same_bits(void **state)
{
    (void)state;
    ig_run_config c[2] = {settings("open"), settings("guarded")};
    for (int g = 0; g < 2; g++) {
        const int64_t before = guarded.n_open;
        if (g == 1) {
            ig_cuda_use(NULL); /* whose memory is of the heap */
            emulated_memory(take, guarded_free);
            emulated_guard(guarded_open, guarded_close);
        }
        ig_device_set_default(ig_cuda_device_of(emulated_driver(1)));
        train(&c[g], g == 1 ? 3 : -1);
        ig_device_set_default(&ig_device_host);
        assert_true((guarded.n_open > before + 20) == (g == 1));
    }
    same_file(c, "model/model.safetensors");
    same_file(c, "measures.jsonl");
    ig_run_config_free(&c[0]);
    ig_run_config_free(&c[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
