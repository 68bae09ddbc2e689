/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints: a model and its training state come back bit for bit; foreign folders with other
 * spellings load and say what was missing; damaged and foreign files are refused.
 */
#include "base/file.h"
#include "base/memory.h"
#include "model/bert_params.h"
#include "model/checkpoint_config.h"
#include "model/safetensors.h"
#include "test.h"
#include "train/train_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char dir[64];
static ig_err err;

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/isoglot-test-XXXXXX");
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    (void)state;
    return ig_dir_remove(dir, &err) != IG_ERR_OK;
}

static const char *in_dir(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static ig_bert_config shape(void)
{
    ig_bert_config c = ig_bert_config_small(37);
    c.hidden_size = 8;
    c.num_attention_heads = 2;
    c.intermediate_size = 12;
    c.num_hidden_layers = 2;
    c.max_position_embeddings = 9;
    c.hidden_dropout_prob = 0.15f;
    return c;
}

static ig_bert *model(uint64_t seed)
{
    ig_bert *m;
    ig_bert_config c = shape();
    assert_ok(ig_bert_new(&m, &c, seed, &err), &err);
    return m;
}

static void assert_same_weights(const ig_bert *a, ig_bert *b)
{
    for (int i = 0; i < ig_bert_n_param(a); i++) {
        const ig_bert_param *p = &ig_bert_params(a)[i];
        assert_memory_equal(ig_bert_weights((ig_bert *)(uintptr_t)a) + p->offset,
                            ig_bert_weights(b) + p->offset, 4 * (size_t)p->rows * (size_t)p->cols);
    }
}

static void round_trip(void **state)
{
    (void)state;
    ig_bert *m = model(5), *back;
    ig_bert_report r;
    json_t *extra = json_pack("{s:{s:i}}", "isoglot", "step", 12), *whole;
    assert_ok(ig_bert_save(m, dir, extra, &err), &err);
    json_decref(extra);
    assert_ok(ig_bert_load(&back, dir, &r, &err), &err);
    assert_int_equal(r.n_missing, 0);
    assert_int_equal(r.n_unexpected, 0);
    assert_same_weights(m, back);
    const ig_bert_config *a = ig_bert_get_config(m), *b = ig_bert_get_config(back);
    assert_memory_equal(a, b, sizeof *a);
    ig_bert_config c;
    assert_ok(ig_bert_config_read(&c, dir, &whole, &err), &err);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(whole, "isoglot"), "step")),
                     12);
    assert_true(json_real_value(json_object_get(whole, "hidden_dropout_prob")) == 0.15);
    json_decref(whole);
    ig_bert_report_free(&r);
    ig_bert_free(m);
    ig_bert_free(back);
}

/* Writes m's tensors under names that rename() changes ("" drops one) and returns how many. */
static int save_as(ig_bert *m, const char *(*rename)(const char *name), const ig_tensor_out *more)
{
    static char names[100][96];
    ig_tensor_out out[101];
    int n = 0;
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        snprintf(names[n], sizeof names[n], "%s", rename(p->name));
        if (names[n][0] == '\0')
            continue;
        out[n] = (ig_tensor_out){names[n], ig_bert_weights(m) + p->offset, p->rows,
                                 p->decay ? p->cols : 0};
        n++;
    }
    if (more != NULL)
        out[n++] = *more;
    assert_ok(ig_bert_config_write(ig_bert_get_config(m), dir, NULL, &err), &err);
    assert_ok(ig_safetensors_write(in_dir("model.safetensors"), out, n, NULL, NULL, &err), &err);
    return n;
}

static const char *headless(const char *name)
{
    static char out[96];
    if (strncmp(name, "bert.", 5) != 0)
        return "";
    snprintf(out, sizeof out, "%s", name + 5);
    char *at = strstr(out, "LayerNorm.weight");
    if (at != NULL)
        strcpy(at, "LayerNorm.gamma");
    at = strstr(out, "LayerNorm.bias");
    if (at != NULL)
        strcpy(at, "LayerNorm.beta");
    return out;
}

