/* SPDX-License-Identifier: Apache-2.0
 *
 * See edit_spec.h. One table says which keys a kind has, and which of them it cannot do without.
 */
#include "run/edit/edit_spec.h"

#include "base/memory.h"
#include "base/settings/named_files.h"
#include "base/strings/append.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define IG_EDIT_SPEC_NAME(id, name) #name,
const char *const ig_edit_spec_names[] = {IG_EDIT_SPEC_LIST(IG_EDIT_SPEC_NAME) NULL};
#undef IG_EDIT_SPEC_NAME
static const char *const subspace_names[] = {"means", "discriminant", "inlp", "inlp-paper", NULL};

static const char *const keys[] = {"kind", "layer", "from", "to",    "alpha",  "means",  "text",
                                   "take", "how",   "seed", "model", "matrix", "rounds", "by"};
enum {
    KIND,
    LAYER,
    FROM,
    TO,
    ALPHA,
    MEANS,
    TEXT,
    TAKE,
    HOW,
    SEED,
    MODEL,
    MATRIX,
    ROUNDS,
    BY,
    N_KEY
};
#define BIT(key) (1u << (key))

static const struct {
    unsigned may, must;
} rules[IG_N_EDIT_SPEC] = {
    [IG_EDIT_SPEC_SHIFT] = {BIT(ALPHA) | BIT(MEANS) | BIT(TEXT) | BIT(TAKE), BIT(FROM) | BIT(TO)},
    [IG_EDIT_SPEC_CENTRE] = {BIT(FROM) | BIT(ALPHA) | BIT(MEANS) | BIT(TEXT) | BIT(TAKE), 0},
    [IG_EDIT_SPEC_PROJECT] = {BIT(HOW) | BIT(MEANS) | BIT(TEXT) | BIT(TAKE) | BIT(ROUNDS) |
                                  BIT(SEED),
                              0},
    [IG_EDIT_SPEC_ROTATE] = {BIT(TEXT) | BIT(TAKE) | BIT(BY), BIT(FROM) | BIT(TO)},
    [IG_EDIT_SPEC_MATRIX] = {BIT(FROM), BIT(MATRIX)},
    [IG_EDIT_SPEC_REINIT] = {BIT(SEED), 0},
    [IG_EDIT_SPEC_SWAP] = {0, BIT(MODEL)},
    [IG_EDIT_SPEC_ATTENTION] = {BIT(MODEL), 0},
};

static ig_code read_name(int *out, const ig_yaml *v, const char *key, const char *const *names,
                         ig_err *err)
{
    const char *text;
    char known[128] = "";
    int n = 0;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    for (; names[n] != NULL; n++) {
        if (strcmp(text, names[n]) == 0) {
            *out = n;
            return IG_ERR_OK;
        }
        ig_append_name(known, sizeof known, names[n]);
    }
    ig_yaml_fail(v, err, "%s: found '%.60s', expected one of: %s", key, text, known);
    return ig_hint_nearest(err, text, names, n);
}

static ig_code read_string(ig_edit_specs *s, const char **out, const ig_yaml *v, const char *key,
                           ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    return ig_pool_text(&s->pool, out, text, strlen(text), err);
}

static ig_code read_path(ig_edit_specs *s, const char **out, const ig_yaml *v, const char *key,
                         const char *dir, ig_err *err)
{
    const char *text;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    if (dir == NULL || *text == '/')
        return ig_pool_text(&s->pool, out, text, strlen(text), err);
    return ig_pool_print(&s->pool, out, err, "%s/%s", dir, text);
}

/* {en: FILE, de: FILE}, or the same as one text, "en=FILE; de=FILE". */
static ig_code read_files(ig_edit_specs *s, const char **out, const ig_yaml *v, const char *dir,
                          ig_err *err)
{
    char *normal;
    const char *text = "";
    if (v->kind == IG_YAML_MAP) {
        for (int i = 0; i < v->n; i++) {
            const char *path;
            IG_TRY(ig_yaml_text(&path, v->item[i], "text", err));
            if (strpbrk(path, ";") != NULL || strpbrk(v->key[i]->text, ";=") != NULL)
                return ig_yaml_fail(v->item[i], err, "text: found ';' or '=' in a name");
            IG_TRY(ig_pool_print(&s->pool, &text, err, "%s; %s=%s", text, v->key[i]->text, path));
        }
    } else {
        IG_TRY(ig_yaml_text(&text, v, "text", err));
    }
    ig_code code = ig_named_files_below(&normal, text, dir, err);
    if (code == IG_ERR_USAGE)
        return ig_yaml_fail(v, err, "text: expected files by language, {en: FILE, de: FILE}");
    IG_TRY(code);
    code = ig_pool_text(&s->pool, out, normal, strlen(normal), err);
    ig_free(normal);
    return code;
}

