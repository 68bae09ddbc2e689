/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of PyTorch's against what torch says they hold (tests/data/torch, written by
 * tools/torch_files.py); what is refused; every cut and many a changed byte; several files with an
 * index.
 */
#include "model/weight_files.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "model/torch/torch_pickle.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA IG_TEST_DATA "/torch/"

static char *bytes_of(const char *name, int64_t *size)
{
    char path[512], *data;
    ig_err err;
    snprintf(path, sizeof path, DATA "%s", name);
    assert_ok(ig_file_read(&data, size, path, 1 << 20, &err), &err);
    return data;
}

/* Half precision rounds; bfloat16 and double are exact in float, as torch's float() gives them. */
static void same_values(const ig_safetensors *s, const char *name, const json_t *expected)
{
    const json_t *shape = json_object_get(expected, "shape"),
                 *value = json_object_get(expected, "value");
    const ig_safetensor *t = ig_safetensors_find(s, name);
    float *x;
    ig_err err;
    if (t == NULL)
        fail_msg("no tensor %s", name);
    assert_int_equal(t->n_dim, json_array_size(shape));
    assert_int_equal(t->count, json_array_size(value));
    for (int i = 0; i < t->n_dim; i++)
        assert_int_equal(t->shape[i], json_integer_value(json_array_get(shape, (size_t)i)));
    assert_ok(ig_alloc(&x, t->count, sizeof *x, "x", &err), &err);
    assert_ok(ig_safetensors_read(s, t, x, &err), &err);
    for (int64_t i = 0; i < t->count; i++)
        if (x[i] != (float)json_real_value(json_array_get(value, (size_t)i)))
            fail_msg("%s[%lld] is %.9g", name, (long long)i, (double)x[i]);
    ig_free(x);
}

static void views(void **state)
{
    (void)state;
    int64_t size;
    char *data = bytes_of("views.bin", &size);
    ig_safetensors s;
    ig_err err;
    json_t *expected, *of;
    const char *name;
    assert_ok(ig_json_read(&expected, DATA "expected.json", &err), &err);
    assert_ok(ig_torch_parse(&s, (const uint8_t *)data, size, "views.bin", &err), &err);
    assert_int_equal(s.n, json_object_size(expected) + 1);
    assert_int_equal(json_object_size(expected), 12);
    json_object_foreach(expected, name, of) same_values(&s, name, of);
    const ig_safetensor *whole = ig_safetensors_find(&s, "whole");
    assert_string_equal(whole->dtype, "I64");
    assert_int_equal(whole->data[8], 1);
    ig_safetensors_close(&s);
    json_decref(expected);
    ig_free(data);
}

static void refused(const char *name, const char *why)
{
    int64_t size;
    char *data = bytes_of(name, &size);
    ig_safetensors s;
    ig_err err = {0};
    const ig_code code = ig_torch_parse(&s, (const uint8_t *)data, size, name, &err);
    if (code != IG_ERR_INPUT || strstr(err.msg, why) == NULL || err.hint[0] == '\0')
        fail_msg("%s gave %d: %s, expected: %s", name, (int)code, err.msg, why);
    assert_int_equal(s.n, 0);
    ig_free(data);
}

static void foreign_pickles(void **state)
{
    (void)state;
    refused("legacy.bin", "a pickle of before PyTorch 1.6");
    refused("wrapped.bin", "'epoch', expected a state dict");
    refused("code.bin", "the object posix.system");
    refused("expected.json", "no zip file");
}

/* No cut file is read, and no changed byte is a crash. */
static void damage(void **state)
{
    (void)state;
    int64_t size;
    char *data = bytes_of("views.bin", &size);
    ig_safetensors s;
    ig_err err;
    for (int64_t n = 0; n < size; n++) {
        uint8_t *cut = malloc((size_t)n + 1); /* its end is the allocation's, for sanitizers */
        memcpy(cut, data, (size_t)n);
        if (ig_torch_parse(&s, cut, n, "cut", &err) == IG_ERR_OK)
            fail_msg("%lld bytes of %lld are read", (long long)n, (long long)size);
        free(cut);
    }
    for (int64_t i = 0; i < size; i++)
        for (int k = 0; k < 256; k += IF_SANITIZED(37, 5)) {
            const char before = data[i];
            data[i] = (char)k;
            if (ig_torch_parse(&s, (const uint8_t *)data, size, "changed", &err) == IG_ERR_OK)
                ig_safetensors_close(&s);
            data[i] = before;
        }
    ig_free(data);
}