static const char *as_it_is(const char *name)
{
    return name;
}

static const char *without_query(const char *name)
{
    return strstr(name, "layer.1.attention.self.query.weight") != NULL ? "" : name;
}

static void other_spellings(void **state)
{
    (void)state;
    ig_bert *m = model(5), *zero = model(0), *back;
    ig_bert_report r;
    float more[16] = {0};
    const ig_tensor_out pooler = {"pooler.dense.weight", more, 4, 4};
    save_as(m, headless, &pooler);
    assert_ok(ig_bert_load(&back, dir, &r, &err), &err);
    assert_int_equal(r.n_missing, 5);
    assert_string_equal(r.missing[0], "cls.predictions.transform.dense.weight");
    assert_int_equal(r.n_unexpected, 0);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        bool head = strncmp(p->name, "cls.", 4) == 0; /* keeps the initial value of seed 0 */
        assert_memory_equal(ig_bert_weights(back) + p->offset,
                            ig_bert_weights(head ? zero : m) + p->offset,
                            4 * (size_t)p->rows * (size_t)p->cols);
    }
    ig_bert_report_free(&r);
    ig_bert_free(back);
    ig_bert_free(m);
    ig_bert_free(zero);
}

static void decoder_of_its_own(void **state)
{
    (void)state;
    ig_bert *m = model(5), *back;
    ig_bert_report r;
    float *w = ig_bert_weights(m) +
               ig_bert_param_find(m, "bert.embeddings.word_embeddings.weight")->offset;
    ig_tensor_out more = {"cls.predictions.decoder.weight", w, 37, 8};
    save_as(m, as_it_is, &more);
    assert_ok(ig_bert_load(&back, dir, &r, &err), &err);
    assert_int_equal(r.n_missing + r.n_unexpected, 0);
    assert_same_weights(m, back);
    ig_bert_report_free(&r);
    ig_bert_free(back);

    float other[37 * 8] = {1};
    more.data = other;
    save_as(m, as_it_is, &more);
    assert_ok(ig_bert_load(&back, dir, &r, &err), &err);
    assert_int_equal(r.n_unexpected, 1);
    assert_string_equal(r.unexpected[0], "cls.predictions.decoder.weight");
    ig_bert_report_free(&r);
    ig_bert_free(back);

    more = (ig_tensor_out){"bert.embeddings.LayerNorm.gamma", other, 8, 0};
    save_as(m, as_it_is, &more);
    assert_int_equal(ig_bert_load(&back, dir, &r, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "two names"));
    ig_bert_free(m);
}

/* Untied, transformers 5 trains and uses the decoder's bias, not the one beside it. */
static void bias_of_the_decoder(void **state)
{
    (void)state;
    for (int untied = 0; untied < 2; untied++) {
        ig_bert_config c = shape();
        c.untied = untied == 1;
        ig_bert *m, *back;
        float other[37] = {[3] = 0.5f};
        const ig_tensor_out more = {"cls.predictions.decoder.bias", other, 37, 0};
        assert_ok(ig_bert_new(&m, &c, 5, &err), &err);
        save_as(m, as_it_is, &more);
        assert_ok(ig_bert_load(&back, dir, NULL, &err), &err);
        const ig_bert_param *p = ig_bert_param_find(back, "cls.predictions.bias");
        assert_true(ig_bert_weights(back)[p->offset + 3] == (c.untied ? 0.5f : 0));
        ig_bert_free(m);
        ig_bert_free(back);
    }
}

static void wrong_shape(void **state)
{
    (void)state;
    ig_bert *m = model(5), *back;
    float other[64] = {0};
    ig_tensor_out more = {"bert.encoder.layer.1.attention.self.query.weight", other, 4, 16};
    save_as(m, without_query, &more);
    assert_int_equal(ig_bert_load(&back, dir, NULL, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "is 4×16, expected 8×8"));
    /* A transposed matrix of equal sides cannot be told; one of unequal sides is. */
    more = (ig_tensor_out){"bert.encoder.layer.1.attention.self.query.weight", other, 8, 8};
    save_as(m, without_query, &more);
    assert_ok(ig_bert_load(&back, dir, NULL, &err), &err);
    ig_bert_free(back);

    ig_bert_config c = shape();
    c.vocab_size = 1 << 24; /* a small file that asks for gigabytes */
    c.hidden_size = 1024;
    assert_ok(ig_bert_config_write(&c, dir, NULL, &err), &err);
    assert_int_equal(ig_bert_load(&back, dir, NULL, &err), IG_ERR_INPUT);
    ig_bert_free(m);
}