static ig_code check_keys(const ig_yaml *map, ig_edit_spec_kind kind, ig_err *err)
{
    const unsigned must = rules[kind].must | BIT(LAYER) | BIT(KIND);
    for (int k = 0; k < N_KEY; k++) {
        const ig_yaml *v = ig_yaml_get(map, keys[k]);
        if (v == NULL && (must & BIT(k)) != 0)
            return ig_yaml_fail(map, err, "%s: %s is not given", ig_edit_spec_names[kind], keys[k]);
        if (v != NULL && ((must | rules[kind].may) & BIT(k)) == 0)
            return ig_yaml_fail(v, err, "%s: has no %s", ig_edit_spec_names[kind], keys[k]);
    }
    return IG_ERR_OK;
}

static ig_code read_numbers(ig_edit_spec *e, ig_yaml *const *v, ig_err *err)
{
    int64_t layer;
    IG_TRY(ig_yaml_int(&layer, v[LAYER], "layer", 0, 1000, err));
    e->layer = (int)layer;
    if (e->kind == IG_EDIT_SPEC_ATTENTION && layer == 0)
        return ig_yaml_fail(v[LAYER], err,
                            "layer: found 0, expected 1 or more: embeddings do not attend");
    if (v[ALPHA] != NULL)
        IG_TRY(ig_yaml_real(&e->alpha, v[ALPHA], "alpha", err));
    if (!isfinite(e->alpha) || fabs(e->alpha) > 1e6)
        return ig_yaml_fail(v[ALPHA], err, "alpha: expected a number from -1e6 to 1e6");
    if (v[TAKE] != NULL)
        IG_TRY(ig_yaml_int(&e->take, v[TAKE], "take", 1, (int64_t)1e9, err));
    if (v[ROUNDS] != NULL)
        IG_TRY(ig_yaml_int(&e->rounds, v[ROUNDS], "rounds", 1, 1000, err));
    return v[SEED] != NULL ? ig_yaml_int(&e->seed, v[SEED], "seed", 0, (int64_t)1e15, err)
                           : IG_ERR_OK;
}

static ig_code read_texts(ig_edit_specs *s, ig_edit_spec *e, ig_yaml *const *v, const char *dir,
                          ig_err *err)
{
    const struct {
        int key;
        const char **out;
        bool path;
    } text[] = {{FROM, &e->from, false},
                {TO, &e->to, false},
                {MEANS, &e->means, true},
                {MODEL, &e->model, true},
                {MATRIX, &e->matrix, true}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (v[text[i].key] != NULL)
            IG_TRY(text[i].path
                       ? read_path(s, text[i].out, v[text[i].key], keys[text[i].key], dir, err)
                       : read_string(s, text[i].out, v[text[i].key], keys[text[i].key], err));
    return v[TEXT] != NULL ? read_files(s, &e->text, v[TEXT], dir, err) : IG_ERR_OK;
}

static ig_code read_one(ig_edit_specs *s, const ig_yaml *map, const char *dir, ig_err *err)
{
    ig_yaml *v[N_KEY];
    static const char *const by_names[] = {"sentences", "words", NULL};
    int kind, how = IG_SUBSPACE_MEANS, by = 0;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "edit", err));
    IG_TRY(ig_yaml_keys(map, keys, N_KEY, "edit", err));
    if (s->n == IG_EDIT_SPECS_MAX)
        return ig_yaml_fail(map, err, "edit: more than %d of them", IG_EDIT_SPECS_MAX);
    for (int k = 0; k < N_KEY; k++)
        v[k] = ig_yaml_get(map, keys[k]);
    if (v[KIND] == NULL)
        return ig_yaml_fail(map, err, "edit: kind is not given");
    IG_TRY(read_name(&kind, v[KIND], "kind", ig_edit_spec_names, err));
    IG_TRY(check_keys(map, (ig_edit_spec_kind)kind, err));
    if (v[HOW] != NULL)
        IG_TRY(read_name(&how, v[HOW], "how", subspace_names, err));
    if (v[BY] != NULL)
        IG_TRY(read_name(&by, v[BY], "by", by_names, err));
    ig_edit_spec *e = &s->spec[s->n];
    *e = (ig_edit_spec){.kind = (ig_edit_spec_kind)kind,
                        .alpha = 1,
                        .how = (ig_subspace_how)how,
                        .by_words = by == 1,
                        .take = 10000,
                        .rounds = 20};
    IG_TRY(read_numbers(e, v, err));
    IG_TRY(read_texts(s, e, v, dir, err));
    if (e->means != NULL && (e->text != NULL || how != IG_SUBSPACE_MEANS))
        return ig_yaml_fail(v[MEANS], err, "means: found it beside %s, expected one of them",
                            e->text != NULL ? "text" : "how");
    s->n++;
    return IG_ERR_OK;
}

