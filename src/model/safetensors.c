/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes safetensors files. The rules are those of the format's own description: offsets
 * are relative to the byte after the header, tensors fill the rest of the file without overlap or
 * hole.
 */
#include "model/safetensors.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/strings/encoding.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 100 * 1000 * 1000 };
static const char model_key[] = "isoglot.model";

static const struct {
    const char *name;
    int size;
} dtypes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8},     {"I64", 8},
              {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U8", 1},      {"U16", 2},
              {"U32", 4}, {"U64", 8}, {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

static int dtype_size(const char *name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return dtypes[i].size;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ig_safetensor *)a)->name, ((const ig_safetensor *)b)->name);
}

typedef struct {
    int64_t begin, end;
    const char *name;
} span;

/* Empty tensors sort before a tensor that starts at the same byte. */
static int by_place(const void *a, const void *b)
{
    const span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The bytes after the header. */
typedef struct {
    const uint8_t *bytes;
    int64_t n_bytes;
    const char *where;
} payload;

/* Other keys belong to other programs. */
static void read_metadata(ig_safetensors *s, json_t *metadata)
{
    s->metadata = json_incref(metadata);
    const char *model = json_string_value(json_object_get(metadata, model_key));
    if (model != NULL && strlen(model) < sizeof s->model)
        strcpy(s->model, model);
}

static ig_code read_entry(ig_safetensor *t, const char *name, const json_t *entry, const payload *f,
                          ig_err *err)
{
    const json_t *dtype = json_object_get(entry, "dtype"), *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    if (!json_is_string(dtype) || !json_is_array(shape) || !json_is_array(offsets) ||
        json_array_size(offsets) != 2 || json_object_size(entry) != 3)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "tensor \"%.100s\": expected dtype, shape and two data_offsets", name);
    const char *type = json_string_value(dtype);
    int size = dtype_size(type);
    if (size == 0)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0, "tensor \"%.100s\": unknown type \"%.40s\"",
                       name, type);
    size_t n_dim = json_array_size(shape);
    if (n_dim > IG_SAFETENSORS_MAX_DIM)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "tensor \"%.100s\": %zu dimensions, expected at most %d", name, n_dim,
                       IG_SAFETENSORS_MAX_DIM);
    t->n_dim = (int)n_dim;
    t->count = 1;
    for (size_t i = 0; i < n_dim; i++) {
        const json_t *d = json_array_get(shape, i);
        if (!json_is_integer(d) || json_integer_value(d) < 0)
            return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                           "tensor \"%.100s\": dimension %zu is not a count", name, i);
        t->shape[i] = (int64_t)json_integer_value(d);
        if (__builtin_mul_overflow(t->count, t->shape[i], &t->count))
            return ig_fail(err, IG_ERR_INPUT, f->where, 0, "tensor \"%.100s\": its size overflows",
                           name);
    }
    const json_t *b = json_array_get(offsets, 0), *e = json_array_get(offsets, 1);
    if (!json_is_integer(b) || !json_is_integer(e))
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "tensor \"%.100s\": data_offsets are not integers", name);
    int64_t begin = (int64_t)json_integer_value(b), end = (int64_t)json_integer_value(e);
    if (begin < 0 || end < begin || end > f->n_bytes)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "tensor \"%.100s\": bytes %lld to %lld, expected within 0 to %lld", name,
                       (long long)begin, (long long)end, (long long)f->n_bytes);
    int64_t want;
    if (__builtin_mul_overflow(t->count, (int64_t)size, &want) || want != end - begin)
        return ig_fail(err, IG_ERR_INPUT, f->where, 0,
                       "tensor \"%.100s\": %lld bytes, expected %lld values of %s", name,
                       (long long)(end - begin), (long long)t->count, type);
    memcpy(t->dtype, type, strlen(type) + 1);
    t->data = f->bytes + begin;
    t->size = end - begin;
    size_t length = strlen(name) + 1;
    IG_TRY(ig_alloc(&t->name, (int64_t)length, 1, "tensor name", err));
    memcpy(t->name, name, length);
    return IG_ERR_OK;
}

static ig_code check_cover(const ig_safetensors *s, const uint8_t *bytes, int64_t n_bytes,
                           ig_err *err)
{
    IG_OWNED span *spans = NULL;
    IG_TRY(ig_alloc(&spans, s->n, sizeof *spans, "tensor places", err));
    for (int i = 0; i < s->n; i++) {
        int64_t begin = s->tensors[i].data - bytes;
        spans[i] = (span){begin, begin + s->tensors[i].size, s->tensors[i].name};
    }
    qsort(spans, (size_t)s->n, sizeof *spans, by_place);
    int64_t at = 0;
    for (int i = 0; i < s->n; i++) {
        if (spans[i].begin != at)
            return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                           "tensor \"%.100s\" begins at byte %lld, expected %lld: tensors %s",
                           spans[i].name, (long long)spans[i].begin, (long long)at,
                           spans[i].begin < at ? "overlap" : "leave a hole");
        at = spans[i].end;
    }
    if (at != n_bytes)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "tensors end at byte %lld, expected %lld, the end of the file",
                       (long long)at, (long long)n_bytes);
    return IG_ERR_OK;
}

