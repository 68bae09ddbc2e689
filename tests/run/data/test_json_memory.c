/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON when memory runs out at every allocation in turn: the file is whole, or it is not there and
 * the error is IG_ERR_MEMORY. jansson leaves out what it has no room for.
 */
#include "corpus_fixture.h"

#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "model/checkpoint_config.h"
#include "run/data/setup.h"
#include "model/safetensors.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <unistd.h>

static int64_t to_come = -1; /* allocations before one fails; negative: none does */
static bool failed;

static void *failing(size_t n)
{
    if (to_come >= 0 && to_come-- == 0) {
        failed = true;
        return NULL;
    }
    return malloc(n);
}

/* From now on the k-th allocation fails, once. */
static void fail_at(int64_t k)
{
    json_set_alloc_funcs(failing, free);
    ig_json_watch();
    to_come = k;
    failed = false;
}

static void works_again(void)
{
    to_come = -1;
    ig_json_watch();
}

static char *content(const char *path)
{
    char *text;
    int64_t n;
    ig_err err;
    assert_ok(ig_file_read(&text, &n, path, 1 << 20, &err), &err);
    return text;
}

/* `make` writes the file under `path`: with every allocation failing once. */
static void fails_everywhere(ig_code (*make)(const char *dir, ig_err *err), const char *name)
{
    ig_err err;
    int64_t k = 0;
    const char *path = fixture_path(name);
    works_again();
    assert_ok(make(fixture_dir, &err), &err);
    char *want = content(path);
    for (;; k++) {
        unlink(path);
        fail_at(k);
        ig_code code = make(fixture_dir, &err);
        const bool did = failed;
        works_again();
        if (code == IG_ERR_OK) {
            char *got = content(path);
            assert_string_equal(got, want);
            ig_free(got);
        } else {
            assert_int_equal(code, IG_ERR_MEMORY);
            assert_false(ig_file_exists(path));
        }
        if (!did)
            break;
    }
    assert_in_range(k, 10, 100000);
    ig_free(want);
}

static ig_code nested(const char *dir, ig_err *err)
{
    json_t *j = json_object(), *list = json_array();
    char key[16];
    (void)dir;
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "key %d", i);
        json_array_append_new(list, json_pack("{s:s, s:[i, f]}", "name", key, "values", i, 0.5));
        json_object_set_new(j, key, json_integer(i));
    }
    json_object_set_new(j, "list", list);
    return ig_json_write(j, fixture_path("nested.json"), 9, err);
}

static void objects(void **state)
{
    (void)state;
    fails_everywhere(nested, "nested.json");
}

/* The languages of a run in its config.json: with one left out, the ids mean other words. */
static ig_setup setup;

static ig_code config_file(const char *dir, ig_err *err)
{
    const ig_bert_config c = ig_bert_config_small(2 * ig_tokenizer_size(setup.tokenizer));
    json_t *extra = ig_setup_json(&setup);
    if (extra == NULL)
        return ig_fail(err, IG_ERR_MEMORY, dir, 0, "no memory");
    ig_code code = ig_bert_config_write(&c, dir, extra, err);
    json_decref(extra);
    return code;
}

