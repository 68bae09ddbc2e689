/* SPDX-License-Identifier: Apache-2.0
 *
 * Access to a node of a YAML tree for its readers: its kind, its value, its keys; and the messages
 * for other kinds (yaml_tree.h).
 */
#include "base/settings/yaml_tree.h"

#include "base/number_text.h"
#include "base/settings/nearest.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool ig_yaml_same_key(const char *a, const char *b)
{
    for (; *a != '\0'; a++, b++)
        if (*a != *b && !(*a == '-' && *b == '_') && !(*a == '_' && *b == '-'))
            return false;
    return *b == '\0';
}

int ig_yaml_find(const ig_yaml *map, const char *key)
{
    for (int i = 0; map != NULL && map->kind == IG_YAML_MAP && i < map->n; i++)
        if (ig_yaml_same_key(map->key[i]->text, key))
            return i;
    return -1;
}

ig_yaml *ig_yaml_get(const ig_yaml *map, const char *key)
{
    int i = ig_yaml_find(map, key);
    return i >= 0 && !map->item[i]->removed ? map->item[i] : NULL;
}

bool ig_yaml_is_null(const ig_yaml *v)
{
    return v->kind == IG_YAML_SCALAR && v->plain &&
           (strcmp(v->text, "null") == 0 || strcmp(v->text, "~") == 0 || v->text[0] == '\0');
}

ig_code ig_yaml_fail(const ig_yaml *at, ig_err *err, const char *fmt, ...)
{
    char msg[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return ig_fail(err, IG_ERR_USAGE, at->file, at->line, "%s", msg);
}

ig_code ig_yaml_wrong(const ig_yaml *v, const char *key, const char *expected, ig_err *err)
{
    if (v->kind != IG_YAML_SCALAR)
        return ig_yaml_fail(v, err, "%.80s: found %s, expected %s", key,
                            v->kind == IG_YAML_MAP ? "a mapping" : "a list", expected);
    if (ig_yaml_is_null(v))
        return ig_yaml_fail(v, err, "%.80s: found null, expected %s", key, expected);
    if (v->text[0] == '\0')
        return ig_yaml_fail(v, err, "%.80s: found an empty text, expected %s", key, expected);
    return ig_yaml_fail(v, err, "%.80s: found %s%.96s%s, expected %s", key,
                        v->plain ? "'" : "the text \"", v->text, v->plain ? "'" : "\"", expected);
}

ig_code ig_yaml_is(const ig_yaml *v, ig_yaml_kind kind, const char *key, ig_err *err)
{
    static const char *const name[] = {"one value", "a list", "a mapping"};
    return v->kind == kind ? IG_ERR_OK : ig_yaml_wrong(v, key, name[kind], err);
}

ig_code ig_yaml_text(const char **out, const ig_yaml *v, const char *key, ig_err *err)
{
    if (v->kind != IG_YAML_SCALAR || ig_yaml_is_null(v) || v->text[0] == '\0')
        return ig_yaml_wrong(v, key, "a text", err);
    *out = v->text;
    return IG_ERR_OK;
}

ig_code ig_yaml_flag(bool *out, const ig_yaml *v, const char *key, ig_err *err)
{
    if (v->kind != IG_YAML_SCALAR || !v->plain ||
        (strcmp(v->text, "true") != 0 && strcmp(v->text, "false") != 0))
        return ig_yaml_wrong(v, key, "true or false", err);
    *out = v->text[0] == 't';
    return IG_ERR_OK;
}

ig_code ig_yaml_int(int64_t *out, const ig_yaml *v, const char *key, int64_t min, int64_t max,
                    ig_err *err)
{
    char expected[96];
    if (v->kind == IG_YAML_SCALAR && v->plain && ig_option_parse_int(v->text, out) && *out >= min &&
        *out <= max)
        return IG_ERR_OK;
    snprintf(expected, sizeof expected, "an integer from %lld to %lld", (long long)min,
             (long long)max);
    return ig_yaml_wrong(v, key, expected, err);
}

ig_code ig_yaml_real(double *out, const ig_yaml *v, const char *key, ig_err *err)
{
    if (v->kind == IG_YAML_SCALAR && v->plain && ig_number_read(out, v->text))
        return IG_ERR_OK;
    return ig_yaml_wrong(v, key, "a number", err);
}

ig_code ig_yaml_keys(const ig_yaml *map, const char *const *known, int n_known, const char *what,
                     ig_err *err)
{
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, what, err));
    for (int i = 0; i < map->n; i++) {
        const char *key = map->key[i]->text;
        int at = 0;
        while (at < n_known && !ig_yaml_same_key(known[at], key))
            at++;
        if (at < n_known)
            continue;
        char list[240] = "keys here are ";
        for (int k = 0; k < n_known; k++)
            ig_append(list, sizeof list, "%s%s", k > 0 ? ", " : "", known[k]);
        ig_yaml_fail(map->key[i], err, "%.80s: unknown key '%.100s'", what, key);
        return ig_hint_nearest_or(err, key, known, n_known, list);
    }
    return IG_ERR_OK;
}

/* Appends to the text, or only counts where `out` is NULL. */
static void put_flow(char *out, size_t *n, const char *text)
{
    for (; *text != '\0'; text++, ++*n)
        if (out != NULL)
            out[*n] = *text;
}

/* Quoted texts double their quotes (YAML 1.1, 9.1.3); line ends become blanks, as YAML folds them.
 */
static void put_quoted(char *out, size_t *n, const char *text)
{
    put_flow(out, n, "'");
    for (; *text != '\0'; text++) {
        const char one[] = {*text == '\n' ? ' ' : *text, '\0'};
        put_flow(out, n, one);
        if (*text == '\'')
            put_flow(out, n, one);
    }
    put_flow(out, n, "'");
}

static void put_node(char *out, size_t *n, const ig_yaml *v)
{
    if (v->kind == IG_YAML_SCALAR) {
        (v->plain ? put_flow : put_quoted)(out, n, v->text);
        return;
    }
    const bool map = v->kind == IG_YAML_MAP;
    const char *between = "";
    put_flow(out, n, map ? "{" : "[");
    for (int i = 0; i < v->n; i++) {
        if (v->item[i]->removed)
            continue;
        put_flow(out, n, between);
        if (map) {
            put_node(out, n, v->key[i]);
            put_flow(out, n, ": ");
        }
        put_node(out, n, v->item[i]);
        between = ", ";
    }
    put_flow(out, n, map ? "}" : "]");
}

ig_code ig_yaml_flow(char **out, const ig_yaml *v, ig_err *err)
{
    size_t n = 0;
    put_node(NULL, &n, v);
    IG_TRY(ig_alloc(out, (int64_t)n + 1, 1, "text", err));
    n = 0;
    put_node(*out, &n, v);
    return IG_ERR_OK;
}
