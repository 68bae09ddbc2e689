/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes edits as settings. One table lists the keys in the order of the JSON, another
 * the keys that each kind may have and those that it requires.
 */
#include "apply/edit/edit_spec.h"

#include "base/memory.h"
#include "base/settings/options_internal.h"

#include <stdio.h>
#include <string.h>

#define IG_EDIT_SPEC_NAME(id, name) #name,
const char *const ig_edit_spec_names[] = {IG_EDIT_SPEC_LIST(IG_EDIT_SPEC_NAME) NULL};
#undef IG_EDIT_SPEC_NAME
static const char *const subspace_names[] = {"means", "discriminant", "inlp", "inlp-paper", NULL};
const char *const ig_edit_rule_names[] = {"list", "lape", "random", NULL};
static const char *const fill_names[] = {"zero", "mean", NULL};
static const char *const by_names[] = {"sentences", "words", NULL};

enum {
    KIND,
    LAYER,
    FROM,
    TO,
    MEANS,
    TEXT,
    MATRIX,
    MODEL,
    BY,
    ALPHA,
    HOW,
    TAKE,
    ROUNDS,
    SEED,
    LIST,
    RULE,
    COUNT,
    FILL,
    N_KEY
};
static const ig_option keys[N_KEY] = {
    [KIND] = {IG_ENUM(ig_edit_spec, "kind", kind, NULL, ig_edit_spec_names, "")},
    [LAYER] = {IG_INT(ig_edit_spec, "layer", layer, NULL, 0, 1000, "")},
    [FROM] = {IG_TEXT(ig_edit_spec, "from", from, NULL, "L", "")},
    [TO] = {IG_TEXT(ig_edit_spec, "to", to, NULL, "L", "")},
    [MEANS] = {IG_PATH(ig_edit_spec, "means", means, "FILE", "")},
    [TEXT] = {.name = "text", .kind = IG_OPT_FILES, .offset = offsetof(ig_edit_spec, text)},
    [MATRIX] = {IG_PATH(ig_edit_spec, "matrix", matrix, "FILE", "")},
    [MODEL] = {IG_PATH(ig_edit_spec, "model", model, "DIR", "")},
    [BY] = {IG_ENUM(ig_edit_spec, "by", by_words, "sentences", by_names, "")},
    [ALPHA] = {IG_REAL(ig_edit_spec, "alpha", alpha, "1", -IG_EDIT_ALPHA_MAX, IG_EDIT_ALPHA_MAX,
                       "")},
    [HOW] = {IG_ENUM(ig_edit_spec, "how", how, "means", subspace_names, "")},
    [TAKE] = {IG_INT(ig_edit_spec, "take", take, "10000", 1, 1e9, "")},
    [ROUNDS] = {IG_INT(ig_edit_spec, "rounds", rounds, "20", 1, 1000, "")},
    [SEED] = {IG_INT(ig_edit_spec, "seed", seed, "0", 0, 1e15, "")},
    [LIST] = {IG_TEXT(ig_edit_spec, "list", list, NULL, "L:N", "")},
    [RULE] = {IG_ENUM(ig_edit_spec, "rule", rule, "list", ig_edit_rule_names, "")},
    [COUNT] = {IG_INT(ig_edit_spec, "count", count, "0", 0, 1e6, "")},
    [FILL] = {IG_ENUM(ig_edit_spec, "fill", fill, "zero", fill_names, "")},
};
static const ig_option_table table = IG_OPTION_TABLE(keys);
#define BIT(key) (1u << (key))

#define OF_UNITS                                                                                   \
    (BIT(LAYER) | BIT(LIST) | BIT(RULE) | BIT(COUNT) | BIT(FILL) | BIT(TEXT) | BIT(TAKE) |         \
     BIT(SEED))

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
    [IG_EDIT_SPEC_HEADS] = {OF_UNITS, 0},
    [IG_EDIT_SPEC_NEURONS] = {OF_UNITS | BIT(FROM), 0},
};

