/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the languages of a model folder and applies their transforms to the pieces of a text.
 */
#include "apply/model_languages.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/strings/append.h"
#include "apply/folder/run_folder.h"

#include <string.h>

static ig_code bad(const char *where, const char *language, const char *what, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, where, 0, "isoglot.languages, '%.40s': found %s that is %s",
                   language, what, "not the model's");
}

/* An integer from `from` up to below `to`. */
static bool get(int32_t *out, const json_t *j, const char *key, int64_t from, int64_t to)
{
    const json_t *v = json_object_get(j, key);
    *out = json_is_integer(v) ? (int32_t)json_integer_value(v) : 0;
    return json_is_integer(v) && json_integer_value(v) >= from && json_integer_value(v) < to;
}

static ig_code parse_language(ig_model_language *l, const json_t *j, const ig_bert_config *c,
                              const char *where, ig_err *err)
{
    const char *name = json_string_value(json_object_get(j, "name")),
               *pipeline = json_string_value(json_object_get(j, "pipeline"));
    const json_t *special = json_object_get(j, "special");
    const int64_t v = c->vocab_size;
    ig_language *i = &l->info;
    if (name == NULL || strlen(name) >= sizeof i->name || pipeline == NULL ||
        strlen(pipeline) >= sizeof i->pipeline)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "isoglot.languages: found a language without name or pipeline");
    memcpy(i->name, name, strlen(name) + 1);
    memcpy(i->pipeline, pipeline, strlen(pipeline) + 1);
    if (!get(&i->first_id, j, "first_id", 0, v) || !get(&i->n_id, j, "n_id", 1, v + 1) ||
        i->first_id > c->vocab_size - i->n_id)
        return bad(where, name, "a block of the vocabulary", err);
    if (!get(&i->pos_offset, j, "position_offset", 0, c->max_position_embeddings))
        return bad(where, name, "a first position", err);
    if (!get(&i->segment, j, "segment", 0, c->type_vocab_size))
        return bad(where, name, "a segment", err);
    if (!get(&i->pad, special, "pad", 0, v) || !get(&i->unk, special, "unk", 0, v) ||
        !get(&i->cls, special, "cls", 0, v) || !get(&i->sep, special, "sep", 0, v) ||
        !get(&i->mask, special, "mask", 0, v))
        return bad(where, name, "a special token", err);
    if (json_object_get(special, "reverse") != NULL && !get(&i->reverse, special, "reverse", 1, v))
        return bad(where, name, "a marker", err);
    ig_code code = ig_pipeline_parse(&l->pipeline, pipeline, name, 0, err);
    if (code == IG_ERR_USAGE && err != NULL)
        err->code = IG_ERR_INPUT; /* the file is at fault */
    return code == IG_ERR_USAGE ? IG_ERR_INPUT : code;
}

/* --- vocabularies of their own --- */

/* A language among the pieces of the folder's vocabulary, with the number of its [PAD]. */
typedef struct {
    const ig_model_language *l;
    const ig_tokenizer *t;
    int32_t pad;
} rows;

/* Piece i of a language: its row without the colons that separate blocks, as many as [PAD] has
 * (docs/tokenizer.md); NULL: there is no such row. */
static const char *own_piece(const rows *r, int32_t i)
{
    const ig_language *l = &r->l->info;
    const char *first = r->pad < l->n_id ? ig_tokenizer_piece(r->t, l->first_id + r->pad) : NULL,
               *piece = ig_tokenizer_piece(r->t, l->first_id + i);
    const size_t colons = first != NULL ? strspn(first, ":") : 0;
    return piece != NULL && strspn(piece, ":") >= colons ? piece + colons : NULL;
}

static bool is_own(const rows *r)
{
    for (int32_t i = 0; i < r->l->info.n_id; i++) {
        const char *piece = own_piece(r, i), *base = ig_tokenizer_piece(r->t, i);
        if (piece == NULL || base == NULL || strcmp(piece, base) != 0)
            return true;
    }
    return false;
}

/* A vocab.txt of its pieces. */
static ig_code own_vocabulary(char **text, int64_t *n, const rows *r, const char *where,
                              ig_err *err)
{
    int64_t have = 0;
    for (int32_t i = 0; i < r->l->info.n_id; i++) {
        const char *piece = own_piece(r, i);
        if (piece == NULL)
            return bad(where, r->l->info.name, "a row of the vocabulary", err);
        const int64_t size = (int64_t)strlen(piece);
        IG_TRY(ig_grow(text, &have, *n + size + 1, 1, "vocabulary", err));
        memcpy(*text + *n, piece, (size_t)size);
        (*text)[*n + size] = '\n';
        *n += size + 1;
    }
    return IG_ERR_OK;
}

