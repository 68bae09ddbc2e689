/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the files of a tokenizer's folder. Their precedence, and the id of each token, follow
 * transformers 5 (PreTrainedTokenizerBase._from_pretrained, TokenizersBackend.__init__) and
 * `tokenizers` 0.23 (AddedVocabulary::add_tokens): a token that the model has keeps the model's
 * id, any other gets the next one.
 */
#include "text/folder/folder_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ig_named_tokens[IG_N_NAMED_TOKEN] = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

/* --- files --- */

/* `reals`: reads all numbers as reals, since transformers writes 10³⁰ for "no longest sequence". */
static ig_code read_object(json_t **out, const char *dir, const char *name, bool reals, ig_err *err)
{
    IG_OWNED char *path = NULL;
    *out = NULL;
    IG_TRY(ig_path_join(&path, dir, name, err));
    if (ig_file_exists(path))
        IG_TRY(reals ? ig_json_read_reals(out, path, err) : ig_json_read(out, path, err));
    if (*out != NULL && !json_is_object(*out))
        return ig_fail(err, IG_ERR_INPUT, path, 0, "expected a JSON object");
    return IG_ERR_OK;
}

static ig_code read_tokenizer(ig_folder_files *f, ig_err *err)
{
    ig_map map;
    IG_TRY(ig_map_open(&map, f->where, err));
    const ig_code code =
        ig_tokenizer_json_load(&f->tokenizer, (const char *)map.data, map.size, f->where, err);
    ig_map_close(&map);
    IG_TRY(code);
    return json_is_object(json_object_get(f->tokenizer, "model"))
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, f->where, 0,
                         "not a tokenizer.json: it has no \"model\"");
}

/* Names the file, if there is one, from which transformers can make a tokenizer.json. */
static ig_code no_vocabulary(const char *dir, ig_err *err)
{
    char path[4096];
    static const char *const other[] = {"vocab.json", "sentencepiece.bpe.model", "spiece.model",
                                        "tokenizer.model", "spm.model"};
    ig_fail(err, IG_ERR_IO, dir, 0,
            "found neither vocab.txt nor tokenizer.json, either of which holds the pieces");
    snprintf(path, sizeof path, "%s/model/vocab.txt", dir);
    if (ig_file_exists(path))
        return ig_hint(err, "a run: its model is in %s/model", dir);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, other[i]);
        if (ig_file_exists(path))
            return ig_hint(err,
                           "python -c \"from transformers import AutoTokenizer as A; "
                           "A.from_pretrained('%.60s').save_pretrained('%.60s')\" makes a "
                           "tokenizer.json of %s",
                           dir, dir, other[i]);
    }
    return IG_ERR_IO;
}

static ig_code read_vocabulary(ig_folder_files *f, const char *dir, ig_err *err)
{
    ig_map map;
    IG_TRY(ig_path_join(&f->where, dir, "tokenizer.json", err));
    if (ig_file_exists(f->where))
        return read_tokenizer(f, err);
    ig_free(f->where);
    f->where = NULL;
    IG_TRY(ig_path_join(&f->where, dir, "vocab.txt", err));
    if (!ig_file_exists(f->where))
        return no_vocabulary(dir, err);
    IG_TRY(ig_map_open(&map, f->where, err));
    const ig_code code = ig_vocab_parse(&f->vocab, (const char *)map.data, map.size, f->where, err);
    ig_map_close(&map);
    return code;
}

ig_code ig_folder_files_read(ig_folder_files *f, const char *dir, ig_err *err)
{
    *f = (ig_folder_files){0};
    snprintf(f->path, sizeof f->path, "%s/tokenizer_config.json", dir);
    IG_TRY(read_object(&f->settings, dir, "tokenizer_config.json", true, err));
    IG_TRY(read_object(&f->model, dir, "config.json", true, err));
    if (json_object_get(f->settings, "added_tokens_decoder") == NULL) {
        IG_TRY(read_object(&f->map, dir, "special_tokens_map.json", true, err));
        IG_TRY(read_object(&f->added, dir, "added_tokens.json", false, err));
    }
    return read_vocabulary(f, dir, err);
}

