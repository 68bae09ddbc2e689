/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors: what is written comes back bit for bit, half precision against its definition, and
 * every kind of hostile header is refused for its own reason.
 */
#include "base/file.h"
#include "base/memory.h"
#include "model/safetensors.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file image: header text, then n_data zero bytes. Freed with free. */
static uint8_t *image(const char *header, int64_t n_data, int64_t *size)
{
    size_t n = strlen(header);
    *size = 8 + (int64_t)n + n_data;
    uint8_t *p = calloc(1, (size_t)*size);
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)((uint64_t)n >> (8 * i));
    memcpy(p + 8, header, n);
    return p;
}

static void refused(const char *header, int64_t n_data, const char *why)
{
    int64_t size;
    ig_safetensors s;
    ig_err err = {0};
    uint8_t *p = image(header, n_data, &size);
    ig_code code = ig_safetensors_parse(&s, p, size, "hostile", &err);
    if (code != IG_ERR_INPUT || strstr(err.msg, why) == NULL)
        fail_msg("%s\n  gave %d: %s\n  expected: %s", header, (int)code, err.msg, why);
    assert_int_equal(s.n, 0);
    free(p);
}

static void hostile_headers(void **state)
{
    (void)state;
    refused("[]", 0, "not a JSON object");
    refused("{\"a\"", 0, "header: ");
    refused("{} x", 0, "header: ");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
            "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
            8, "duplicate");
    refused("{\"a\":7}", 0, "expected dtype, shape");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "expected dtype, shape");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"more\":1}}", 4,
            "expected dtype, shape");
    refused("{\"a\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "unknown type");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "not a count");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, "not a count");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}",
            0, "overflows");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}", 0,
            "expected 4611686018427387904 values");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,4]}}",
            4, "header: ");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4,
            "expected within 0 to 4");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4,
            "expected within");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 4,
            "expected within");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
            "expected 2 values");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
            "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
            12, "overlap");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
            "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
            12, "hole");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 8,
            "the end of the file");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
            "9 dimensions");
}

static void header_length(void **state)
{
    (void)state;
    ig_safetensors s;
    ig_err err;
    uint8_t p[32] = {0};
    assert_int_equal(ig_safetensors_parse(&s, p, 0, "x", &err), IG_ERR_INPUT);
    assert_int_equal(ig_safetensors_parse(&s, p, 7, "x", &err), IG_ERR_INPUT);
    assert_int_equal(ig_safetensors_parse(&s, p, 32, "x", &err), IG_ERR_INPUT); /* no header */
    memset(p, 0xff, 8);
    assert_int_equal(ig_safetensors_parse(&s, p, 32, "x", &err), IG_ERR_INPUT);
    memset(p, 0, 8);
    p[0] = 25; /* one byte more than there is */
    assert_int_equal(ig_safetensors_parse(&s, p, 32, "x", &err), IG_ERR_INPUT);
    assert_non_null(strstr(err.msg, "at most 24"));
}

static void cut_anywhere(void **state)
{
    (void)state;
    int64_t size;
    ig_safetensors s;
    ig_err err;
    uint8_t *p =
        image("{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}}", 8, &size);
    for (int64_t n = 0; n < size; n++) {
        /* A block of its own size, so that the sanitizer sees a read beyond. */
        uint8_t *exact = calloc(1, n > 0 ? (size_t)n : 1);
        memcpy(exact, p, (size_t)n);
        assert_int_equal(ig_safetensors_parse(&s, exact, n, "cut", &err), IG_ERR_INPUT);
        free(exact);
    }
    assert_ok(ig_safetensors_parse(&s, p, size, "whole", &err), &err);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.tensors[0].count, 2);
    ig_safetensors_close(&s);
    free(p);
}