static ig_code find_own(ig_model_language *l, const ig_tokenizer *t, const ig_corpus_options *o,
                        const char *where, ig_err *err)
{
    const rows r = {l, t, o->pad};
    IG_OWNED char *text = NULL;
    int64_t n = 0;
    /* A tokenizer.json is of the first vocabulary alone; others have files of their own. */
    if (l->own != NULL || l->info.first_id == 0 || ig_tokenizer_size(t) <= l->info.first_id ||
        o->pad < 0 || !is_own(&r))
        return IG_ERR_OK;
    const ig_tokenizer_options how = ig_tokenizer_get_options(t);
    IG_TRY(own_vocabulary(&text, &n, &r, where, err));
    return ig_tokenizer_parse(&l->own, text, n, where, &how, err);
}

/* The vocabulary that a language has in a file of the folder `dir`. */
static ig_code read_own(ig_model_language *l, const json_t *j, const char *dir, const char *where,
                        ig_err *err)
{
    char path[IG_PATH];
    const json_t *name = json_object_get(j, "tokenizer");
    if (name == NULL)
        return IG_ERR_OK;
    if (dir == NULL || !json_is_string(name) || strchr(json_string_value(name), '/') != NULL)
        return bad(where, l->info.name, "a tokenizer", err);
    IG_TRY(ig_folder_path(path, dir, err, "%s", json_string_value(name)));
    IG_TRY(ig_tokenizer_load(&l->own, path, NULL, err));
    return ig_tokenizer_size(l->own) == l->info.n_id
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0, "found %d pieces, expected %d, those of '%s'",
                         ig_tokenizer_size(l->own), l->info.n_id, l->info.name);
}

/* Which of its pieces the first vocabulary has, too. */
static ig_code find_same(ig_model_language *l, const ig_tokenizer *t, const ig_corpus_options *o,
                         ig_err *err)
{
    if (l->own == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&l->same, l->info.n_id, sizeof *l->same, "vocabulary", err));
    for (int32_t i = 0; i < l->info.n_id; i++) {
        const int32_t same = ig_tokenizer_id(t, ig_tokenizer_piece(l->own, i));
        l->same[i] = same < o->base_vocab ? same : -1;
    }
    return IG_ERR_OK;
}

/* A list of anchors: none but its pieces stay common. */
static ig_code keep_anchors(ig_model_language *l, const json_t *list, const char *where,
                            ig_err *err)
{
    const int32_t n = l->info.n_id;
    IG_OWNED bool *listed = NULL;
    json_t *v;
    size_t i;
    if (list == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&listed, n, sizeof *listed, "anchors", err));
    IG_TRY(json_is_array(list) ? IG_ERR_OK : bad(where, l->info.name, "anchors", err));
    json_array_foreach(list, i, v)
    {
        const json_int_t p = json_is_integer(v) ? json_integer_value(v) : -1;
        if (p < 0 || p >= n)
            return bad(where, l->info.name, "an anchor", err);
        listed[p] = true;
    }
    if (l->same == NULL) {
        IG_TRY(ig_alloc(&l->same, n, sizeof *l->same, "anchors", err));
        for (int32_t p = 0; p < n; p++)
            l->same[p] = p;
    }
    for (int32_t p = 0; p < n; p++)
        l->same[p] = listed[p] ? l->same[p] : -1;
    return IG_ERR_OK;
}

static void set_options(ig_model_languages *out, const json_t *isoglot, const ig_bert_config *c,
                        const ig_tokenizer *t)
{
    int32_t base;
    if (!get(&base, isoglot, "base_vocab_size", 1, (int64_t)c->vocab_size + 1))
        base = c->vocab_size;
    out->options = (ig_corpus_options){
        .base_vocab = base,
        .pad = ig_tokenizer_special(t, IG_TOKENIZER_PAD),
        .unk = ig_tokenizer_special(t, IG_TOKENIZER_UNK),
        .cls = ig_tokenizer_special(t, IG_TOKENIZER_CLS),
        .sep = ig_tokenizer_special(t, IG_TOKENIZER_SEP),
        .mask = ig_tokenizer_special(t, IG_TOKENIZER_MASK),
        .block = IG_SEQUENCE_MAX,
        .development = true,
        .seed = (uint64_t)json_integer_value(json_object_get(isoglot, "transform_seed"))};
}

