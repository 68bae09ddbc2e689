/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files of states. Every number of the header is checked by the safetensors reader before; a
 * row is converted at a time, so that a file in half precision is not in memory twice.
 */
#include "apply/states_file.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "model/safetensors.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MOST_LAYER = 1024, MOST_SIZE = 1 << 20 };

/* An open file with its ids as strings; n_id 0: it has none. */
typedef struct {
    const char *path;
    ig_safetensors file;
    const ig_safetensor *states;
    ig_lexicon id; /* in the order of the rows */
} source;

/* --- ids */

static ig_code add_id(source *s, const char *id, int64_t n, ig_err *err)
{
    const int32_t before = s->id.n;
    int32_t at;
    IG_TRY(ig_lexicon_add(&s->id, id, n, &at, err));
    return at == before
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, s->path, 0,
                         "found the id '%.80s' twice, of texts %d and %d", id, at + 1, before + 1);
}

static ig_code tensor_ids(source *s, const ig_safetensor *t, ig_err *err)
{
    const int size = strcmp(t->dtype, "I64") == 0 ? 8 : strcmp(t->dtype, "I32") == 0 ? 4 : 0;
    if (size == 0 || t->n_dim != 1)
        return ig_fail(err, IG_ERR_INPUT, s->path, 0,
                       "tensor \"ids\" is %s of %d dimensions, expected I64 or I32 of one",
                       t->dtype, t->n_dim);
    for (int64_t i = 0; i < t->count; i++) {
        char text[24];
        int64_t id = 0;
        if (size == 8) {
            memcpy(&id, t->data + 8 * i, sizeof id);
        } else {
            int32_t small;
            memcpy(&small, t->data + 4 * i, sizeof small);
            id = small;
        }
        const int n = snprintf(text, sizeof text, "%lld", (long long)id);
        IG_TRY(add_id(s, text, n, err));
    }
    return IG_ERR_OK;
}

static ig_code metadata_ids(source *s, const char *text, ig_err *err)
{
    while (*text != '\0') {
        char id[256];
        const size_t n = strcspn(text, "\n");
        if (n == 0 || n >= sizeof id)
            return ig_fail(err, IG_ERR_INPUT, s->path, (uint64_t)s->id.n + 1,
                           "metadata \"ids\": an id of %zu bytes, expected 1 to %zu, a line each",
                           n, sizeof id - 1);
        memcpy(id, text, n);
        id[n] = '\0';
        IG_TRY(add_id(s, id, (int64_t)n, err));
        text += n + (text[n] == '\n');
    }
    return IG_ERR_OK;
}

static const char *metadata_text(const source *s, const char *key)
{
    return json_string_value(json_object_get(s->file.metadata, key));
}

static ig_code read_ids(source *s, ig_err *err)
{
    const ig_safetensor *t = ig_safetensors_find(&s->file, "ids");
    const char *text = metadata_text(s, "ids");
    if (t != NULL && text != NULL)
        return ig_fail(err, IG_ERR_INPUT, s->path, 0,
                       "found a tensor \"ids\" and \"ids\" in the metadata, expected one of them");
    if (t != NULL)
        IG_TRY(tensor_ids(s, t, err));
    else if (text != NULL)
        IG_TRY(metadata_ids(s, text, err));
    else
        return IG_ERR_OK;
    return s->id.n == s->states->shape[0]
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, s->path, 0,
                         "%d ids, expected %lld, one for each text of \"states\"", s->id.n,
                         (long long)s->states->shape[0]);
}

/* --- files */

