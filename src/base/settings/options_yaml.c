/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration files: one mapping of keys to values, in YAML or JSON (yaml_tree.h), as the values
 * of an option table.
 */
#include "base/memory.h"
#include "base/settings/options_internal.h"

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
    if (v->kind != IG_YAML_SCALAR)
        return ig_option_wrong(o, &at, v->kind == IG_YAML_MAP ? "a mapping" : "a list", err);
    if (ig_yaml_is_null(v)) {
        if (!textual)
            return ig_option_wrong(o, &at, "null", err);
        ig_option_clear(o, field);
        return IG_ERR_OK;
    }
    /* A quoted number is a text: "256" where 256 is wanted is a mistake that is told. */
    if (!v->plain && !textual && o->kind != IG_OPT_ENUM) {
        char found[128];
        snprintf(found, sizeof found, "the text \"%.96s\"", v->text);
        return ig_option_wrong(o, &at, found, err);
    }
    if (strcmp(o->name, "config") == 0)
        return ig_option_wrong(o, &at, "a further configuration file", err);
    return ig_option_put(o, field, v->text, &at, err);
}

/* first_line[n]: where each key was, 0 for nowhere. */
static ig_code put_mapping(const ig_option *o, int n, void *config, const ig_yaml *map,
                           const char *dir, const bool *seen, uint64_t *first_line, ig_err *err)
{
    for (int k = 0; k < map->n; k++) {
        const ig_yaml *key = map->key[k], *v = map->item[k];
        const ig_option_source at = {key->file, key->line, dir};
        int i = ig_option_find(o, n, key->text);
        if (i < 0)
            return ig_option_unknown(o, n, key->text, &at, err);
        if (first_line[i] != 0)
            return ig_option_twice(&o[i], &at, first_line[i], err);
        first_line[i] = key->line;
        if (seen != NULL && seen[i]) {
            ig_option_value unused = {0};
            ig_code code = ig_option_put_yaml(&o[i], &unused, v, dir, err);
            ig_option_clear(&o[i], &unused);
            IG_TRY(code);
        } else {
            IG_TRY(ig_option_put_yaml(&o[i], ig_option_field(&o[i], config), v, dir, err));
        }
    }
    return IG_ERR_OK;
}

ig_code ig_options_file(const ig_option *o, int n, void *config, const char *path, bool *seen,
                        ig_err *err)
{
    ig_yaml_pool *pool;
    ig_yaml *root;
    char *dir = NULL;
    uint64_t *first_line = NULL;
    const char *slash = strrchr(path, '/');
    IG_TRY(ig_yaml_pool_new(&pool, err));
    ig_code code = ig_yaml_read(&root, pool, path, err);
    IG_THEN(code, ig_alloc(&first_line, n, sizeof *first_line, path, err));
    if (code == IG_ERR_OK && slash != NULL) {
        int64_t n_dir = slash == path ? 1 : (int64_t)(slash - path);
        code = ig_alloc(&dir, n_dir + 1, 1, path, err);
        if (code == IG_ERR_OK)
            memcpy(dir, path, (size_t)n_dir);
    }
    if (code == IG_ERR_OK && root != NULL)
        code = put_mapping(o, n, config, root, dir, seen, first_line, err);
    for (int i = 0; code == IG_ERR_OK && seen != NULL && i < n; i++)
        seen[i] = seen[i] || first_line[i] != 0;
    IG_FREE(first_line, dir);
    ig_yaml_pool_free(pool);
    return code;
}