static void round_trip(void **state)
{
    (void)state;
    char path[] = "/tmp/isoglot-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    float a[6] = {1, -2.5f, 0x1p-149f, -0.0f, INFINITY, 3.14159274f}, b[1] = {7};
    const ig_tensor_out out[] = {{"z.weight", a, 2, 3}, {"empty", b, 0, 4}, {"a.bias", b, 1, 0}};
    uint64_t hash = 1;
    ig_err err;
    assert_ok(ig_safetensors_write(path, out, 3, NULL, &hash, &err), &err);
    assert_int_equal(hash, ig_hash(b, 4, ig_hash(b, 0, ig_hash(a, 24, 0))));
    ig_safetensors s;
    assert_ok(ig_safetensors_open(&s, path, &err), &err);
    assert_int_equal(s.n, 3);
    assert_string_equal(s.tensors[0].name, "a.bias");
    const ig_safetensor *t = ig_safetensors_find(&s, "z.weight");
    assert_non_null(t);
    assert_int_equal(t->n_dim, 2);
    assert_int_equal(t->shape[0], 2);
    assert_int_equal(t->shape[1], 3);
    assert_int_equal((t->data - s.map.data) % 8, 0);
    float back[6];
    assert_ok(ig_safetensors_read(&s, t, back, &err), &err);
    assert_memory_equal(back, a, sizeof a);
    assert_int_equal(ig_safetensors_find(&s, "a.bias")->n_dim, 1);
    assert_null(ig_safetensors_find(&s, "a.bia"));
    ig_safetensors_close(&s);
    unlink(path);
}

/* Every finite half against sign · 2^(e−15) · 1.f; bfloat16 is the upper half of a float. */
static void half_precision(void **state)
{
    (void)state;
    int64_t size;
    ig_safetensors s;
    ig_err err;
    static float out[65536];
    uint8_t *p = image("{\"h\":{\"dtype\":\"F16\",\"shape\":[65536],\"data_offsets\":[0,131072]}}",
                       131072, &size);
    for (uint32_t i = 0; i < 65536; i++) {
        p[size - 131072 + 2 * i] = (uint8_t)i;
        p[size - 131072 + 2 * i + 1] = (uint8_t)(i >> 8);
    }
    assert_ok(ig_safetensors_parse(&s, p, size, "half", &err), &err);
    assert_ok(ig_safetensors_read(&s, &s.tensors[0], out, &err), &err);
    for (uint32_t i = 0; i < 65536; i++) {
        int e = (int)(i >> 10 & 31);
        double f = (double)(i & 1023), sign = (i & 0x8000) != 0 ? -1 : 1;
        if (e == 31) {
            assert_true((i & 1023) == 0 ? (double)out[i] == sign * (double)INFINITY
                                        : isnan(out[i]));
            continue;
        }
        double want = sign * (e == 0 ? ldexp(f, -24) : ldexp(1024 + f, e - 25));
        assert_true((double)out[i] == want && (signbit(out[i]) != 0) == (sign < 0));
    }
    ig_safetensors_close(&s);
    memcpy(strstr((char *)p + 8, "F16\","), "F16\" ",
           5); /* still well-formed? no: a comma is gone */
    assert_int_equal(ig_safetensors_parse(&s, p, size, "half", &err), IG_ERR_INPUT);
    free(p);

    p = image("{\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},"
              "\"i\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
              8, &size);
    const uint8_t values[4] = {0x80, 0x3f, 0x49, 0xc0};
    memcpy(p + size - 8, values, 4);
    assert_ok(ig_safetensors_parse(&s, p, size, "bf16", &err), &err);
    assert_ok(ig_safetensors_read(&s, ig_safetensors_find(&s, "b"), out, &err), &err);
    assert_true(out[0] == 1.0f && out[1] == -3.140625f);
    assert_int_equal(ig_safetensors_read(&s, ig_safetensors_find(&s, "i"), out, &err),
                     IG_ERR_INPUT);
    ig_safetensors_close(&s);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_headers), cmocka_unit_test(header_length),
        cmocka_unit_test(cut_anywhere),    cmocka_unit_test(round_trip),
        cmocka_unit_test(half_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