static ig_code parse_all(ig_model_languages *out, const json_t *isoglot, const ig_bert_config *c,
                         const ig_tokenizer *t, const char *dir, const char *where, ig_err *err)
{
    const json_t *list = json_object_get(isoglot, "languages");
    const size_t n = json_array_size(list);
    *out = (ig_model_languages){0};
    set_options(out, isoglot, c, t);
    if (n > IG_LANGUAGES_MAX)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "isoglot.languages: found %zu languages, expected at most %d", n,
                       IG_LANGUAGES_MAX);
    IG_TRY(
        ig_alloc(&out->language, n > 0 ? (int64_t)n : 1, sizeof *out->language, "languages", err));
    for (size_t i = 0; i < n; i++) {
        out->n++;
        IG_TRY(parse_language(&out->language[i], json_array_get(list, i), c, where, err));
        IG_TRY(read_own(&out->language[i], json_array_get(list, i), dir, where, err));
        IG_TRY(find_own(&out->language[i], t, &out->options, where, err));
        IG_TRY(find_same(&out->language[i], t, &out->options, err));
        IG_TRY(keep_anchors(&out->language[i], json_object_get(json_array_get(list, i), "anchors"),
                            where, err));
    }
    if (n > 0)
        return IG_ERR_OK;
    const ig_corpus_options *o = &out->options;
    out->n = 1;
    out->language[0].info = (ig_language){.n_id = o->base_vocab,
                                          .pad = o->pad,
                                          .unk = o->unk,
                                          .cls = o->cls,
                                          .sep = o->sep,
                                          .mask = o->mask};
    return IG_ERR_OK;
}

ig_code ig_model_languages_parse(ig_model_languages *out, const json_t *isoglot,
                                 const ig_bert_config *c, const ig_tokenizer *t, const char *where,
                                 ig_err *err)
{
    return parse_all(out, isoglot, c, t, NULL, where, err);
}

ig_code ig_model_languages_read(ig_model_languages *out, const char *dir, const ig_bert_config *c,
                                const ig_tokenizer *t, ig_err *err)
{
    char path[IG_PATH];
    json_auto_t *j = NULL;
    *out = (ig_model_languages){0};
    IG_TRY(ig_folder_path(path, dir, err, "config.json"));
    IG_TRY(ig_json_read(&j, path, err));
    return parse_all(out, json_object_get(j, "isoglot"), c, t, dir, path, err);
}

ig_code ig_model_languages_copy(const ig_model_languages *l, const json_t *list, const char *dir,
                                ig_err *err)
{
    char path[IG_PATH];
    for (int k = 0; k < l->n; k++) {
        const char *name =
            json_string_value(json_object_get(json_array_get(list, (size_t)k), "tokenizer"));
        if (name == NULL)
            continue;
        IG_TRY(ig_folder_path(path, dir, err, "%s", name));
        IG_TRY(ig_tokenizer_json_write(l->language[k].own, path, err));
    }
    return IG_ERR_OK;
}

void ig_model_languages_free(ig_model_languages *l)
{
    for (int i = 0; i < l->n; i++) {
        ig_tokenizer_free(l->language[i].own);
        ig_free(l->language[i].same);
    }
    ig_free(l->language);
    *l = (ig_model_languages){0};
}

bool ig_model_languages_segments(const ig_model_languages *l)
{
    for (int i = 0; i < l->n; i++)
        if (l->language[i].info.segment > 0)
            return true;
    return false;
}

bool ig_model_languages_alike(const ig_model_languages *l, const ig_bert_config *model, int a,
                              int b)
{
    const ig_model_language *x = &l->language[a], *y = &l->language[b];
    ig_language as_y = x->info;
    if (a == b)
        return true;
    memcpy(as_y.name, y->info.name, sizeof as_y.name);
    return model->n_language < 2 && x->own == NULL && y->own == NULL &&
           memcmp(&as_y, &y->info, sizeof as_y) == 0;
}

int ig_model_languages_find(const ig_model_languages *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->language[i].info.name, name) == 0)
            return i;
    return -1;
}

ig_code ig_model_languages_find_requested(int *language, const ig_model_languages *l,
                                          const char *name, const char *where, ig_err *err)
{
    char names[256] = "";
    *language = name != NULL && l->n > 1 ? ig_model_languages_find(l, name) : 0;
    if (*language >= 0)
        return IG_ERR_OK;
    for (int i = 0; i < l->n; i++)
        ig_append_name(names, sizeof names, l->language[i].info.name);
    return ig_fail(err, IG_ERR_USAGE, where, 0, "found '%.60s', expected one of: %s", name, names);
}

int32_t ig_model_languages_positions(const ig_model_languages *l, int language,
                                     const ig_bert_config *model)
{
    const int32_t own = l->language[language].info.pos_offset;
    int32_t end = model->max_position_embeddings;
    for (int i = 0; i < l->n; i++) {
        const int32_t other = l->language[i].info.pos_offset;
        if (other > own && other < end)
            end = other;
    }
    return end - own;
}

void ig_model_language_tokens(const ig_model_languages *l, int language, int64_t sentence,
                              const int32_t *id, int32_t n, ig_tokens *out)
{
    const ig_model_language *m = &l->language[language];
    const ig_step_context context = {&l->options, &m->info, sentence, NULL, m->same};
    ig_tokens_set(out, id, n, IG_SEQUENCE_MAX);
    ig_pipeline_run(&m->pipeline, &context, out);
}