static void languages_of_a_run(void **state)
{
    (void)state;
    ig_err err = {0};
    char path[300];
    assert_ok(ig_tokenizer_load(&setup.tokenizer, IG_TEST_DATA "/tokenizer/vocab.txt",
                                &(ig_tokenizer_options){0}, &err),
              &err);
    const int32_t v = ig_tokenizer_size(setup.tokenizer);
    ig_shard *s = fixture_shard("s", 50, 20, v, 1);
    const ig_corpus_options o = {
        .block = 12, .base_vocab = v, .pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
    assert_ok(
        ig_corpus_new(&setup.train,
                      (ig_language_spec[]){{.name = "en", .pipeline = "", .source = s},
                                           {.name = "fake", .pipeline = "shift", .source = s}},
                      2, &o, &err),
        &err);
    fails_everywhere(config_file, "config.json");
    snprintf(path, sizeof path, "%s/config.json", fixture_dir);
    json_t *j;
    assert_ok(config_file(fixture_dir, &err), &err);
    assert_ok(ig_json_read(&j, path, &err), &err);
    assert_int_equal(json_array_size(json_object_get(json_object_get(j, "isoglot"), "languages")),
                     2);
    json_decref(j);
    ig_corpus_free(setup.train);
    ig_shard_close(s);
    ig_tokenizer_free(setup.tokenizer);
}

/* Printed texts, and texts that are hashed or stored. */
static void texts(void **state)
{
    (void)state;
    fail_at(-1);
    json_t *j = json_object();
    fail_at(0);
    json_object_set_new(j, "lost", json_integer(1));
    assert_true(failed && ig_json_lost());
    assert_null(ig_json_text(j, 0));
    works_again();
    char *text = ig_json_text(j, 0);
    assert_string_equal(text, "{}");
    free(text);
    json_decref(j);
}

static void reading(void **state)
{
    (void)state;
    const char *path = fixture_path("read.json");
    ig_err err;
    json_t *j;
    write_fast(path, "{\"a\": [1, 2]}\n", 14);
    for (int64_t k = 0;; k++) {
        fail_at(k);
        ig_code code = ig_json_read(&j, path, &err);
        const bool did = failed;
        works_again();
        assert_int_equal(code, did ? IG_ERR_MEMORY : IG_ERR_OK);
        if (!did)
            break;
    }
    json_decref(j);
    write_fast(path, "{\"a\": 1,\n \"a\": 2}\n", 18);
    assert_int_equal(ig_json_read(&j, path, &err), IG_ERR_INPUT);
    assert_int_equal(err.line, 2);
    assert_null(j);
    assert_int_equal(ig_json_read(&j, fixture_path("none"), &err), IG_ERR_IO);
    assert_int_equal(ig_json_read(&j, fixture_dir, &err), IG_ERR_IO);
}

/* Readers of JSON in memory: lack of memory is never reported as a damaged file. */
static ig_code read_config(const char *text, ig_err *err)
{
    ig_bert_config c;
    return ig_bert_config_parse(&c, text, (int64_t)strlen(text), "config.json", err);
}

static ig_code read_tokenizer(const char *text, ig_err *err)
{
    ig_tokenizer *t;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "tokenizer", err));
    const ig_code code =
        ig_tokenizer_json_parse(t, text, (int64_t)strlen(text), "tokenizer.json", err);
    ig_tokenizer_free(t);
    return code;
}

static ig_code read_safetensors(const char *text, ig_err *err)
{
    ig_safetensors s;
    uint8_t *data;
    const uint64_t n = strlen(text);
    IG_TRY(ig_alloc(&data, (int64_t)n + 8, 1, "file", err));
    memcpy(data, &n, 8);
    memcpy(data + 8, text, n);
    ig_code code = ig_safetensors_parse(&s, data, (int64_t)n + 8, "model.safetensors", err);
    ig_safetensors_close(&s);
    ig_free(data);
    return code;
}

static void damage_is_told_from_no_memory(void **state)
{
    (void)state;
    static const struct {
        ig_code (*read)(const char *text, ig_err *err);
        const char *text;
    } of[] = {{read_config, "{\"hidden_size\": 8, \"x\": [1, {\"y\": \"z\"}]"},
              {read_tokenizer, "{\"model\": {\"vocab\": {\"a\": 1}}, \"added_tokens\": [1, 2]"},
              {read_safetensors, "{\"a\": {\"dtype\": \"F32\", \"shape\": [0]}"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int64_t k = 0;; k++) {
            ig_err err = {0};
            fail_at(k);
            const ig_code code = of[i].read(of[i].text, &err);
            const bool did = failed;
            works_again();
            assert_int_equal(code, did ? IG_ERR_MEMORY : IG_ERR_INPUT); /* the last } is missing */
            if (!did)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects), cmocka_unit_test(languages_of_a_run), cmocka_unit_test(texts),
        cmocka_unit_test(reading), cmocka_unit_test(damage_is_told_from_no_memory)};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
