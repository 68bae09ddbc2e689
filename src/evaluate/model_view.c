/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a language's view of a model folder. Its tables have the rows that the language uses, in
 * the order of its own vocabulary, positions and segment, so that programs which know nothing of
 * languages read it as they read any model. The folder is written under another name and renamed
 * when it is complete.
 */
#include "evaluate/model_view.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "apply/model_languages.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "isoglot/bert.h"
#include "model/bert_params.h"
#include "model/checkpoint_config.h"
#include "text/folder/bert_files.h"
#include "text/folder/tokenizer_folder.h"

#include <stdlib.h>
#include <string.h>

/* The number of a language that is given by name or number. */
static ig_code find_language(int *found, const json_t *languages, const char *language,
                             const char *where, ig_err *err)
{
    char names[256] = "";
    size_t i;
    json_t *one;
    json_array_foreach(languages, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name != NULL && strcmp(name, language) == 0) {
            *found = (int)i;
            return IG_ERR_OK;
        }
        ig_append_name(names, sizeof names, name != NULL ? name : "?");
    }
    char *end;
    const long number = strtol(language, &end, 10);
    if (end != language && *end == '\0' && number >= 0 &&
        number < (long)json_array_size(languages)) {
        *found = (int)number;
        return IG_ERR_OK;
    }
    if (json_array_size(languages) == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0,
                       "config.json names no languages (isoglot.languages)");
    return ig_fail(err, IG_ERR_USAGE, "language", 0, "found '%.60s', expected one of: %s", language,
                   names);
}

typedef struct {
    const char *dir;
    ig_tokenizer *tokenizer; /* the folder's */
    ig_tokenizer_choice choice;
    ig_model_languages languages;
    const ig_model_language *l;
    int32_t *row; /* [n_id] of the model's vocabulary, of each of the language's pieces */
} view;

/* A tokenizer cuts text, it does not order what it cut. */
static ig_code check_order(const view *v, ig_err *err)
{
    const ig_pipeline *p = &v->l->pipeline;
    for (int i = 0; i < p->n; i++) {
        const ig_transform *kind = p->step[i].kind;
        const bool training = kind == &ig_transform_unigram ||
                              ((kind == &ig_transform_swap || kind == &ig_transform_permute) &&
                               p->step[i].number[1] > 0);
        if (kind->apply == NULL || training)
            continue;
        ig_fail(err, IG_ERR_USAGE, "language", 0,
                "'%s' has the order '%s', which no folder of other programs can have",
                v->l->info.name, kind->name);
        return ig_hint(err, "isoglot encode --language %s orders a text so", v->l->info.name);
    }
    return IG_ERR_OK;
}

static ig_code find_rows(view *v, ig_err *err)
{
    const ig_language *l = &v->l->info;
    const ig_corpus_options *o = &v->languages.options;
    const ig_step_context context = {o, l, 0, NULL, v->l->same};
    const int32_t special[][2] = {
        {o->pad, l->pad}, {o->unk, l->unk}, {o->cls, l->cls}, {o->sep, l->sep}, {o->mask, l->mask}};
    /* A tokenizer.json is of the first vocabulary alone. */
    if (v->l->own == NULL && l->n_id != o->base_vocab)
        return ig_fail(
            err, IG_ERR_INPUT, v->dir, 0,
            "has no vocabulary of language '%s', expected a vocab.txt with its %d pieces", l->name,
            l->n_id);
    IG_TRY(check_order(v, err));
    IG_TRY(ig_alloc(&v->row, l->n_id, sizeof *v->row, "vocabulary", err));
    for (int32_t i = 0; i < l->n_id; i++)
        v->row[i] = ig_pipeline_map(&v->l->pipeline, &context, i);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i][0] >= 0 && special[i][0] < l->n_id)
            v->row[special[i][0]] = special[i][1];
    return IG_ERR_OK;
}

/* The shape of the language's model. */
static ig_bert_config shape_of(const view *v, const ig_bert_config *c)
{
    ig_bert_config own = *c;
    const int k = (int)(v->l - v->languages.language);
    own.vocab_size = v->l->info.n_id;
    if (c->position == IG_POSITION_LEARNED || c->position == IG_POSITION_SINUSOIDAL)
        own.max_position_embeddings = ig_model_languages_positions(&v->languages, k, c);
    if (v->l->info.pos_offset > 0 && c->position == IG_POSITION_SINUSOIDAL)
        own.position = IG_POSITION_LEARNED; /* the table begins with another position */
    return own;
}

/* Copies the language's rows of a tensor. */
static ig_code take(const view *v, ig_bert *to, const ig_bert_param *p, const ig_bert *from,
                    ig_err *err)
{
    const ig_bert_param *all = ig_bert_param_find(from, p->name);
    const int64_t d = p->cols;
    const bool words = ig_bert_is_of_words(p->name);
    const int32_t first = strstr(p->name, ".position_embeddings.") != NULL && p->rows < all->rows
                              ? v->l->info.pos_offset
                              : 0;
    IG_OWNED float *had = NULL, *value = NULL;
    IG_TRY(ig_alloc(&had, (int64_t)all->rows * d, sizeof *had, "weights", err));
    IG_TRY(ig_alloc(&value, (int64_t)p->rows * d, sizeof *value, "weights", err));
    ig_bert_get_values(from, all, had);
    for (int32_t i = 0; i < p->rows; i++)
        memcpy(value + i * d, had + (words ? v->row[i] : first + i) * d, (size_t)d * sizeof *value);
    if (strstr(p->name, ".token_type_embeddings.") != NULL)
        memcpy(value, had + v->l->info.segment * d, (size_t)d * sizeof *value);
    ig_bert_set_values(to, p, value);
    return IG_ERR_OK;
}