static ig_code open_source(source *s, const char *path, ig_err *err)
{
    s->path = path;
    IG_TRY(ig_safetensors_open(&s->file, path, err));
    const ig_safetensor *t = s->states = ig_safetensors_find(&s->file, "states");
    if (t == NULL)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no tensor \"states\", expected one of texts × layers × hidden");
    if (t->n_dim != 3)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "tensor \"states\" has %d dimensions, expected 3: texts, layers, hidden",
                       t->n_dim);
    if (t->count == 0 || t->shape[0] > INT32_MAX || t->shape[1] > MOST_LAYER ||
        t->shape[2] > MOST_SIZE)
        return ig_fail(
            err, IG_ERR_INPUT, path, 0,
            "tensor \"states\" is %lld × %lld × %lld, expected 1 to %d texts, %d layers, "
            "%d numbers",
            (long long)t->shape[0], (long long)t->shape[1], (long long)t->shape[2], INT32_MAX,
            MOST_LAYER, MOST_SIZE);
    return read_ids(s, err);
}

static ig_code check_shapes(const source *s, const ig_states_files *o, ig_err *err)
{
    for (int k = 1; k < o->n && !o->models; k++)
        for (int i = 1; i < 3; i++)
            if (s[k].states->shape[i] != s[0].states->shape[i])
                return ig_fail(err, IG_ERR_INPUT, s[k].path, 0,
                               "found %lld %s, expected %lld as in %.160s",
                               (long long)s[k].states->shape[i], i == 1 ? "layers" : "numbers",
                               (long long)s[0].states->shape[i], s[0].path);
    for (int k = 1; k < o->n; k++)
        if ((s[k].id.n > 0) != (s[0].id.n > 0))
            return ig_fail(err, IG_ERR_INPUT, s[k].path, 0,
                           "found %s, unlike %.160s: expected ids in all files or in none",
                           s[k].id.n > 0 ? "ids" : "no ids", s[0].path);
    return IG_ERR_OK;
}

/* --- rows */

/* The rows of file k that are taken, row[k][i]: with ids those that all have. */
static ig_code choose(int64_t **row, int64_t *n, ig_file_states *out, const source *s,
                      const ig_states_files *o, ig_err *err)
{
    const bool ids = s[0].id.n > 0;
    out->parallel = out->in_order = !o->unrelated;
    for (int k = 0; k < o->n; k++) {
        n[k] = 0;
        IG_TRY(ig_alloc(&row[k], s[k].states->shape[0], sizeof **row, "texts", err));
        out->parallel = out->parallel && (ids || s[k].states->shape[0] == s[0].states->shape[0]);
    }
    for (int k = 0; k < o->n; k++) {
        const source *from = &s[out->parallel ? 0 : k];
        for (int64_t i = 0; i < from->states->shape[0] && (o->take == 0 || n[k] < o->take); i++) {
            int32_t at = (int32_t)i;
            bool all = true;
            for (int j = 0; j < o->n && ids && out->parallel; j++) {
                const int32_t found =
                    ig_lexicon_find(&s[j].id, ig_lexicon_get(&s[0].id, (int32_t)i),
                                    ig_lexicon_size(&s[0].id, (int32_t)i));
                all = all && found >= 0;
                at = j == k ? found : at;
            }
            if (all) {
                out->in_order = out->in_order && at == n[k];
                row[k][n[k]++] = at;
            }
        }
    }
    return IG_ERR_OK;
}

static ig_code read_rows(ig_text_vectors *v, const source *s, const int64_t *row, int64_t n,
                         ig_err *err)
{
    const ig_safetensor *all = s->states;
    const int64_t per_row = all->shape[1] * all->shape[2];
    IG_OWNED float *values = NULL;
    ig_safetensor one = *all;
    *v = (ig_text_vectors){.n = n, .n_layer = (int)all->shape[1], .d = (int)all->shape[2]};
    one.count = per_row;
    one.size = all->size / all->shape[0];
    IG_TRY(ig_alloc(&v->x, v->n_layer, sizeof *v->x, "sentence vectors", err));
    for (int l = 0; l < v->n_layer; l++)
        IG_TRY(ig_alloc(&v->x[l], n * v->d, sizeof *v->x[l], "sentence vectors", err));
    IG_TRY(ig_alloc(&values, per_row, sizeof *values, "states", err));
    for (int64_t i = 0; i < n; i++) {
        one.data = all->data + row[i] * one.size;
        IG_TRY(ig_safetensors_read(&s->file, &one, values, err));
        for (int64_t j = 0; j < per_row; j++)
            if (!isfinite(values[j]))
                return ig_fail(err, IG_ERR_NUMERIC, s->path, 0,
                               "a state of text %lld, layer %lld is not finite",
                               (long long)row[i] + 1, (long long)(j / v->d));
        for (int l = 0; l < v->n_layer; l++)
            memcpy(v->x[l] + i * v->d, values + (int64_t)l * v->d, (size_t)v->d * sizeof *values);
    }
    return IG_ERR_OK;
}