/* A pickle of {"a": a tensor of a storage of n numbers}, from `offset`, of a row and m columns. */
static ig_code parse_tensor(int n, int offset, int m, int stride, ig_err *err)
{
    static const char global[] = "ctorch._utils\n_rebuild_tensor_v2\n",
                      type[] = "ctorch\nFloatStorage\n";
    uint8_t p[256], *at = p;
#define PUT(text) (memcpy(at, text, sizeof(text) - 1), at += sizeof(text) - 1)
#define NUMBER(x) (*at++ = 'K', *at++ = (uint8_t)(x))
    PUT("\x80\x02}(X\1\0\0\0a");
    PUT(global);
    PUT("((X\7\0\0\0storage");
    PUT(type);
    PUT("X\1\0\0\0000X\3\0\0\0cpu");
    NUMBER(n);
    PUT("tQ");
    NUMBER(offset);
    NUMBER(1);
    NUMBER(m);
    PUT("\x86");
    NUMBER(0);
    NUMBER(stride);
    PUT("\x86\x89}tRu.");
#undef PUT
#undef NUMBER
    ig_torch_tensors t;
    const ig_code code = ig_torch_pickle_parse(&t, p, at - p, "pickle", err);
    if (code == IG_ERR_OK)
        assert_int_equal(t.tensor[0].count, m);
    ig_torch_tensors_free(&t);
    return code;
}

static void beyond_storage(void **state)
{
    (void)state;
    static const int bad[][4] = {{6, 1, 6, 1}, {6, 7, 1, 1}, {6, 0, 4, 2}, {6, 0, 7, 0}};
    ig_err err = {0};
    assert_ok(parse_tensor(6, 0, 6, 1, &err), &err);
    assert_ok(parse_tensor(6, 2, 4, 1, &err), &err);
    assert_ok(parse_tensor(6, 1, 3, 2, &err), &err);
    assert_ok(parse_tensor(6, 9, 0, 1, &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse_tensor(bad[i][0], bad[i][1], bad[i][2], bad[i][3], &err),
                         IG_ERR_INPUT);
        assert_non_null(strstr(err.msg, "beyond its storage"));
    }
}

/* --- several files */

static char dir[64];

static const char *in_dir(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_tensor(const char *file, const char *name, float x)
{
    ig_err err;
    const ig_tensor_out t = {.name = name, .data = &x, .rows = 1};
    assert_ok(ig_safetensors_write(in_dir(file), &t, 1, NULL, NULL, &err), &err);
}

static void index_is(const char *map)
{
    char text[512];
    ig_err err;
    snprintf(text, sizeof text, "{\"metadata\": {\"total_size\": 8}, \"weight_map\": %s}", map);
    assert_ok(
        ig_file_write(in_dir("model.safetensors.index.json"), text, (int64_t)strlen(text), &err),
        &err);
}

static void no_folder(const char *map, const char *why)
{
    ig_safetensors s;
    ig_err err = {0};
    index_is(map);
    if (ig_weights_open(&s, dir, &err) == IG_ERR_OK || strstr(err.msg, why) == NULL)
        fail_msg("%s gave: %s, expected: %s", map, err.msg, why);
}

static void several_files(void **state)
{
    (void)state;
    ig_safetensors s;
    ig_weights_files f;
    ig_err err;
    char one[IG_SHA256_HEX], other[IG_SHA256_HEX];
    float x;
    strcpy(dir, "/tmp/isoglot-weights-XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(ig_weights_open(&s, dir, &err), IG_ERR_IO);
    write_tensor("1.safetensors", "b", 1);
    write_tensor("2.safetensors", "a", 2);
    index_is("{\"a\": \"2.safetensors\", \"b\": \"1.safetensors\"}");
    assert_ok(ig_weights_find(&f, dir, &err), &err);
    assert_int_equal(f.n, 3);
    ig_weights_files_free(&f);
    assert_ok(ig_weights_open(&s, dir, &err), &err);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.tensors[0].name, "a");
    assert_ok(ig_safetensors_read(&s, &s.tensors[0], &x, &err), &err);
    assert_true(x == 2);
    ig_safetensors_close(&s);
    assert_ok(ig_weights_sha256(one, dir, &err), &err);
    write_tensor("2.safetensors", "a", 3);
    assert_ok(ig_weights_sha256(other, dir, &err), &err);
    assert_string_not_equal(one, other);
    no_folder("{\"a\": \"2.safetensors\", \"c\": \"1.safetensors\"}", "\"c\" is not in");
    no_folder("{\"a\": \"3.safetensors\"}", "No such file");
    no_folder("{\"a\": \"../x\"}", "beside the index");
    no_folder("{\"a\": 1}", "beside the index");
    no_folder("{}", "no \"weight_map\"");
    write_tensor("1.safetensors", "a", 1);
    no_folder("{\"a\": \"1.safetensors\", \"b\": \"2.safetensors\"}", "not in");
    write_tensor("model.safetensors", "a", 4); /* comes first */
    assert_ok(ig_weights_open(&s, dir, &err), &err);
    assert_int_equal(s.n, 1);
    ig_safetensors_close(&s);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views),         cmocka_unit_test(foreign_pickles),
        cmocka_unit_test(damage),        cmocka_unit_test(beyond_storage),
        cmocka_unit_test(several_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