static ig_code make_model(ig_bert **out, const view *v, const ig_bert *all, ig_err *err)
{
    const ig_bert_config c = shape_of(v, ig_bert_get_config(all));
    ig_code code = ig_bert_new_zero(out, &c, 0, err);
    for (int i = 0; code == IG_ERR_OK && i < ig_bert_n_param(*out); i++)
        code = take(v, *out, &ig_bert_params(*out)[i], all, err);
    return code;
}

/* isoglot's part of config.json, of a model with this language alone. */
static json_t *own_config(const view *v, const json_t *isoglot)
{
    const ig_corpus_options *o = &v->languages.options;
    json_t *own = json_copy((json_t *)(uintptr_t)isoglot);
    json_object_set_new(own, "base_vocab_size", json_integer(v->l->info.n_id));
    json_object_set_new(own, "languages",
                        json_pack("[{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]",
                                  "name", v->l->info.name, "pipeline", "", "first_id", 0, "n_id",
                                  v->l->info.n_id, "position_offset", 0, "segment", 0, "special",
                                  "pad", o->pad, "unk", o->unk, "cls", o->cls, "sep", o->sep,
                                  "mask", o->mask));
    json_object_del(own, "model");
    return json_pack("{s:o}", "isoglot", own);
}

static ig_code write_tokenizer(const view *v, const ig_bert_config *c, const char *to, ig_err *err)
{
    const ig_tokenizer *t = v->l->own != NULL ? v->l->own : v->tokenizer;
    json_auto_t *j = NULL;
    IG_OWNED const char **piece = NULL;
    if (v->l->own == NULL && !ig_folder_has(v->dir, "vocab.txt"))
        return ig_tokenizer_folder_copy(v->tokenizer, &v->choice, v->dir, to, NULL, err);
    if (v->choice.has_config)
        IG_TRY(ig_folder_json(&j, v->dir, "tokenizer_config.json", err));
    const json_t *given = json_object_get(j, "model_max_length");
    const json_int_t most = c->max_position_embeddings,
                     n = json_is_integer(given) ? json_integer_value(given) : most;
    IG_TRY(ig_alloc(&piece, c->vocab_size, sizeof *piece, "vocabulary", err));
    for (int32_t i = 0; i < c->vocab_size; i++)
        piece[i] = ig_tokenizer_piece(t, i);
    const ig_bert_tokenizer_use use = {.max_length = (int32_t)(n < most ? n : most),
                                       .modern = c->block == IG_BLOCK_MODERN};
    return ig_bert_tokenizer_write(to, ig_tokenizer_is_bert(t) ? piece : NULL, c->vocab_size, t,
                                   &use, err);
}

static ig_code write_view(const view *v, const ig_bert *all, const json_t *isoglot, const char *out,
                          ig_err *err)
{
    ig_bert *own = NULL;
    json_auto_t *extra = own_config(v, isoglot);
    IG_OWNED char *tmp = NULL;
    ig_code code = make_model(&own, v, all, err);
    IG_THEN(code, ig_dir_beside(&tmp, out, err));
    if (code == IG_ERR_OK) {
        code = ig_bert_save(own, tmp, extra, err);
        IG_THEN(code, write_tokenizer(v, ig_bert_get_config(own), tmp, err));
        IG_THEN(code, ig_rename(tmp, out, err));
        if (code != IG_ERR_OK)
            (void)ig_dir_remove(tmp, NULL);
    }
    ig_bert_free(own);
    return code;
}

ig_code ig_model_view(const char *dir, const char *language, const char *out, ig_err *err)
{
    view v = {.dir = dir};
    ig_bert_config c;
    json_auto_t *config = NULL;
    ig_bert *model = NULL, *parts = NULL;
    int k = 0;
    if (ig_dir_exists(out) || ig_file_exists(out))
        return ig_fail(err, IG_ERR_USAGE, out, 0, "is there already, expected a new folder");
    IG_TRY(ig_bert_config_read(&c, dir, &config, err));
    const json_t *isoglot = json_object_get(config, "isoglot");
    ig_code code = find_language(&k, json_object_get(isoglot, "languages"), language, dir, err);
    IG_THEN(code, ig_manifest_check(dir, err));
    IG_THEN(code, ig_tokenizer_folder_open(&v.tokenizer, &v.choice, dir, NULL, err));
    IG_THEN(code, ig_model_languages_read(&v.languages, dir, &c, v.tokenizer, err));
    if (code == IG_ERR_OK)
        v.l = &v.languages.language[k];
    IG_THEN(code, find_rows(&v, err));
    IG_THEN(code, ig_bert_load(&model, dir, NULL, err));
    IG_THEN(code, ig_bert_view(&parts, model, ig_bert_n_language(&c) > 1 ? k : 0, err));
    IG_THEN(code, write_view(&v, parts, isoglot, out, err));
    ig_bert_free(model);
    ig_bert_free(parts);
    ig_model_languages_free(&v.languages);
    ig_tokenizer_free(v.tokenizer);
    ig_free(v.row);
    return code;
}
