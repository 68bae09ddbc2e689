/* SPDX-License-Identifier: Apache-2.0
 *
 * trainer.state, version 1, little-endian:
 *   0   "isogtrn\n"      8 bytes
 *   8   version, n_field two uint32
 *   16  n_field 64-bit fields, in the order of fields[] below; where languages have parts of their
 *       own, an int64 for each: its updates
 *   …   n_value          int64: parameters of the model, then m and v, n_value float32 each,
 * tensors in the model's order without gaps …   checksum         ig_hash of everything before it,
 * seed 0
 */
#include "train/train_state.h"

#include "base/file.h"
#include "base/memory.h"
#include "model/bert_params.h"

#include <stddef.h>
#include <string.h>

static const char magic[8] = {'i', 's', 'o', 'g', 't', 'r', 'n', '\n'};
enum { VERSION = 1, HEAD = 16, CHUNK = 1 << 20 };

static const size_t fields[] = {
    offsetof(ig_train_state, update),       offsetof(ig_train_state, weights_hash),
    offsetof(ig_train_state, log_bytes),    offsetof(ig_train_state, loss),
    offsetof(ig_train_state, n_pred),       offsetof(ig_train_state, n_right),
    offsetof(ig_train_state, n_token),      offsetof(ig_train_state, seconds),
    offsetof(ig_train_state, line_seconds), offsetof(ig_train_state, line_loss),
    offsetof(ig_train_state, total_token),  offsetof(ig_train_state, total_flop)};
enum { N_FIELD = sizeof fields / sizeof *fields, PREFIX = HEAD + 8 * N_FIELD + 8 };

/* Allocates a buffer for the numbers of any parameter. */
static ig_code make_room(float **out, const ig_bert *model, ig_err *err)
{
    const ig_bert_param *p = ig_bert_params(model);
    int64_t most = 0;
    for (int i = 0; i < ig_bert_n_param(model); i++)
        if ((int64_t)p[i].rows * p[i].cols > most)
            most = (int64_t)p[i].rows * p[i].cols;
    return ig_alloc(out, most, sizeof **out, "state of the training", err);
}

static ig_code weights_hash(uint64_t *hash, const ig_bert *model, ig_err *err)
{
    const ig_bert_param *p = ig_bert_params(model);
    IG_OWNED float *values = NULL;
    IG_TRY(make_room(&values, model, err));
    *hash = 0;
    for (int i = 0; i < ig_bert_n_param(model); i++) {
        ig_bert_get_values(model, &p[i], values);
        *hash = ig_hash(values, 4 * (int64_t)p[i].rows * p[i].cols, *hash);
    }
    return IG_ERR_OK;
}

bool ig_train_weights_finite(const ig_bert *model)
{
    return ig_bert_not_finite(model, ig_bert_weights((ig_bert *)(uintptr_t)model)) == NULL;
}

/* Number of languages whose parts have their own counts: 0 in a model that shares everything. */
static int own_parts(const ig_bert *model)
{
    const int n = ig_bert_n_language(ig_bert_get_config(model));
    return n > 1 ? n : 0;
}

/* `values`: a buffer for those of a parameter. */
static ig_code put_all(ig_hashed_out *w, const ig_train_state *s, ig_optimizer *o,
                       const ig_bert *model, float *values, ig_err *err)
{
    const int n_language = own_parts(model);
    const uint32_t head[2] = {VERSION, (uint32_t)(N_FIELD + n_language)};
    IG_TRY(ig_hashed_put(w, magic, sizeof magic, err));
    IG_TRY(ig_hashed_put(w, head, sizeof head, err));
    for (int i = 0; i < N_FIELD; i++)
        IG_TRY(ig_hashed_put(w, (const uint8_t *)s + fields[i], 8, err));
    if (n_language > 0)
        IG_TRY(ig_hashed_put(w, ig_optimizer_language_steps(o), 8 * (int64_t)n_language, err));
    IG_TRY(ig_hashed_put(w, &s->n_value, 8, err));
    const ig_bert_param *p = ig_bert_params(model);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ig_bert_n_param(model); i++)
            if (!p[i].frozen) {
                ig_optimizer_get_moment(o, k, &p[i], values);
                IG_TRY(ig_hashed_put(w, values, 4 * (int64_t)p[i].rows * p[i].cols, err));
            }
    IG_TRY(ig_hashed_flush(w, err));
    return ig_out_write(&w->out, &w->hash, 8, err);
}

