/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the files of weights. A tensor of PyTorch's whose numbers lie in order is read in place;
 * another, a transposed matrix for example, is copied.
 */
#include "model/weight_files.h"

#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/strings/encoding.h"
#include "model/torch/torch_pickle.h"
#include "model/torch/torch_zip.h"

#include <stdio.h>
#include <string.h>

/* In transformers' order. */
static const struct {
    const char *name;
    bool index, torch;
} forms[] = {{"model.safetensors", false, false},
             {"model.safetensors.index.json", true, false},
             {"pytorch_model.bin", false, true},
             {"pytorch_model.bin.index.json", true, true}};
enum { N_FORM = sizeof forms / sizeof *forms, MOST_FILES = 1000 };

/* --- files */

static ig_code add_path(ig_weights_files *f, int64_t *have, const char *dir, const char *name,
                        ig_err *err)
{
    IG_TRY(ig_grow(&f->path, have, (int64_t)f->n + 1, sizeof *f->path, "files", err));
    IG_TRY(ig_path_join(&f->path[f->n], dir, name, err));
    f->n++;
    return IG_ERR_OK;
}

/* {"weight_map": {tensor: file}}: each file once. */
static ig_code read_index(ig_weights_files *f, int64_t *have, const char *dir, ig_err *err)
{
    json_t *file;
    json_auto_t *j = NULL;
    const char *tensor;
    IG_TRY(ig_json_read(&j, f->path[0], err));
    const json_t *map = json_object_get(j, "weight_map");
    IG_TRY(json_object_size(map) > 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, f->path[0], 0,
                         "found no \"weight_map\", expected a file for each tensor"));
    json_object_foreach((json_t *)(uintptr_t)map, tensor, file)
    {
        const char *name = json_string_value(file);
        bool known = false;
        if (name == NULL || name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL ||
            f->n > MOST_FILES)
            return ig_fail(err, IG_ERR_INPUT, f->path[0], 0,
                           "the file of \"%.100s\" is '%.100s', expected one of at most %d beside "
                           "the index",
                           tensor, name != NULL ? name : "", MOST_FILES);
        for (int i = 1; i < f->n && !known; i++)
            known = strcmp(strrchr(f->path[i], '/') + 1, name) == 0;
        if (!known)
            IG_TRY(add_path(f, have, dir, name, err));
    }
    return IG_ERR_OK;
}

/* `form`: which. */
static ig_code find(ig_weights_files *f, int *form, const char *dir, ig_err *err)
{
    int64_t have = 0;
    *f = (ig_weights_files){0};
    for (*form = 0; *form < N_FORM; ++*form) {
        IG_TRY(add_path(f, &have, dir, forms[*form].name, err));
        if (ig_file_exists(f->path[0]))
            break;
        ig_free(f->path[--f->n]);
    }
    if (*form == N_FORM) {
        *form = 0;
        return add_path(f, &have, dir, forms[0].name, err);
    }
    f->index = forms[*form].index;
    return f->index ? read_index(f, &have, dir, err) : IG_ERR_OK;
}

ig_code ig_weights_find(ig_weights_files *f, const char *dir, ig_err *err)
{
    int form;
    return find(f, &form, dir, err);
}

void ig_weights_files_free(ig_weights_files *f)
{
    ig_free_list(f->path, f->n);
    *f = (ig_weights_files){0};
}

/* --- PyTorch */

static bool in_order(const ig_torch_tensor *t)
{
    int64_t step = 1;
    for (int i = t->n_dim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->stride[i] != step)
            return t->count == 0;
        step *= t->shape[i];
    }
    return true;
}

/* The numbers in the order of the shape. */
static void copy_in_order(uint8_t *out, const uint8_t *storage, const ig_torch_tensor *t)
{
    int64_t at[IG_TORCH_MAX_DIM] = {0};
    for (int64_t i = 0; i < t->count; i++) {
        int64_t from = t->offset;
        for (int k = 0; k < t->n_dim; k++)
            from += at[k] * t->stride[k];
        memcpy(out + i * t->item, storage + from * t->item, (size_t)t->item);
        for (int k = t->n_dim - 1; k >= 0 && ++at[k] == t->shape[k]; k--)
            at[k] = 0;
    }
}

static ig_code copy(const uint8_t **out, ig_safetensors *s, const uint8_t *storage,
                    const ig_torch_tensor *t, ig_err *err)
{
    void *own;
    IG_TRY(ig_grow(&s->owned, &s->have_owned, (int64_t)s->n_owned + 1, sizeof *s->owned, "tensors",
                   err));
    IG_TRY(ig_alloc(&own, t->count, (size_t)t->item, "tensor", err));
    s->owned[s->n_owned++] = own;
    copy_in_order(own, storage, t);
    *out = own;
    return IG_ERR_OK;
}