void ig_folder_files_free(ig_folder_files *f)
{
    json_decref(f->settings);
    json_decref(f->model);
    json_decref(f->map);
    json_decref(f->added);
    json_decref(f->tokenizer);
    ig_vocab_free(&f->vocab);
    ig_free(f->where);
    *f = (ig_folder_files){0};
}

const json_t *ig_folder_value(const ig_folder_files *f, const char *key)
{
    const json_t *of_map = json_object_get(f->map, key);
    return of_map != NULL ? of_map : json_object_get(f->settings, key);
}

const char *ig_token_text(const json_t *j)
{
    return json_string_value(json_is_object(j) ? json_object_get(j, "content") : j);
}

/* --- added tokens --- */

typedef struct {
    const ig_folder_files *f;
    json_t *list;
    int64_t n_model, rows; /* pieces of the model; rows of its embedding, 0: unknown */
    int64_t last;          /* the largest id of an added token; −1: none */
    bool twice;            /* vocab.txt has duplicates */
} adder;

/* Returns the id in the model's own vocabulary; −1: none. */
static int64_t model_id(const adder *a, const char *text)
{
    const ig_vocab *v = &a->f->vocab;
    int32_t i = v->n - 1;
    if (a->f->tokenizer != NULL)
        return ig_model_piece(json_object_get(a->f->tokenizer, "model"), text);
    while (i >= 0 && strcmp(v->text + v->start[i], text) != 0)
        i--;
    return i;
}

static json_t *find_added(const adder *a, const char *text)
{
    for (size_t i = 0; i < json_array_size(a->list) && text != NULL; i++)
        if (ig_json_is(json_object_get(json_array_get(a->list, i), "content"), text))
            return json_array_get(a->list, i);
    return NULL;
}

/* A token and its flags; flags not given are false, except `normalized`. */
typedef struct {
    const char *text;
    int64_t id; /* given by a file; −1: none */
    const json_t *flags;
    bool special, named;
} token;

static bool flag(const token *k, const char *key, bool usual)
{
    const json_t *v = json_is_object(k->flags) ? json_object_get(k->flags, key) : NULL;
    return json_is_boolean(v) ? json_is_true(v) : usual;
}

static ig_code put(const adder *a, json_t *out, const token *k, int64_t id, ig_err *err)
{
    const bool special = flag(k, "special", k->special);
    json_t *all =
        json_pack("{s:I, s:s, s:b, s:b, s:b, s:b, s:b}", "id", (json_int_t)id, "content", k->text,
                  "single_word", (int)flag(k, "single_word", false), "lstrip",
                  (int)flag(k, "lstrip", false), "rstrip", (int)flag(k, "rstrip", false),
                  "normalized", (int)flag(k, "normalized", !special), "special", (int)special);
    return json_object_update_new(out, all) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, a->f->where, 0, "not enough memory");
}

static ig_code add(adder *a, const token *k, ig_err *err)
{
    if (k->text == NULL)
        return ig_fail(err, IG_ERR_INPUT, a->f->path, 0,
                       "found an added token that is not text, expected a string or its content");
    if (k->text[0] == '\0' || find_added(a, k->text) != NULL)
        return IG_ERR_OK;
    const int64_t own = model_id(a, k->text),
                  next = a->last >= a->n_model ? a->last + 1 : a->n_model,
                  id = own >= 0 ? own : next;
    if (own < 0 && a->rows > 0 && id >= a->rows && k->named)
        return IG_ERR_OK; /* transformers fails on a text that contains it */
    if (own < 0 && a->rows > 0 && id >= a->rows)
        return ig_fail(err, IG_ERR_INPUT, a->f->where, 0,
                       "the added token \"%.60s\" has id %lld, but the model has %lld rows",
                       k->text, (long long)id, (long long)a->rows);
    if ((k->id >= 0 && k->id != id) || (own < 0 && a->twice))
        return ig_fail(err, IG_ERR_INPUT, a->f->where, 0,
                       "the added token \"%.60s\" has id %lld, expected %lld, as it comes after "
                       "%lld different pieces",
                       k->text, (long long)k->id, (long long)id, (long long)a->n_model);
    a->last = id > a->last ? id : a->last;
    json_t *made = json_object();
    const int failed = json_array_append_new(a->list, made);
    return failed == 0 ? put(a, made, k, id, err)
                       : ig_fail(err, IG_ERR_MEMORY, a->f->where, 0, "not enough memory");
}