/* The sentences of the rows. A text's blank lines are none, as those of a text that is read by a
 * model. */
static ig_code read_text(ig_sentence_list *out, const source *s, const ig_named_text *text,
                         const int64_t *row, int64_t n, ig_err *err)
{
    ig_texts t;
    int64_t *start;
    ig_code code =
        ig_texts_read(&t, &(ig_texts_options){.text = text, .n_text = 1, .unrelated = true}, err);
    if (code == IG_ERR_OK && t.of[0].n != s->states->shape[0])
        code = ig_fail(err, IG_ERR_INPUT, text->path, 0,
                       "found %lld sentences, expected %lld, the texts of %.160s",
                       (long long)t.of[0].n, (long long)s->states->shape[0], s->path);
    IG_THEN(code, ig_alloc(&start, n, sizeof *start, "sentences", err));
    if (code != IG_ERR_OK) {
        ig_texts_free(&t);
        return code;
    }
    *out = t.of[0];
    for (int64_t i = 0; i < n; i++)
        start[i] = out->start[row[i]];
    ig_free(out->start);
    out->start = start;
    out->n = out->have = n;
    return IG_ERR_OK;
}

/* The file of a text's language. */
static ig_code find_text(int *k, const ig_states_files *o, const ig_named_text *text, ig_err *err)
{
    for (*k = 0; *k < o->n; ++*k)
        if (strcmp(o->file[*k].name, text->name) == 0)
            return IG_ERR_OK;
    return ig_fail(err, IG_ERR_USAGE, "--text", 0, "found a text of %s, expected a language of %s",
                   text->name, "--states");
}

static ig_code read_sources(ig_file_states *out, const source *s, const ig_states_files *o,
                            int64_t **row, ig_err *err)
{
    int64_t n[IG_NAMED_TEXTS_MAX];
    IG_TRY(check_shapes(s, o, err));
    IG_TRY(choose(row, n, out, s, o, err));
    if (o->parallel && !out->parallel)
        return ig_fail(err, IG_ERR_INPUT, s[0].path, 0,
                       "%lld texts, expected as many in each file, or ids", (long long)n[0]);
    if (!o->unrelated && !out->parallel)
        ig_warn_once("the files of states have different numbers of texts and no ids: they are not "
                     "taken for translations of each other");
    for (int k = 0; k < o->n; k++) {
        if (n[k] < o->least)
            return ig_fail(err, IG_ERR_INPUT, s[k].path, 0,
                           "found %lld text%s%s, expected at least %lld", (long long)n[k],
                           n[k] == 1 ? "" : "s", out->parallel ? " that all files have" : "",
                           (long long)o->least);
        out->n = k + 1; /* counted first: freed after an error, too */
        IG_TRY(read_rows(&out->of[k], &s[k], row[k], n[k], err));
    }
    out->texts.n_language = o->n_text > 0 ? o->n : 0;
    for (int i = 0; i < o->n_text; i++) {
        int k;
        IG_TRY(find_text(&k, o, &o->text[i], err));
        IG_TRY(read_text(&out->texts.of[k], &s[k], &o->text[i], row[k], n[k], err));
    }
    return IG_ERR_OK;
}