/* {en: FILE, de: FILE} as one text, "en=FILE; de=FILE". */
static ig_code join_files(const char **out, ig_pool *pool, const ig_yaml *v, ig_err *err)
{
    *out = "";
    for (int i = 0; i < v->n; i++) {
        const char *path;
        IG_TRY(ig_yaml_text(&path, v->item[i], "text", err));
        if (strpbrk(path, ";") != NULL || strpbrk(v->key[i]->text, ";=") != NULL)
            return ig_yaml_fail(v->item[i], err, "text: found ';' or '=' in a name");
        IG_TRY(ig_pool_print(pool, out, err, "%s; %s=%s", *out, v->key[i]->text, path));
    }
    return IG_ERR_OK;
}

static ig_code read_key(ig_edit_spec *e, int key, const ig_yaml *v, const char *dir, ig_err *err)
{
    void *field = ig_option_field(&keys[key], e);
    const ig_option_source at = {v->file, v->line, dir};
    const char *text;
    IG_SCOPED(ig_pool_free) ig_pool pool = {0};
    if (key != TEXT || v->kind != IG_YAML_MAP)
        return ig_option_put_yaml(&keys[key], field, v, dir, err);
    IG_TRY(join_files(&text, &pool, v, err));
    return ig_option_put(&keys[TEXT], field, text, &at, err);
}

bool ig_edit_of_units(const ig_edit_spec *e)
{
    return e->kind == IG_EDIT_SPEC_HEADS || e->kind == IG_EDIT_SPEC_NEURONS;
}

static ig_code check_keys(const ig_yaml *map, const ig_edit_spec *e, ig_err *err)
{
    const int kind = e->kind;
    const unsigned must = rules[kind].must | (ig_edit_of_units(e) ? 0 : BIT(LAYER)) | BIT(KIND);
    for (int k = 0; k < N_KEY; k++) {
        const ig_yaml *v = ig_yaml_get(map, keys[k].name);
        if (v == NULL && (must & BIT(k)) != 0)
            return ig_yaml_fail(map, err, "%s: %s is not given", ig_edit_spec_names[kind],
                                keys[k].name);
        if (v != NULL && ((must | rules[kind].may) & BIT(k)) == 0)
            return ig_yaml_fail(v, err, "%s: has no %s", ig_edit_spec_names[kind], keys[k].name);
    }
    return IG_ERR_OK;
}

/* Heads and neurons: a list, or a rule and how many. */
static ig_code check_units(const ig_edit_spec *e, const ig_yaml *map, ig_err *err)
{
    static const int of_rule[] = {LAYER, COUNT, FROM, SEED};
    const char *kind = ig_edit_spec_names[e->kind];
    if (e->rule != IG_EDIT_RULE_LIST && e->list != NULL)
        return ig_yaml_fail(map, err, "%s: found list beside rule, expected one of them", kind);
    if (e->rule == IG_EDIT_RULE_LIST && (e->list == NULL || e->list[strspn(e->list, ", ")] == '\0'))
        return ig_yaml_fail(map, err, "%s: expected list: \"LAYER:NUMBER, …\", or rule and count",
                            kind);
    if (e->rule != IG_EDIT_RULE_LIST && e->count == 0)
        return ig_yaml_fail(map, err, "%s: rule %s needs a count of 1 or more", kind,
                            ig_edit_rule_names[e->rule]);
    if (e->rule == IG_EDIT_RULE_LAPE && e->kind == IG_EDIT_SPEC_HEADS)
        return ig_yaml_fail(map, err, "heads: found rule lape, expected random: it is of neurons");
    for (size_t i = 0; i < sizeof of_rule / sizeof *of_rule; i++) {
        const char *key = keys[of_rule[i]].name;
        const bool needless = e->rule == IG_EDIT_RULE_LIST ||
                              (of_rule[i] == FROM && e->rule != IG_EDIT_RULE_LAPE) ||
                              (of_rule[i] == SEED && e->rule != IG_EDIT_RULE_RANDOM);
        if (needless && ig_yaml_get(map, key) != NULL)
            return ig_yaml_fail(ig_yaml_get(map, key), err, "%s: rule %s has no %s", kind,
                                ig_edit_rule_names[e->rule], key);
    }
    return IG_ERR_OK;
}

