/* SPDX-License-Identifier: Apache-2.0
 *
 * Replicas that train together on the emulated GPU, each in a thread, come to the bits that each
 * has alone: of one shape, of two, and where one ends earlier; and most of their kernels share a
 * launch. Under ThreadSanitizer too.
 */
#include "model/device/cuda/queue.h"

#include "emulated.h"
#include "engine_fixture.h"
#include "model/device/cuda/device_cuda.h"

#include <pthread.h>

enum { N_REPLICA = 4, MOST_UPDATES = 4 };

typedef struct {
    uint64_t seed;
    int n_layer, n_update;
    bool joins;
    int64_t n_weight;
    float *weights; /* after the last update */
} replica;

/* An update of AdamW with the gradient that is there; the norm is read in between, as clipping
 * does. */
static void update(ig_bert *m, ig_engine *e, float *moments)
{
    const int64_t n = ig_bert_n_weight(m);
    const ig_device *device = ig_bert_get_device(m);
    const ig_exec x = {.run = device->run, .ops = ig_ops_ref()};
    const ig_span all = {0, n};
    double squares;
    device->run->sum_squares(&x, ig_engine_gradient(e), &all, 1, &squares);
    assert_true(squares > 0 && isfinite(squares));
    const ig_adamw how = {.beta1 = 0.9f,
                          .beta2 = 0.999f,
                          .lr_t = 0.001f,
                          .root = 1,
                          .eps = 1e-6f,
                          .grad_scale = (float)(1 / sqrt(squares)),
                          .decay = 1e-5f};
    device->run->adamw(
        &x, &(ig_adamw_span){all, &how}, 1,
        &(ig_moments){ig_bert_weights(m), ig_engine_gradient(e), moments, moments + n});
    ig_engine_weights_changed(e);
}

static void *train(void *arg)
{
    replica *r = arg;
    static const int length[] = {9, 4, 12, 7};
    ig_bert_config c = ig_bert_config_small(60);
    ig_err err;
    float *moments;
    c.hidden_size = 16;
    c.intermediate_size = 40;
    c.num_hidden_layers = r->n_layer;
    c.max_position_embeddings = 20;
    if (r->joins)
        assert_ok(ig_cuda_join(&err), &err);
    ig_bert *m;
    assert_ok(ig_bert_new(&m, &c, r->seed, &err), &err);
    const ig_device *device = ig_bert_get_device(m);
    ig_engine *e = make_engine(m, NULL, ig_ops_ref());
    r->n_weight = ig_bert_n_weight(m);
    assert_ok(device->alloc(&moments, 2 * r->n_weight, sizeof *moments, "moments", &err), &err);
    for (int i = 0; i < r->n_update; i++) {
        test_batch t = make_batch(&c, length, 4, 0.3, r->seed + (uint64_t)i);
        ig_pass pass = make_pass(true);
        pass.step = (uint32_t)i;
        run_train(e, &t.b, &pass);
        update(m, e, moments);
        free_batch(&t);
    }
    r->weights = malloc((size_t)r->n_weight * sizeof *r->weights);
    assert_non_null(r->weights);
    device->download(r->weights, ig_bert_weights(m), r->n_weight * (int64_t)sizeof(float));
    device->free(moments);
    ig_engine_free(e);
    ig_bert_free(m);
    ig_cuda_leave();
    return NULL;
}

/* Kernels that shared the launch of another. */
static int64_t shared_launches(const int *n_layer, const int *n_update)
{
    replica alone[N_REPLICA], both[N_REPLICA];
    pthread_t id[N_REPLICA];
    ig_device_set_default(ig_cuda_device_of(tested_driver(1)));
    for (int i = 0; i < N_REPLICA; i++) {
        alone[i] = both[i] =
            (replica){.seed = 10 + (uint64_t)i, .n_layer = n_layer[i], .n_update = n_update[i]};
        both[i].joins = true;
        train(&alone[i]);
    }
    const ig_cuda_counts before = ig_cuda_count();
    assert_int_equal(before.n_launch, before.n_kernel);
    for (int i = 0; i < N_REPLICA; i++)
        assert_int_equal(pthread_create(&id[i], NULL, train, &both[i]), 0);
    for (int i = 0; i < N_REPLICA; i++)
        pthread_join(id[i], NULL);
    const ig_cuda_counts after = ig_cuda_count();
    assert_int_equal(after.n_kernel - before.n_kernel, before.n_kernel);
    for (int i = 0; i < N_REPLICA; i++) {
        assert_memory_equal(alone[i].weights, both[i].weights,
                            (size_t)alone[i].n_weight * sizeof(float));
        free(alone[i].weights);
        free(both[i].weights);
    }
    ig_device_set_default(&ig_device_host);
    return after.n_kernel - before.n_kernel - (after.n_launch - before.n_launch);
}

static void together(void **state)
{
    (void)state;
    static const int layers[3][N_REPLICA] = {{2, 2, 2, 2}, {2, 1, 2, 1}, {2, 2, 2, 2}},
                     updates[3][N_REPLICA] = {{4, 4, 4, 4}, {3, 3, 3, 3}, {4, 1, 4, 2}};
    for (int k = 0; k < 3; k++) {
        int64_t n_shared = shared_launches(layers[k], updates[k]);
        /* On a busy machine all may go alone: a thread that waits for a processor is not waited
         * for, and each may end before the next one begins. */
        for (int i = 0; i < 100 && k == 0 && !SANITIZED && n_shared == 0; i++)
            n_shared = shared_launches(layers[k], updates[k]);
        assert_true(k > 0 || SANITIZED || n_shared > 0);
    }
}

/* A thread that nobody waits with is not held up. */
static void *wait_once(void *arg)
{
    ig_err err;
    char byte;
    assert_ok(ig_cuda_join(&err), &err);
    float *block = ig_cuda_alloc(16);
    ig_cuda_upload(block, "x", 1);
    ig_cuda_download(&byte, block, 1);
    assert_int_equal(byte, 'x');
    ig_cuda_free(block);
    ig_cuda_leave();
    *(bool *)arg = true;
    return NULL;
}

static void others_may_be_late(void **state)
{
    (void)state;
    ig_err err;
    pthread_t id;
    bool done = false;
    ig_cuda_use(tested_driver(1));
    assert_ok(ig_cuda_join(&err), &err); /* and never waits */
    assert_int_equal(pthread_create(&id, NULL, wait_once, &done), 0);
    pthread_join(id, NULL);
    assert_true(done);
    ig_cuda_leave();
}

/* Blocks of several threads come to the weights of blocks of one. */
static void wide_blocks(void **state)
{
    (void)state;
    replica r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = (replica){.seed = 3, .n_layer = 1, .n_update = 1};
        ig_device_set_default(ig_cuda_device_of(tested_driver(i == 0 ? 1 : 3)));
        train(&r[i]);
        ig_device_set_default(&ig_device_host);
    }
    /* Adam's first step is lr wherever there is a gradient, of whatever size: of key.bias rounding
     * alone. */
    assert_close(r[1].weights, r[0].weights, r[0].n_weight, 2.1e-3, 0, "weights");
    free(r[0].weights);
    free(r[1].weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together),
                                       cmocka_unit_test(others_may_be_late),
                                       cmocka_unit_test(wide_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
