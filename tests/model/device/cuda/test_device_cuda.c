/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole models on the emulated GPU: their gradients are those of the reference, states of every
 * kind of block are, too; a model that it cannot run stays on the host; a failure is an error.
 */
#include "model/device/cuda/device_cuda.h"

#include "emulated.h"
#include "engine_fixture.h"
#include "model/device/cuda/queue.h"

enum { N_SEQ = 6, N_LABEL = 3 };
static const int length[N_SEQ] = {26, 2, 40, 1, 17, 33};

static ig_bert_config base(void)
{
    ig_bert_config c = ig_bert_config_small(150);
    c.num_hidden_layers = 2;
    c.max_position_embeddings = 60;
    c.head[IG_HEAD_NEXT].n_label = 2;
    return c;
}

static ig_bert_config odd(void)
{
    ig_bert_config c = base();
    c.hidden_size = 50;
    c.num_attention_heads = 5;
    c.intermediate_size = 111;
    return c;
}

static ig_bert_config wide(void)
{
    ig_bert_config c = base();
    c.hidden_size = 136;
    c.num_attention_heads = 4;
    c.intermediate_size = 300;
    c.num_hidden_layers = 1;
    c.head[IG_HEAD_NEXT].n_label = 0;
    return c;
}

static ig_bert_config near_key(void)
{
    ig_bert_config c = base();
    c.position = IG_POSITION_RELATIVE_KEY;
    c.num_attention_heads = 2;
    return c;
}

static ig_bert_config near_both(void)
{
    ig_bert_config c = near_key();
    c.position = IG_POSITION_RELATIVE_KEY_QUERY;
    return c;
}

static ig_bert_config pre_norm(void)
{
    ig_bert_config c = base();
    c.block = IG_BLOCK_PRE_NORM;
    c.gelu_tanh = true;
    c.position = IG_POSITION_ROTARY;
    return c;
}

static ig_bert_config modern(void)
{
    ig_bert_config c = base();
    c.block = IG_BLOCK_MODERN;
    c.head[IG_HEAD_NEXT].n_label = 0;
    c.position = IG_POSITION_ROTARY;
    c.num_hidden_layers = 3;
    c.type_vocab_size = 1;
    c.local[0] = 2;
    c.local_window = 3;
    c.rope_theta[0] = 160000;
    return c;
}

static ig_bert_config causal(void)
{
    ig_bert_config c = base();
    c.causal = true;
    c.head[IG_HEAD_NEXT].n_label = 0;
    return c;
}

/* Parts of each language; a head that reads a mixture of layers. */
static ig_bert_config separate(void)
{
    ig_bert_config c = base();
    c.num_hidden_layers = 3;
    c.n_language = 2;
    c.separate.words = c.separate.output = true;
    c.separate.layer[0] = 2;
    c.head[IG_HEAD_SEQUENCE] = (ig_head_config){.n_label = N_LABEL, .reads = IG_READ_MIX};
    return c;
}

/* And one that reads another layer than the last. */
static ig_bert_config tokens(void)
{
    ig_bert_config c = base();
    c.num_hidden_layers = 3;
    c.head[IG_HEAD_NEXT].n_label = 0;
    c.head[IG_HEAD_TOKEN] =
        (ig_head_config){.n_label = N_LABEL, .reads = IG_READ_LAYER, .layer = 1, .dropout = 0.3f};
    return c;
}

static const struct {
    const char *name;
    ig_bert_config (*make)(void);
} models[] = {{"base", base},
              {"odd", odd},
              {"wide", wide},
              {"relative key", near_key},
              {"relative key and query", near_both},
              {"pre-norm", pre_norm},
              {"modern", modern},
              {"causal", causal},
              {"separate", separate},
              {"tokens", tokens}};
enum { N_MODEL = sizeof models / sizeof *models };