ig_code ig_safetensors_parse(ig_safetensors *s, const uint8_t *data, int64_t size,
                             const char *where, ig_err *err)
{
    *s = (ig_safetensors){0};
    snprintf(s->where, sizeof s->where, "%s", where);
    if (size < 8)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "%lld bytes, expected a safetensors header",
                       (long long)size);
    IG_TRY(ig_check_pointer(data, size, where, err));
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | data[i];
    if (length > HEADER_MAX || (int64_t)length > size - 8)
        return ig_fail(
            err, IG_ERR_INPUT, where, 0,
            "header of %llu bytes, expected at most %lld (not a safetensors file, or cut off)",
            (unsigned long long)length, (long long)(size - 8 < HEADER_MAX ? size - 8 : HEADER_MAX));
    if (length == 0 || data[8] != '{')
        return ig_fail(err, IG_ERR_INPUT, where, 0, "the header is not a JSON object");
    json_error_t why;
    json_t *header;
    ig_code code = ig_json_load(&header, (const char *)data + 8, (int64_t)length,
                                JSON_REJECT_DUPLICATES, &why, where, err);
    if (code != IG_ERR_OK && code != IG_ERR_INPUT)
        return code;
    if (!json_is_object(header)) {
        json_decref(header);
        return ig_fail(err, IG_ERR_INPUT, where, 0, "header: %s at byte %d", why.text,
                       8 + why.position);
    }
    const uint8_t *bytes = data + 8 + length;
    int64_t n_bytes = size - 8 - (int64_t)length;
    code = ig_alloc(&s->tensors, (int64_t)json_object_size(header), sizeof *s->tensors,
                    "tensor list", err);
    const char *name;
    json_t *entry;
    if (code == IG_ERR_OK) {
        json_object_foreach(header, name, entry)
        {
            if (strcmp(name, "__metadata__") == 0) {
                read_metadata(s, entry);
                continue;
            }
            s->n++; /* counted first, so that close frees a name that was made */
            code = read_entry(&s->tensors[s->n - 1], name, entry, &(payload){bytes, n_bytes, where},
                              err);
            if (code != IG_ERR_OK)
                break;
        }
    }
    json_decref(header);
    IG_THEN(code, check_cover(s, bytes, n_bytes, err));
    if (code != IG_ERR_OK) {
        ig_safetensors_close(s);
        return code;
    }
    ig_safetensors_sort(s);
    return IG_ERR_OK;
}

void ig_safetensors_sort(ig_safetensors *s)
{
    if (s->n > 0)
        qsort(s->tensors, (size_t)s->n, sizeof *s->tensors, by_name);
}

ig_code ig_safetensors_open(ig_safetensors *s, const char *path, ig_err *err)
{
    *s = (ig_safetensors){0};
    ig_map map;
    IG_TRY(ig_map_open(&map, path, err));
    ig_code code = ig_safetensors_parse(s, map.data, map.size, path, err);
    if (code != IG_ERR_OK) {
        ig_map_close(&map);
        return code;
    }
    s->map = map;
    return IG_ERR_OK;
}

void ig_safetensors_close(ig_safetensors *s)
{
    for (int i = 0; i < s->n; i++)
        ig_free(s->tensors[i].name);
    ig_free(s->tensors);
    json_decref(s->metadata);
    for (int i = 0; i < s->n_part; i++)
        ig_safetensors_close(&s->part[i]);
    ig_free(s->part);
    ig_free_list(s->owned, s->n_owned);
    ig_map_close(&s->map);
    *s = (ig_safetensors){0};
}

const ig_safetensor *ig_safetensors_find(const ig_safetensors *s, const char *name)
{
    const ig_safetensor wanted = {.name = (char *)(uintptr_t)name};
    return s->n == 0 ? NULL
                     : bsearch(&wanted, s->tensors, (size_t)s->n, sizeof *s->tensors, by_name);
}

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* IEEE 754 binary16 to binary32, exact. */
static float from_half(uint32_t h)
{
    uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 31)
        return from_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0)
        return from_bits(sign | (exponent + 112u) << 23 | fraction << 13);
    float f = (float)fraction * 0x1p-24f;
    return sign != 0 ? -f : f;
}