/* The file's own folder in the zip: "archive/" of archive/data.pkl. */
static const ig_zip_member *find_pickle(const ig_zip *z, int64_t *n_folder)
{
    static const char name[] = "data.pkl";
    for (int64_t i = 0; i < z->n; i++) {
        const ig_zip_member *m = &z->member[i];
        const int64_t n = m->n_name - (int64_t)sizeof name + 1;
        if (n > 0 && m->name[n - 1] == '/' && memcmp(m->name + n, name, sizeof name - 1) == 0) {
            *n_folder = n;
            return m;
        }
    }
    return NULL;
}

/* Copies may take so many times the bytes of the file. */
enum { MOST_COPIES = 4 };

static ig_code take_tensor(ig_safetensors *s, const ig_torch_tensor *from, const ig_zip *z,
                           const ig_zip_member *pickle, int64_t n_folder, int64_t *room,
                           ig_err *err)
{
    char key[300];
    ig_safetensor *t = &s->tensors[s->n];
    snprintf(key, sizeof key, "data/%.*s", (int)(from->n_key < 250 ? from->n_key : 250), from->key);
    const ig_zip_member *m = ig_zip_find(z, pickle->name, n_folder, key);
    if (m == NULL || from->n_storage > m->size / from->item)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "tensor \"%.*s\": found %lld bytes in %.60s, expected %lld numbers of %d",
                       (int)from->n_name, from->name, m == NULL ? 0LL : (long long)m->size, key,
                       (long long)from->n_storage, from->item);
    IG_TRY(ig_alloc(&t->name, from->n_name + 1, 1, "tensor name", err));
    s->n++; /* counted first, so that close frees the name */
    if (from->n_name > 0)
        memcpy(t->name, from->name, (size_t)from->n_name);
    snprintf(t->dtype, sizeof t->dtype, "%s", from->dtype);
    t->n_dim = from->n_dim;
    memcpy(t->shape, from->shape, sizeof t->shape);
    t->count = from->count;
    t->size = from->count * from->item;
    t->data = m->data + (from->count > 0 ? from->offset * from->item : 0);
    if (in_order(from))
        return IG_ERR_OK;
    *room -= t->size;
    return *room < 0 ? ig_fail(err, IG_ERR_INPUT, s->where, 0,
                               "tensor \"%.100s\": tensors not in order have %d times the file's "
                               "numbers",
                               t->name, MOST_COPIES)
                     : copy(&t->data, s, m->data, from, err);
}

static ig_code take_tensors(ig_safetensors *s, const ig_zip *z, int64_t size, ig_err *err)
{
    int64_t n_folder, room = MOST_COPIES * size;
    IG_SCOPED(ig_torch_tensors_free) ig_torch_tensors t = {0};
    const ig_zip_member *pickle = find_pickle(z, &n_folder);
    if (pickle == NULL)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "found a zip file without data.pkl, expected a state dict of PyTorch");
    const ig_zip_member *order = ig_zip_find(z, pickle->name, n_folder, "byteorder");
    if (order != NULL && (order->size != 6 || memcmp(order->data, "little", 6) != 0))
        return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                       "found another order of bytes, expected little-endian numbers");
    IG_TRY(ig_torch_pickle_parse(&t, pickle->data, pickle->size, s->where, err));
    IG_TRY(ig_alloc(&s->tensors, t.n, sizeof *s->tensors, "tensor list", err));
    for (int i = 0; i < t.n; i++)
        IG_TRY(take_tensor(s, &t.tensor[i], z, pickle, n_folder, &room, err));
    return IG_ERR_OK;
}

ig_code ig_torch_parse(ig_safetensors *s, const uint8_t *data, int64_t size, const char *where,
                       ig_err *err)
{
    ig_zip z = {0};
    *s = (ig_safetensors){0};
    snprintf(s->where, sizeof s->where, "%s", where);
    if (size < 4 || memcmp(data, "PK\3\4", 4) != 0) {
        IG_TRY(ig_check_pointer(data, size, where, err));
        ig_fail(err, IG_ERR_INPUT, where, 0, "found %s, expected a zip file of PyTorch",
                size > 1 && data[0] == 0x80 ? "a pickle of before PyTorch 1.6" : "no zip file");
        return ig_hint(err,
                       "python -c \"import torch as t; f='%.60s'; t.save(t.load(f, "
                       "weights_only=True), f)\" writes one",
                       strrchr(where, '/') != NULL ? strrchr(where, '/') + 1 : where);
    }
    ig_code code = ig_zip_parse(&z, data, size, where, err);
    IG_THEN(code, take_tensors(s, &z, size, err));
    ig_zip_free(&z);
    if (code != IG_ERR_OK)
        ig_safetensors_close(s);
    return code;
}

