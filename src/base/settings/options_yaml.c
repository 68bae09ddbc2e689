/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration files: one mapping of keys to values, in YAML or JSON (yaml_tree.h), as the values
 * of an option table.
 */
#include "base/settings/options_internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static ig_code put_list(const ig_option *o, ig_int_list *list, const ig_yaml *v, ig_err *err)
{
    list->n = 0;
    for (int i = 0; i < v->n; i++) {
        const ig_yaml *e = v->item[i];
        const ig_option_source at = {e->file, e->line, NULL};
        int64_t x;
        if (e->kind != IG_YAML_SCALAR)
            return ig_yaml_fail(e, err, "found %s, expected one value",
                                e->kind == IG_YAML_MAP ? "a mapping" : "a list");
        if (!e->plain || !ig_option_parse_int(e->text, &x)) {
            char found[112];
            snprintf(found, sizeof found, "'%.96s'", e->text);
            return ig_option_wrong(o, &at, found, err);
        }
        IG_TRY(ig_option_append(o, list, x, &at, err));
    }
    return IG_ERR_OK;
}

ig_code ig_option_put_yaml(const ig_option *o, void *field, const ig_yaml *v, const char *dir,
                           ig_err *err)
{
    const ig_option_source at = {v->file, v->line, dir};
    bool textual = ig_option_is_text(o);
    if (o->kind == IG_OPT_INTS && v->kind == IG_YAML_LIST)
        return put_list(o, field, v, err);
    if (o->flow && v->kind != IG_YAML_SCALAR) {
        ig_free(*(char **)field);
        return ig_yaml_flow(field, v, err);
    }
    if (v->kind != IG_YAML_SCALAR)
        return ig_option_wrong(o, &at, v->kind == IG_YAML_MAP ? "a mapping" : "a list", err);
    if (ig_yaml_is_null(v)) {
        if (!textual)
            return ig_option_wrong(o, &at, "null", err);
        ig_option_clear(o, field);
        return IG_ERR_OK;
    }
    /* A quoted number is a text: "256" where 256 is expected is an error. */
    if (!v->plain && !textual && o->kind != IG_OPT_ENUM) {
        char found[128];
        snprintf(found, sizeof found, "the text \"%.96s\"", v->text);
        return ig_option_wrong(o, &at, found, err);
    }
    if (strcmp(o->name, "config") == 0)
        return ig_option_wrong(o, &at, "a further configuration file", err);
    return ig_option_put(o, field, v->text, &at, err);
}

/* Sets the keys of a mapping; NULL: there are none. */
static ig_code put_keys(const ig_option_table *t, void *config, const ig_yaml *root,
                        const char *dir, bool *seen, ig_err *err)
{
    for (int k = 0; root != NULL && k < root->n; k++) {
        const ig_yaml *key = root->key[k];
        const ig_option_source at = {key->file, key->line, dir};
        const int i =
            ig_option_meant(t, ig_option_find_any(t, key->text, &at), root->item[k]->text);
        if (i < 0)
            return ig_option_unknown(t, key->text, &at, err);
        ig_option_value unused = {0};
        const bool given = seen != NULL && seen[i];
        const ig_code code =
            ig_option_put_yaml(&t->row[i], given ? &unused : ig_option_field(&t->row[i], config),
                               root->item[k], dir, err);
        if (given)
            ig_option_clear(&t->row[i], &unused);
        else if (seen != NULL)
            seen[i] = true;
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

ig_code ig_options_file(const ig_option_table *t, void *config, const char *path, bool *seen,
                        ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    const char *dir = NULL, *slash = strrchr(path, '/');
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_yaml_read(&root, pool, path, err);
    if (code == IG_ERR_OK && slash != NULL)
        code = ig_pool_text(pool, &dir, path, slash == path ? 1 : (size_t)(slash - path), err);
    IG_THEN(code, put_keys(t, config, root, dir, seen, err));
    ig_yaml_pool_free(pool);
    return code;
}

ig_code ig_options_text(const ig_option_table *t, void *config, const char *text, const char *where,
                        bool *seen, ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_yaml_parse(&root, pool, text, (int64_t)strlen(text), where, err);
    IG_THEN(code, put_keys(t, config, root, NULL, seen, err));
    ig_yaml_pool_free(pool);
    return code;
}