static ig_code check_names(const ig_states_files *o, ig_err *err)
{
    for (int k = 0; k < o->n; k++)
        for (int j = o->models ? 1 : 0; j < k; j++)
            if (strcmp(o->file[k].name, o->file[j].name) == 0)
                return ig_fail(err, IG_ERR_USAGE, "--states", 0, "found two files of %s",
                               o->file[k].name);
    for (int k = 0; k < o->n_text; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(o->text[k].name, o->text[j].name) == 0)
                return ig_fail(err, IG_ERR_USAGE, "--text", 0, "found two texts of %s",
                               o->text[k].name);
    return IG_ERR_OK;
}

ig_code ig_file_states_read(ig_file_states *out, const ig_states_files *o, ig_err *err)
{
    source s[IG_NAMED_TEXTS_MAX] = {{0}};
    int64_t *row[IG_NAMED_TEXTS_MAX] = {NULL};
    *out = (ig_file_states){0};
    ig_code code = check_names(o, err);
    for (int k = 0; k < o->n && code == IG_ERR_OK; k++)
        code = open_source(&s[k], o->file[k].path, err);
    IG_THEN(code, read_sources(out, s, o, row, err));
    if (code == IG_ERR_OK) {
        const char *model = metadata_text(&s[0], "model");
        snprintf(out->model, sizeof out->model, "%s", model != NULL ? model : s[0].path);
    }
    for (int k = 0; k < o->n; k++) {
        ig_safetensors_close(&s[k].file);
        ig_lexicon_free(&s[k].id);
        ig_free(row[k]);
    }
    return code;
}

void ig_file_states_free(ig_file_states *f)
{
    for (int k = 0; k < f->n; k++)
        ig_text_vectors_free(&f->of[k]);
    ig_texts_free(&f->texts);
    *f = (ig_file_states){0};
}

/* --- writing */

ig_code ig_states_file_header(const ig_states_writer *w, ig_out *out, ig_err *err)
{
    enum { SIZE = 1024 };
    char header[SIZE];
    const json_int_t n = (json_int_t)w->n, at = n * w->n_layer * w->d * (int64_t)sizeof(float);
    json_t *j = json_pack("{s:{s:s, s:s}, s:{s:s, s:[I,i,i], s:[I,I]}, s:{s:s, s:[I], s:[I,I]}}",
                          "__metadata__", "format", "pt", "model", w->model, "states", "dtype",
                          "F32", "shape", n, w->n_layer, w->d, "data_offsets", (json_int_t)0, at,
                          "ids", "dtype", "I64", "shape", n, "data_offsets", at, at + 8 * n);
    IG_OWNED char *text = j != NULL ? ig_json_text(j, JSON_COMPACT) : NULL;
    const size_t length = text != NULL ? strlen(text) : 0;
    json_decref(j);
    ig_code code = IG_ERR_OK;
    if (text == NULL)
        code = ig_fail(err, IG_ERR_MEMORY, w->model, 0, "not enough memory for the header");
    else if (length > SIZE - 8)
        code = ig_fail(err, IG_ERR_USAGE, w->model, 0, "a path of %zu bytes, expected at most %d",
                       strlen(w->model), SIZE / 2);
    if (code == IG_ERR_OK) {
        memset(header, 0, 8);
        header[0] = (char)(unsigned char)((SIZE - 8) & 255);
        header[1] = (char)((SIZE - 8) >> 8);
        memset(header + 8, ' ', SIZE - 8);
        memcpy(header + 8, text, length);
        code = ig_out_write(out, header, SIZE, err);
    }
    return code;
}

ig_code ig_states_file_put(ig_states_writer *w, ig_out *out, const float *const *layer, int64_t id,
                           ig_err *err)
{
    IG_TRY(ig_grow(&w->id, &w->have_id, w->n + 1, sizeof *w->id, "ids", err));
    w->id[w->n++] = id;
    for (int l = 0; l < w->n_layer; l++)
        IG_TRY(ig_out_write(out, layer[l], w->d * (int64_t)sizeof **layer, err));
    return IG_ERR_OK;
}

ig_code ig_states_file_end(const ig_states_writer *w, ig_out *out, ig_err *err)
{
    return ig_out_write(out, w->id, w->n * (int64_t)sizeof *w->id, err);
}