ig_code ig_train_state_write(const char *dir, ig_train_state *s, ig_optimizer *o,
                             const ig_bert *model, ig_err *err)
{
    ig_hashed_out w = {.size = CHUNK};
    float *values = NULL;
    char *path;
    IG_TRY(ig_path_join(&path, dir, "trainer.state", err));
    s->n_value = ig_bert_n_value(model);
    ig_code code = weights_hash(&s->weights_hash, model, err);
    IG_THEN(code, ig_alloc(&w.block, CHUNK, 1, "state of the training", err));
    IG_THEN(code, make_room(&values, model, err));
    IG_THEN(code, ig_out_open(&w.out, path, err));
    IG_THEN(code, ig_out_close(&w.out, put_all(&w, s, o, model, values, err), err));
    IG_FREE(path, w.block, values);
    return code;
}

ig_code ig_train_state_parse(const uint8_t *data, int64_t size, const char *where,
                             ig_train_state *s, ig_err *err)
{
    uint32_t head[2];
    *s = (ig_train_state){0};
    if (size < PREFIX + 8 || memcmp(data, magic, sizeof magic) != 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "not the state of a training");
    memcpy(head, data + 8, sizeof head);
    const int64_t n_more = (int64_t)head[1] - N_FIELD;
    if (head[0] != VERSION || n_more < 0 || n_more > IG_BERT_MAX_LANGUAGE || n_more == 1)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "state version %u with %u fields, expected %d with %d", head[0], head[1],
                       VERSION, (int)N_FIELD);
    const int64_t prefix = PREFIX + 8 * n_more;
    if (size < prefix + 8)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "not the state of a training");
    int64_t n, room = size - prefix - 8;
    memcpy(&n, data + prefix - 8, 8);
    if (n < 0 || n > room / 8 || 8 * n != room)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "%lld bytes, expected room for the moments of %lld values", (long long)size,
                       (long long)n);
    uint64_t sum;
    memcpy(&sum, data + size - 8, 8);
    if (sum != ig_hash_blocks(data, size - 8, CHUNK))
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "the checksum does not match: the file is damaged");
    for (int i = 0; i < N_FIELD; i++)
        memcpy((uint8_t *)s + fields[i], data + HEAD + 8 * i, 8);
    if (s->update < 0 || s->log_bytes < 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "negative counts in the state");
    s->n_language = n_more;
    memcpy(s->language_step, data + HEAD + 8 * N_FIELD, 8 * (size_t)n_more);
    s->n_value = n;
    s->values = data + prefix;
    return IG_ERR_OK;
}

ig_code ig_train_state_read(const char *dir, int64_t update, ig_train_state *s, ig_optimizer *o,
                            const ig_bert *model, ig_err *err)
{
    ig_map map = {0};
    IG_OWNED char *path = NULL;
    const int64_t want = ig_bert_n_value(model);
    uint64_t hash = 0;
    IG_OWNED float *values = NULL;
    IG_TRY(ig_path_join(&path, dir, "trainer.state", err));
    ig_code code = ig_map_open(&map, path, err);
    IG_THEN(code, ig_train_state_parse(map.data, map.size, path, s, err));
    if (code == IG_ERR_OK && s->n_value != want)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "moments of %lld values, expected %lld",
                       (long long)s->n_value, (long long)want);
    if (code == IG_ERR_OK && s->n_language != own_parts(model))
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "counts of %lld languages, expected %d as the model has parts for",
                       (long long)s->n_language, own_parts(model));
    IG_THEN(code, weights_hash(&hash, model, err));
    if (code == IG_ERR_OK && s->weights_hash != hash)
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "the state belongs to other weights than those beside it");
    if (code == IG_ERR_OK && s->update != update)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "state of update %lld, expected %lld",
                       (long long)s->update, (long long)update);
    IG_THEN(code, make_room(&values, model, err));
    if (code == IG_ERR_OK) {
        const ig_bert_param *p = ig_bert_params(model);
        const uint8_t *at = s->values;
        memcpy(ig_optimizer_language_steps(o), s->language_step, sizeof s->language_step);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < ig_bert_n_param(model); i++) {
                size_t bytes = p[i].frozen ? 0 : 4 * (size_t)p[i].rows * (size_t)p[i].cols;
                if (bytes > 0) {
                    memcpy(values, at, bytes); /* aligned */
                    ig_optimizer_set_moment(o, k, &p[i], values);
                }
                at += bytes;
            }
    }
    s->values = NULL;
    ig_map_close(&map);
    return code;
}