static ig_code open_torch(ig_safetensors *s, const char *path, ig_err *err)
{
    ig_map map;
    *s = (ig_safetensors){0};
    IG_TRY(ig_map_open(&map, path, err));
    const ig_code code = ig_torch_parse(s, map.data, map.size, path, err);
    if (code != IG_ERR_OK)
        ig_map_close(&map);
    else
        s->map = map;
    return code;
}

/* --- several files */

/* Each tensor of the index is in the file that it names. */
static ig_code check_index(const ig_safetensors *part, const ig_weights_files *f, ig_err *err)
{
    json_t *file;
    json_auto_t *j = NULL;
    const char *tensor;
    IG_TRY(ig_json_read(&j, f->path[0], err));
    json_object_foreach(json_object_get(j, "weight_map"), tensor, file)
    {
        int i = 1;
        while (i < f->n && strcmp(strrchr(f->path[i], '/') + 1, json_string_value(file)) != 0)
            i++;
        if (i == f->n || ig_safetensors_find(&part[i - 1], tensor) == NULL)
            return ig_fail(err, IG_ERR_INPUT, f->path[0], 0,
                           "tensor \"%.100s\" is not in %.100s, where the index has it", tensor,
                           json_string_value(file));
    }
    return IG_ERR_OK;
}

/* The tensors of all parts, which give their names to it. */
static ig_code merge(ig_safetensors *s, ig_err *err)
{
    int64_t n = 0;
    for (int i = 0; i < s->n_part; i++)
        n += s->part[i].n;
    if (n > INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0, "%lld tensors", (long long)n);
    IG_TRY(ig_alloc(&s->tensors, n, sizeof *s->tensors, "tensor list", err));
    for (int i = 0; i < s->n_part; i++) {
        ig_safetensors *part = &s->part[i];
        if (part->n > 0)
            memcpy(s->tensors + s->n, part->tensors, (size_t)part->n * sizeof *s->tensors);
        s->n += part->n;
        part->n = 0;
    }
    ig_safetensors_sort(s);
    for (int i = 1; i < s->n; i++)
        if (strcmp(s->tensors[i].name, s->tensors[i - 1].name) == 0)
            return ig_fail(err, IG_ERR_INPUT, s->where, 0, "tensor \"%.100s\" is in two files",
                           s->tensors[i].name);
    return IG_ERR_OK;
}

static ig_code open_parts(ig_safetensors *s, const ig_weights_files *f, bool torch, ig_err *err)
{
    *s = (ig_safetensors){0};
    snprintf(s->where, sizeof s->where, "%s", f->path[0]);
    ig_code code = ig_alloc(&s->part, f->n - 1, sizeof *s->part, "files", err);
    for (int i = 1; i < f->n && code == IG_ERR_OK; i++) {
        code = (torch ? open_torch : ig_safetensors_open)(&s->part[i - 1], f->path[i], err);
        s->n_part += code == IG_ERR_OK;
    }
    IG_THEN(code, check_index(s->part, f, err));
    IG_THEN(code, merge(s, err));
    if (code != IG_ERR_OK)
        ig_safetensors_close(s);
    return code;
}

ig_code ig_weights_open(ig_safetensors *s, const char *dir, ig_err *err)
{
    IG_SCOPED(ig_weights_files_free) ig_weights_files f = {0};
    int form;
    *s = (ig_safetensors){0};
    IG_TRY(find(&f, &form, dir, err));
    return f.index ? open_parts(s, &f, forms[form].torch, err)
                   : (forms[form].torch ? open_torch : ig_safetensors_open)(s, f.path[0], err);
}

ig_code ig_weights_sha256(char hex[IG_SHA256_HEX], const char *dir, ig_err *err)
{
    ig_weights_files f;
    ig_sha256 *all;
    ig_code code = ig_weights_find(&f, dir, err);
    if (code == IG_ERR_OK && !f.index)
        code = ig_sha256_file(hex, f.path[0], err);
    if (code == IG_ERR_OK && f.index) {
        code = ig_sha256_new(&all, err);
        if (code == IG_ERR_OK) {
            for (int i = 0; i < f.n && code == IG_ERR_OK; i++) {
                code = ig_sha256_file(hex, f.path[i], err);
                IG_THEN(code, ig_sha256_add(all, hex, IG_SHA256_HEX - 1, err));
            }
            const ig_code end = ig_sha256_end(all, hex, code == IG_ERR_OK ? err : NULL);
            code = code == IG_ERR_OK ? end : code;
        }
    }
    ig_weights_files_free(&f);
    return code;
}