static ig_code read_keys(ig_edit_spec *e, const ig_yaml *map, const char *dir, ig_err *err)
{
    const ig_yaml *kind = ig_yaml_get(map, "kind"), *means = ig_yaml_get(map, "means");
    if (kind == NULL)
        return ig_yaml_fail(map, err, "edit: kind is not given");
    IG_TRY(ig_options_default(&table, e, err));
    IG_TRY(read_key(e, KIND, kind, dir, err));
    IG_TRY(check_keys(map, e, err));
    for (int k = 0; k < N_KEY; k++)
        if (ig_yaml_get(map, keys[k].name) != NULL)
            IG_TRY(read_key(e, k, ig_yaml_get(map, keys[k].name), dir, err));
    if (e->kind == IG_EDIT_SPEC_ATTENTION && e->layer == 0)
        return ig_yaml_fail(ig_yaml_get(map, "layer"), err,
                            "layer: found 0, expected 1 or more: embeddings do not attend");
    if (ig_edit_of_units(e))
        IG_TRY(check_units(e, map, err));
    if (means != NULL && (e->text != NULL || e->how != IG_SUBSPACE_MEANS))
        return ig_yaml_fail(means, err, "means: found it beside %s, expected one of them",
                            e->text != NULL ? "text" : "how");
    return IG_ERR_OK;
}

static ig_code read_one(ig_edit_specs *s, const ig_yaml *map, const char *dir, ig_err *err)
{
    const char *name[N_KEY];
    for (int k = 0; k < N_KEY; k++)
        name[k] = keys[k].name;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "edit", err));
    IG_TRY(ig_yaml_keys(map, name, N_KEY, "edit", err));
    if (s->n == IG_EDIT_SPECS_MAX)
        return ig_yaml_fail(map, err, "edit: more than %d of them", IG_EDIT_SPECS_MAX);
    ig_edit_spec *e = &s->spec[s->n];
    *e = (ig_edit_spec){0};
    const ig_code code = read_keys(e, map, dir, err);
    if (code == IG_ERR_OK)
        s->n++;
    else
        ig_options_free(&table, e);
    return code;
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
    IG_OWNED char *wrapped = NULL;
    const int64_t n = (int64_t)strlen(text);
    if (*text != '{' && *text != '[')
        return ig_yaml_read(root, pool, text, err);
    IG_TRY(ig_alloc(&wrapped, n + 8, 1, "edit", err));
    snprintf(wrapped, (size_t)n + 8, "edit: %s", text);
    return ig_yaml_parse(root, pool, wrapped, n + 6, "--edit", err);
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
    for (int i = 0; i < s->n; i++)
        ig_options_free(&table, &s->spec[i]);
    *s = (ig_edit_specs){0};
}

bool ig_edit_specs_have_means(const ig_edit_specs *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->spec[i].means != NULL)
            return true;
    return false;
}

/* --- as JSON --------------------------------------------------------------------------------- */

static json_t *one_json(const ig_edit_spec *e)
{
    unsigned has = rules[e->kind].may | rules[e->kind].must | BIT(KIND) | BIT(LAYER);
    if (ig_edit_of_units(e))
        has &= ~((e->layer == 0 ? BIT(LAYER) : 0) | (e->count == 0 ? BIT(COUNT) : 0) |
                 (e->rule != IG_EDIT_RULE_RANDOM ? BIT(SEED) : 0) |
                 (e->rule == IG_EDIT_RULE_LIST ? BIT(RULE) : 0) |
                 (e->rule != IG_EDIT_RULE_LAPE && e->fill != IG_EDIT_FILL_MEAN ? BIT(TAKE) : 0));
    json_t *j = ig_options_json(&table, e);
    for (int k = 0; k < N_KEY && j != NULL; k++)
        if ((has & BIT(k)) == 0 || json_is_null(json_object_get(j, keys[k].name)) ||
            (k == BY && !e->by_words))
            json_object_del(j, keys[k].name);
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