/* Everything computed with such a model would be silently wrong. */
static void not_a_number(void **state)
{
    (void)state;
    ig_bert *m = model(5), *back;
    float other[64] = {[37] = NAN};
    ig_tensor_out more = {"bert.encoder.layer.1.attention.self.query.weight", other, 8, 8};
    for (int k = 0; k < 2; k++) {
        save_as(m, without_query, &more);
        assert_int_equal(ig_bert_load(&back, dir, NULL, &err), IG_ERR_NUMERIC);
        assert_non_null(
            strstr(err.msg, "layer.1.attention.self.query.weight\": value 37 is not finite"));
        other[37] = INFINITY;
    }
    ig_bert_free(m);
}

static void config_rules(void **state)
{
    (void)state;
#define SHAPE                                                                                      \
    "\"vocab_size\":30,\"hidden_size\":8,\"num_hidden_layers\":1,\"num_attention_heads\":2,"       \
    "\"intermediate_size\":4,\"max_position_embeddings\":5"
    const struct {
        const char *text, *why;
    } bad[] = {
        {"", ""},
        {"[]", "expected a JSON object"},
        {"\xFF\xFE{", "found UTF-16, expected UTF-8"},
        {"{}", "vocab_size"},
        {"{" SHAPE ",\"hidden_act\":\"relu\"}", "hidden_act"},
        {"{" SHAPE ",\"model_type\":\"albert\"}", "model_type"},
        {"{" SHAPE ",\"architectures\":[\"XLMRobertaForMaskedLM\"]}", "expected that of \"XLMRob"},
        {"{" SHAPE ",\"is_decoder\":true,"
         "\"architectures\":[\"BertForSequenceClassification\"]}",
         "read at its first token"},
        {"{" SHAPE ",\"vocab_size\":31}", "duplicate"},
        {"{" SHAPE ",\"type_vocab_size\":4294967298}", "type_vocab_size"},
        {"{" SHAPE ",\"type_vocab_size\":2.0}", "type_vocab_size"},
        {"{" SHAPE ",\"layer_norm_eps\":\"1e-12\"}", "layer_norm_eps"},
        {"{" SHAPE ",\"pad_token_id\":30}", "pad_token_id"},
        {"{" SHAPE ",\"hidden_dropout_prob\":1}", "hidden_dropout_prob"},
    };
    ig_bert_config c;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ig_code code =
            ig_bert_config_parse(&c, bad[i].text, (int64_t)strlen(bad[i].text), "c", &err);
        if (code != IG_ERR_INPUT || err.code != IG_ERR_INPUT || strstr(err.msg, bad[i].why) == NULL)
            fail_msg("%s gave %d: %s", bad[i].text, (int)code, err.msg);
    }
    const char *good = "{" SHAPE ",\"pad_token_id\":null,\"vocab_file\":\"x\"}";
    assert_ok(ig_bert_config_parse(&c, good, (int64_t)strlen(good), "c", &err), &err);
    assert_int_equal(c.pad_token_id, -1);
    assert_int_equal(c.type_vocab_size, 2);
    assert_true(c.layer_norm_eps == 1e-12f);
#undef SHAPE
}

static void same_moments(const ig_bert *m, ig_optimizer *a, ig_optimizer *b)
{
    float values[2][4096];
    for (int i = 0; i < ig_bert_n_param(m); i++)
        for (int k = 0; k < 2; k++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            ig_optimizer_get_moment(a, k, p, values[0]);
            ig_optimizer_get_moment(b, k, p, values[1]);
            assert_memory_equal(values[0], values[1], 4 * (size_t)p->rows * (size_t)p->cols);
        }
}