/* Every tensor's gradient within 1e-4 of its norm (test_engine.c). */
static void same_gradient(const ig_bert *m, const float *got, const float *want, const char *name)
{
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        const int64_t n = (int64_t)p->rows * p->cols;
        double difference = 0, norm = 0;
        for (int64_t j = p->offset; j < p->offset + n; j++) {
            const double by = (double)got[j] - (double)want[j];
            difference += by * by;
            norm += (double)want[j] * (double)want[j];
        }
        if (strstr(p->name, "key.bias") != NULL)
            norm = 1e-2; /* is 0 but for rounding */
        if (!(difference <= 1e-8 * norm)) {
            print_error("%s: %s: off by %.3g of %.3g\n", name, p->name, sqrt(difference),
                        sqrt(norm));
            fail();
        }
    }
}

/* Masked words, and where the model has them next sentences, classes of sequences and tokens. */
static void add_targets(test_batch *t, const ig_bert_config *c)
{
    static int32_t room[2 * N_SEQ], first[N_SEQ];
    static const int32_t next[N_SEQ] = {1, 0, -1, 0, 1, 1}, of_sequence[N_SEQ] = {2, 0, 1, 1, 0, 2},
                         token[] = {1, 2, 27, 30, 69, 90}, of_token[] = {2, 1, 0, 2, 1, 0};
    for (int i = 0; i < N_SEQ; i++)
        first[i] = t->b.seq_start[i];
    if (c->head[IG_HEAD_NEXT].n_label > 0)
        set_next(&t->b, next, room);
    if (c->head[IG_HEAD_SEQUENCE].n_label > 0)
        t->b.target[IG_HEAD_SEQUENCE] = (ig_targets){N_SEQ, first, of_sequence, NULL};
    if (c->head[IG_HEAD_TOKEN].n_label > 0)
        t->b.target[IG_HEAD_TOKEN] = (ig_targets){6, token, of_token, NULL};
}

static ig_bert *model_on(const ig_device *device, const ig_bert_config *c)
{
    ig_bert *m = make_model(c, 1);
    stir(m, 1.5 / sqrt(c->hidden_size), 2);
    if (device == &ig_device_host)
        return m;
    ig_device_set_default(device);
    ig_bert *there = make_model(c, 1);
    ig_device_set_default(&ig_device_host);
    device->upload(ig_bert_weights(there), ig_bert_weights(m),
                   ig_bert_n_weight(m) * (int64_t)sizeof(float));
    ig_bert_free(m);
    return there;
}

static const ig_device *emulated(int threads)
{
    return ig_cuda_device_of(tested_driver(threads));
}

static void gradients(void **state)
{
    (void)state;
    for (int k = 0; k < N_MODEL; k++) {
        const ig_bert_config c = models[k].make();
        ig_bert *m[2] = {model_on(&ig_device_host, &c), model_on(emulated(1), &c)};
        ig_engine *e[2] = {make_engine(m[0], NULL, ig_ops_ref()), make_engine(m[1], NULL, NULL)};
        test_batch t = make_batch(&c, length, N_SEQ, 0.2, 4);
        ig_pass pass = make_pass(true);
        add_targets(&t, &c);
        pass.scale[IG_HEAD_NEXT] = 0.7f;
        pass.scale[IG_HEAD_SEQUENCE] = 0.4f;
        pass.scale[IG_HEAD_TOKEN] = 0.6f;
        for (int i = 0; i < 2; i++)
            run_train(e[i], &t.b, &pass);
        for (int h = 0; h < IG_N_HEAD; h++) {
            const ig_head_result want = ig_engine_result(e[0], h), got = ig_engine_result(e[1], h);
            assert_int_equal(got.n, want.n);
            assert_true(fabs(got.loss - want.loss) <= 1e-5 * want.loss);
            for (int64_t i = 0; i < want.n; i++)
                assert_int_equal(got.best[i], want.best[i]);
        }
        const int64_t bytes = ig_bert_n_weight(m[0]) * (int64_t)sizeof(float);
        float *there = malloc((size_t)bytes);
        assert_non_null(there);
        ig_bert_get_device(m[1])->download(there, ig_engine_gradient(e[1]), bytes);
        same_gradient(m[0], there, ig_engine_gradient(e[0]), models[k].name);
        free(there);
        for (int i = 0; i < 2; i++) {
            ig_engine_free(e[i]);
            ig_bert_free(m[i]);
        }
        free_batch(&t);
    }
}