ig_code ig_safetensors_read(const ig_safetensors *s, const ig_safetensor *t, float *out,
                            ig_err *err)
{
    const uint8_t *p = t->data;
    if (strcmp(t->dtype, "F32") == 0) {
        if (t->size > 0)
            memcpy(out, p, (size_t)t->size);
    } else if (strcmp(t->dtype, "F16") == 0) {
        for (int64_t i = 0; i < t->count; i++)
            out[i] = from_half((uint32_t)p[2 * i] | (uint32_t)p[2 * i + 1] << 8);
    } else if (strcmp(t->dtype, "BF16") == 0) {
        for (int64_t i = 0; i < t->count; i++)
            out[i] = from_bits((uint32_t)p[2 * i] << 16 | (uint32_t)p[2 * i + 1] << 24);
    } else if (strcmp(t->dtype, "F64") == 0) {
        for (int64_t i = 0; i < t->count; i++) {
            double d;
            memcpy(&d, p + 8 * i, sizeof d);
            out[i] = (float)d;
        }
    } else {
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "tensor \"%.100s\" is %s, expected F32, F16, BF16 or F64", t->name,
                       t->dtype);
    }
    return IG_ERR_OK;
}

static int64_t bytes_of(const ig_tensor_out *t)
{
    return 4 * t->rows * (t->cols > 0 ? t->cols : 1);
}

/* Writes bytes; tensors without data go through one buffer. */
static ig_code write_values(ig_out *out, const ig_tensor_out *tensors, int n,
                            const ig_tensor_source *source, uint64_t *hash, ig_err *err)
{
    int64_t most = 0;
    float *room;
    for (int i = 0; i < n; i++)
        if (tensors[i].data == NULL && bytes_of(&tensors[i]) > most)
            most = bytes_of(&tensors[i]);
    IG_TRY(ig_alloc(&room, most, 1, "tensor", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        const float *data = tensors[i].data;
        if (data == NULL) {
            source->get(source->from, i, room);
            data = room;
        }
        code = ig_out_write(out, data, bytes_of(&tensors[i]), err);
        if (hash != NULL)
            *hash = ig_hash(data, bytes_of(&tensors[i]), *hash);
    }
    ig_free(room);
    return code;
}

static ig_code write_file(const char *path, const ig_tensor_out *tensors, int n,
                          const ig_tensor_source *source, const char *model, uint64_t *hash,
                          ig_err *err)
{
    json_t *header = json_pack("{s:{s:s, s:s*}}", "__metadata__", "format", "pt", model_key, model);
    int64_t at = 0;
    bool ok = header != NULL;
    for (int i = 0; i < n && ok; i++) {
        const ig_tensor_out *t = &tensors[i];
        int64_t size = bytes_of(t);
        json_t *entry =
            json_pack("{s:s, s:[I], s:[I,I]}", "dtype", "F32", "shape", (json_int_t)t->rows,
                      "data_offsets", (json_int_t)at, (json_int_t)(at + size));
        ok = entry != NULL &&
             (t->cols == 0 ||
              json_array_append_new(json_object_get(entry, "shape"), json_integer(t->cols)) == 0);
        ok = json_object_set_new(header, t->name, entry) == 0 && ok;
        at += size;
    }
    IG_OWNED char *text = ok ? ig_json_text(header, JSON_COMPACT) : NULL;
    json_decref(header);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory for the header");

    size_t length = strlen(text), padded = (length + 7) / 8 * 8;
    uint8_t prefix[8];
    for (int i = 0; i < 8; i++)
        prefix[i] = (uint8_t)(padded >> (8 * i));
    ig_out out;
    ig_code code = ig_out_open(&out, path, err);
    IG_THEN(code, ig_out_write(&out, prefix, 8, err));
    IG_THEN(code, ig_out_write(&out, text, (int64_t)length, err));
    IG_THEN(code, ig_out_write(&out, "       ", (int64_t)(padded - length), err));
    if (hash != NULL)
        *hash = 0;
    IG_THEN(code, write_values(&out, tensors, n, source, hash, err));
    return ig_out_close(&out, code, err);
}

ig_code ig_safetensors_write(const char *path, const ig_tensor_out *tensors, int n,
                             const ig_tensor_source *source, uint64_t *hash, ig_err *err)
{
    return write_file(path, tensors, n, source, NULL, hash, err);
}

ig_code ig_safetensors_write_of(const char *model, const char *path, const ig_tensor_out *tensors,
                                int n, const ig_tensor_source *source, ig_err *err)
{
    return write_file(path, tensors, n, source, model, NULL, err);
}