ig_code ig_edit_specs_read(ig_edit_specs *s, const ig_yaml *v, const char *dir, ig_err *err)
{
    if (v->kind != IG_YAML_LIST)
        return read_one(s, v, dir, err);
    for (int i = 0; i < v->n; i++)
        IG_TRY(read_one(s, v->item[i], dir, err));
    return IG_ERR_OK;
}

/* The value of `edit:`, from a text or a file. */
static ig_code read_tree(ig_yaml **root, ig_yaml_pool *pool, const char *text, ig_err *err)
{
    char *wrapped;
    const int64_t n = (int64_t)strlen(text);
    if (*text != '{' && *text != '[')
        return ig_yaml_read(root, pool, text, err);
    IG_TRY(ig_alloc(&wrapped, n + 8, 1, "edit", err));
    snprintf(wrapped, (size_t)n + 8, "edit: %s", text);
    ig_code code = ig_yaml_parse(root, pool, wrapped, n + 6, "--edit", err);
    ig_free(wrapped);
    return code;
}

ig_code ig_edit_specs_add(ig_edit_specs *s, const char *text, ig_err *err)
{
    static const char *const only[] = {"edit"};
    ig_yaml_pool *pool;
    ig_yaml *root = NULL;
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = read_tree(&root, pool, text, err);
    if (code == IG_ERR_OK && (root == NULL || ig_yaml_get(root, "edit") == NULL))
        code = ig_fail(err, IG_ERR_USAGE, text, 0, "found no `edit:`");
    IG_THEN(code, ig_yaml_keys(root, only, 1, "edits", err));
    IG_THEN(code, ig_edit_specs_read(s, ig_yaml_get(root, "edit"), NULL, err));
    ig_yaml_pool_free(pool);
    return code;
}

void ig_edit_specs_free(ig_edit_specs *s)
{
    ig_pool_free(&s->pool);
    *s = (ig_edit_specs){0};
}

/* --- as JSON --------------------------------------------------------------------------------- */

static json_t *one_json(const ig_edit_spec *e)
{
    const unsigned has = rules[e->kind].may | rules[e->kind].must;
    json_t *j =
        json_pack("{s:s, s:i, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*}", "kind",
                  ig_edit_spec_names[e->kind], "layer", e->layer, "from", e->from, "to", e->to,
                  "means", e->means, "text", e->text, "matrix", e->matrix, "model", e->model);
    if (j == NULL)
        return NULL;
    if (e->by_words)
        json_object_set_new(j, "by", json_string("words"));
    if ((has & BIT(ALPHA)) != 0)
        json_object_set_new(j, "alpha", json_real(e->alpha));
    if ((has & BIT(HOW)) != 0)
        json_object_set_new(j, "how", json_string(subspace_names[e->how]));
    if ((has & BIT(TAKE)) != 0)
        json_object_set_new(j, "take", json_integer(e->take));
    if ((has & BIT(ROUNDS)) != 0)
        json_object_set_new(j, "rounds", json_integer(e->rounds));
    if ((has & BIT(SEED)) != 0)
        json_object_set_new(j, "seed", json_integer(e->seed));
    return j;
}

json_t *ig_edit_specs_json(const ig_edit_specs *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->n && list != NULL; i++)
        if (json_array_append_new(list, one_json(&s->spec[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}