/* The states of one layer of models that are read and not trained, too. */
static void states(void **state)
{
    (void)state;
    for (int k = 0; k < N_MODEL + 3; k++) {
        ig_bert_config c = k < N_MODEL ? models[k].make() : wide();
        if (k >= N_MODEL) { /* queries share keys */
            c.block = IG_BLOCK_LLAMA + (k - N_MODEL);
            c.position = IG_POSITION_ROTARY;
            c.num_key_value_heads = 2;
            c.type_vocab_size = 1;
            c.silu = k == N_MODEL;
            c.causal = k != N_MODEL;
            c.no_attention_bias = c.no_ffn_bias = c.no_norm_bias = true;
        }
        ig_bert *m[2] = {model_on(&ig_device_host, &c), model_on(emulated(1), &c)};
        const size_t n = 119 * (size_t)c.hidden_size;
        float *x[2];
        test_batch t = make_batch(&c, length, N_SEQ, 0, 4);
        for (int i = 0; i < 2; i++) {
            ig_engine *e = make_engine(m[i], NULL, i == 0 ? ig_ops_ref() : NULL);
            const int last = c.num_hidden_layers;
            ig_err err;
            x[i] = calloc(n, sizeof *x[i]);
            assert_ok(ig_engine_encode(e, &t.b, &last, 1, &x[i], &err), &err);
            ig_engine_free(e);
            ig_bert_free(m[i]);
        }
        assert_close(x[1], x[0], (int64_t)n, 1e-4, 1e-4, k < N_MODEL ? models[k].name : "llama");
        free(x[0]);
        free(x[1]);
        free_batch(&t);
    }
}

/* A model with a head that it has no ops for stays on the host. */
static void lacking(void **state)
{
    (void)state;
    ig_bert_config c = base();
    ig_device_set_default(emulated(1));
    c.head[IG_HEAD_CRF].n_label = 3;
    ig_bert *m = make_model(&c, 1);
    assert_ptr_equal(ig_bert_get_device(m), &ig_device_host);
    ig_bert_free(m);
    c.head[IG_HEAD_CRF].n_label = 0;
    m = make_model(&c, 1);
    assert_ptr_equal(ig_bert_get_device(m), emulated(1));
    ig_bert_free(m);
    ig_device_set_default(&ig_device_host);
}

/* What goes wrong on the card ends the update with a message. */
static void failure(void **state)
{
    (void)state;
    if (getenv("ISOGLOT_TEST_CARD") != NULL)
        skip();
    const ig_bert_config c = base();
    ig_bert *m = model_on(emulated(1), &c);
    ig_engine *e = make_engine(m, NULL, NULL);
    test_batch t = make_batch(&c, length, N_SEQ, 0.2, 4);
    const ig_pass pass = make_pass(true);
    ig_err err;
    emulated_fail("fell from the bus");
    assert_int_equal(ig_engine_train(e, &t.b, &pass, &err), IG_ERR_DEVICE);
    assert_string_equal(err.where, "emulated card");
    assert_string_equal(err.msg, "fell from the bus");
    emulated_fail(NULL);
    assert_ok(ig_engine_train(e, &t.b, &pass, &err), &err);
    ig_engine_free(e);
    ig_bert_free(m);
    free_batch(&t);
}

/* A device is chosen by its name. */
static void names(void **state)
{
    (void)state;
    static const char *const bad[] = {"gpu",   "cuda:", "cuda:x",    "cuda:-1",
                                      "cudas", "CPU",   "cuda:12345"};
    ig_err err;
    if (getenv("ISOGLOT_TEST_CARD") != NULL)
        skip();
    emulated(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ig_device_choose(bad[i], &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "found 'cuda:12345', expected cpu, cuda or cuda:N");
    assert_ok(ig_device_choose("cuda", &err), &err);
    assert_string_equal(ig_device_default()->name, "emulated card");
    assert_ok(ig_device_choose("", &err), &err);
    assert_string_equal(ig_device_default()->name, "emulated card");
    assert_ok(ig_device_choose("cpu", &err), &err);
    assert_ptr_equal(ig_device_default(), &ig_device_host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients), cmocka_unit_test(states),
                                       cmocka_unit_test(lacking), cmocka_unit_test(failure),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