static void training_state(void **state)
{
    (void)state;
    ig_bert *m = model(5), *other = model(6);
    ig_optimizer *o, *back;
    ig_optimizer_options options = {0.9, 0.999, 1e-6, 0.01, 1, IG_ADAM_HF28};
    assert_ok(ig_optimizer_new(&o, m, &options, ig_ops_ref(), NULL, &err), &err);
    assert_ok(ig_optimizer_new(&back, m, &options, ig_ops_ref(), NULL, &err), &err);
    for (int i = 0; i < ig_bert_n_param(m); i++) {
        const ig_bert_param *p = &ig_bert_params(m)[i];
        float values[2][4096];
        assert_true((int64_t)p->rows * p->cols <= 4096);
        for (int64_t j = 0; j < (int64_t)p->rows * p->cols; j++) {
            values[0][j] = (float)(i + 1) * (float)j;
            values[1][j] = (float)i - 0.5f * (float)j;
        }
        for (int k = 0; k < 2; k++)
            ig_optimizer_set_moment(o, k, p, values[k]);
    }
    const char *path = in_dir("trainer.state");
    ig_train_state s = {.update = 7,
                        .log_bytes = 99,
                        .loss = 1.25,
                        .n_pred = 3,
                        .n_right = 1,
                        .n_token = 20,
                        .seconds = 0.5,
                        .total_token = 77,
                        .total_flop = 1e12},
                   t;
    assert_ok(ig_train_state_write(dir, &s, o, m, &err), &err);
    assert_int_equal(ig_train_state_read(dir, 8, &t, back, m, &err), IG_ERR_INPUT);
    assert_ok(ig_train_state_read(dir, 7, &t, back, m, &err), &err);
    assert_memory_equal(&s, &t, sizeof s);
    same_moments(m, o, back);
    assert_int_equal(ig_train_state_read(dir, 7, &t, back, other, &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "other weights"));

    char *file;
    int64_t size;
    assert_ok(ig_file_read(&file, &size, path, 1 << 24, &err), &err);
    for (int64_t at = 0; at < size; at += at < 200 ? 1 : 997) { /* any byte changed */
        file[at] = (char)(file[at] ^ 0x10);
        write_fast(path, file, size);
        assert_int_equal(ig_train_state_read(dir, 7, &t, back, m, &err), IG_ERR_INPUT);
        file[at] = (char)(file[at] ^ 0x10);
    }
    for (int64_t n = 0; n < size; n += n < 200 ? 7 : 1009) { /* cut off anywhere */
        write_fast(path, file, n);
        assert_int_equal(ig_train_state_read(dir, 7, &t, back, m, &err), IG_ERR_INPUT);
    }
    same_moments(m, o, back);
    ig_free(file);
    ig_optimizer_free(o);
    ig_optimizer_free(back);
    ig_bert_free(m);
    ig_bert_free(other);
}

/* A real BertModel without head, where the data folder is there. */
static void foreign_folder(void **state)
{
    (void)state;
    const char *shared = getenv("ISOGLOT_TEST_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/data/bert/tiny_bert_2l",
             shared != NULL ? shared : IG_SOURCE_DIR "/../shared");
    if (!ig_dir_exists(path)) {
        skip_here("no %s", path);
        skip();
    }
    ig_bert *m;
    ig_bert_report r;
    assert_ok(ig_bert_load(&m, path, &r, &err), &err);
    assert_int_equal(ig_bert_get_config(m)->num_hidden_layers, 2);
    assert_int_equal(ig_bert_get_config(m)->hidden_size, 32);
    assert_int_equal(r.n_missing, 5); /* the head */
    assert_int_equal(r.n_unexpected, 0);
    ig_bert_report_free(&r);
    ig_bert_free(m);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(round_trip),          TEST(other_spellings), TEST(decoder_of_its_own),
        TEST(bias_of_the_decoder), TEST(wrong_shape),     TEST(not_a_number),
        TEST(config_rules),        TEST(training_state),  TEST(foreign_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