static int by_id(const void *x, const void *y)
{
    const token *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

/* Returns whether a token is named by the files themselves. */
static bool is_named(const ig_folder_files *f, const char *text)
{
    for (int i = 0; i < IG_N_NAMED_TOKEN; i++) {
        const char *name = ig_token_text(ig_folder_value(f, ig_named_tokens[i]));
        if (name != NULL && strcmp(name, text) == 0)
            return true;
    }
    return false;
}

/* Returns a token of added_tokens of tokenizer.json. */
static token own_token(const json_t *v)
{
    const json_t *id = json_object_get(v, "id");
    return (token){.text = ig_token_text(v),
                   .id = json_is_integer(id) ? json_integer_value(id) : INT64_MAX,
                   .flags = v};
}

/* Collects added_tokens_decoder, or added_tokens.json and added_tokens of tokenizer.json; returns
 * their number. */
static size_t collect(token *out, const ig_folder_files *f)
{
    const json_t *decoder = json_object_get(f->settings, "added_tokens_decoder"),
                 *own = json_object_get(f->tokenizer, "added_tokens");
    const char *key;
    const json_t *v;
    size_t n = 0;
    json_object_foreach((json_t *)(uintptr_t)decoder, key, v)
    {
        out[n++] = (token){.text = ig_token_text(v), .id = strtoll(key, NULL, 10), .flags = v};
    }
    json_object_foreach((json_t *)(uintptr_t)f->added, key, v)
    {
        out[n++] = (token){.text = key,
                           .id = json_is_integer(v) ? json_integer_value(v) : INT64_MAX,
                           .special = is_named(f, key)};
    }
    for (size_t i = 0; i < json_array_size(own) && decoder == NULL; i++)
        out[n++] = own_token(json_array_get(own, i));
    return n;
}

static ig_code add_declared(adder *a, bool as_it_is, ig_err *err)
{
    const ig_folder_files *f = a->f;
    const json_t *own = json_object_get(f->tokenizer, "added_tokens");
    for (size_t i = 0; i < json_array_size(own) && as_it_is; i++) {
        const token own_one = own_token(json_array_get(own, i));
        IG_TRY(add(a, &own_one, err));
    }
    IG_OWNED token *all = NULL;
    IG_TRY(
        ig_alloc(&all,
                 (int64_t)(json_object_size(json_object_get(f->settings, "added_tokens_decoder")) +
                           json_object_size(f->added) + json_array_size(own) + 1),
                 sizeof *all, "added tokens", err));
    const size_t n = collect(all, f);
    qsort(all, n, sizeof *all, by_id);
    for (size_t i = 0; i < n; i++) {
        json_t *own_one = find_added(a, all[i].text);
        if (own_one != NULL && json_object_get(f->settings, "added_tokens_decoder") != NULL)
            IG_TRY(
                put(a, own_one, &all[i], json_integer_value(json_object_get(own_one, "id")), err));
        else
            IG_TRY(add(a, &all[i], err));
    }
    return IG_ERR_OK;
}

/* Returns whether a key names a special token other than the seven, as some models have. */
static bool is_other_name(const char *key, const json_t *v)
{
    const size_t n = strlen(key);
    if (n < 6 || strcmp(key + n - 6, "_token") != 0 || ig_token_text(v) == NULL)
        return false;
    for (int i = 0; i < IG_N_NAMED_TOKEN; i++)
        if (strcmp(key, ig_named_tokens[i]) == 0)
            return false;
    return true;
}

/* Adds extra_special_tokens, formerly additional_special_tokens. */
static ig_code add_extra(adder *a, bool camembert, ig_err *err)
{
    static const char *const keys[] = {"extra_special_tokens", "additional_special_tokens"};
    static const char *const unused[] = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
    const json_t *from[] = {a->f->settings, a->f->map}, *v;
    const char *key;
    bool found = false;
    json_object_foreach((json_t *)(uintptr_t)a->f->settings, key, v)
    {
        if (is_other_name(key, v))
            IG_TRY(add(a, &(token){ig_token_text(v), -1, v, true, true}, err));
    }
    for (int i = 0; i < 4 && !found; i++) {
        const json_t *list = json_object_get(from[i % 2], keys[i / 2]);
        size_t k;
        found = json_array_size(list) > 0 || json_object_size(list) > 0;
        json_array_foreach((json_t *)(uintptr_t)list, k, v)
        {
            IG_TRY(add(a, &(token){ig_token_text(v), -1, v, true, false}, err));
        }
        json_object_foreach((json_t *)(uintptr_t)list, key, v)
        {
            IG_TRY(add(a, &(token){ig_token_text(v), -1, v, true, false}, err));
        }
    }
    for (size_t i = 0; i < sizeof unused / sizeof *unused && camembert && !found; i++)
        IG_TRY(add(a, &(token){unused[i], -1, NULL, true, true}, err));
    return IG_ERR_OK;
}

static ig_code add_all(adder *a, const ig_class_tokens *c, ig_err *err)
{
    IG_TRY(add_declared(a, c->as_it_is, err));
    for (int i = 0; i < IG_N_NAMED_TOKEN; i++) {
        const json_t *v = ig_folder_value(a->f, ig_named_tokens[i]);
        const char *name = ig_token_text(v) != NULL ? ig_token_text(v) : c->name[i];
        if (name == NULL)
            continue;
        if (strcmp(ig_named_tokens[i], "unk_token") == 0 && model_id(a, name) < 0 && !c->as_it_is)
            return ig_fail(err, IG_ERR_INPUT, a->f->where, 0, "no %s among its %lld pieces", name,
                           (long long)a->n_model);
        json_auto_t *flags = NULL;
        if (c->blank_of_mask && strcmp(ig_named_tokens[i], "mask_token") == 0 && !json_is_object(v))
            flags = json_pack("{s:b}", "lstrip", 1);
        IG_TRY(add(a, &(token){name, -1, flags != NULL ? flags : v, true, true}, err));
    }
    return add_extra(a, c->camembert, err);
}

/* Counts the different pieces, as transformers does. */
static int64_t n_different(const ig_vocab *v, const ig_trie *trie)
{
    int64_t n = 0;
    for (int32_t i = 0; i < v->n; i++) {
        const char *piece = v->text + v->start[i];
        n += ig_trie_find(trie, 0, piece, (int64_t)strlen(piece)) == i;
    }
    return n;
}

ig_code ig_folder_added(json_t **out, const ig_folder_files *f, const ig_class_tokens *c,
                        ig_err *err)
{
    const json_t *vocab = json_object_get(json_object_get(f->tokenizer, "model"), "vocab"),
                 *rows = json_object_get(f->model, "vocab_size");
    adder a = {.f = f, .list = json_array(), .last = -1, .rows = (int64_t)json_number_value(rows)};
    ig_code code = IG_ERR_OK;
    *out = NULL;
    if (a.list == NULL)
        return ig_fail(err, IG_ERR_MEMORY, f->where, 0, "not enough memory");
    if (f->tokenizer == NULL) {
        ig_trie trie = {0};
        code = ig_trie_build(&trie, f->vocab.text, f->vocab.start, f->vocab.n, err);
        if (code == IG_ERR_OK)
            a.n_model = n_different(&f->vocab, &trie);
        a.twice = a.n_model < f->vocab.n;
        ig_trie_free(&trie);
    } else
        a.n_model =
            (int64_t)(json_is_object(vocab) ? json_object_size(vocab) : json_array_size(vocab));
    IG_THEN(code, add_all(&a, c, err));
    if (code == IG_ERR_OK)
        *out = a.list;
    else
        json_decref(a.list);
    return code;
}
