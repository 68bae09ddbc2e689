/* SPDX-License-Identifier: Apache-2.0
 *
 * `axes:`, values of one key or named sets of keys, and `cells:`, named differences from the base,
 * where `like` begins with the difference of another cell.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/settings/nearest.h"
#include "base/strings/append.h"

#include <string.h>

/* A name of a cell or an axis: letters that selectors, patterns and command lines leave alone. */
static ig_code check_name(const ig_yaml *at, const char *name, const char *what, ig_err *err)
{
    bool bad = name[0] == '\0' || name[0] == '-' || strlen(name) > 40;
    for (const char *p = name; *p != '\0'; p++)
        bad = bad || (unsigned char)*p <= ' ' || *p == 0x7f || strchr(",:/*?[]\\\"'", *p) != NULL;
    if (!bad)
        return IG_ERR_OK;
    return ig_yaml_fail(at, err,
                        "%s: found '%.60s', expected a name of at most 40 letters without spaces "
                        "and , : / * ? [ ] \\ quotes",
                        what, name);
}

static bool used(const ig_yaml *map, int i)
{
    return !map->item[i]->removed;
}

/* The number of values so far, crossed: too many are reported before they are compared with each
 * other. */
static ig_code check_count(int64_t *total, const ig_axis *a, ig_err *err)
{
    *total *= a->n_value;
    if (*total <= IG_EXPERIMENT_MAX_CELL)
        return IG_ERR_OK;
    ig_yaml_fail(a->key, err, "axis '%.40s' makes it %lld cells, expected at most %d", a->key->text,
                 (long long)*total, IG_EXPERIMENT_MAX_CELL);
    return ig_hint(err, "cells are crossed with every value of every axis; split the file");
}

static ig_code name_value(ig_axis_value *v, const ig_yaml *axis, const ig_yaml *value, ig_err *err)
{
    ig_code code = check_name(value, value->text, "value of an axis", err);
    if (code != IG_ERR_OK)
        return ig_hint(err, "give it a name: %.40s: {NAME: {%.40s: …}}", axis->text, axis->text);
    snprintf(v->name, sizeof v->name, "%.39s=%.40s", axis->text, value->text);
    return IG_ERR_OK;
}

/* batch: [64, 256] */
static ig_code read_values(ig_axis *a, ig_yaml_pool *pool, const ig_yaml *list, ig_err *err)
{
    IG_TRY(ig_pool_alloc(pool, &a->value, list->n, sizeof *a->value, err));
    for (int i = 0; i < list->n; i++) {
        ig_yaml *value = list->item[i], *key[1], *item[1];
        if (value->kind != IG_YAML_SCALAR || ig_yaml_is_null(value)) {
            ig_yaml_wrong(value, a->key->text, "values of this key", err);
            return ig_hint(err, "named sets of keys are a mapping: %.40s: {NAME: {KEY: VALUE}}",
                           a->key->text);
        }
        for (int k = 0; k < i; k++)
            if (strcmp(list->item[k]->text, value->text) == 0)
                return ig_yaml_fail(value, err, "axis %.40s: '%.60s' is there twice", a->key->text,
                                    value->text);
        const ig_yaml map = {.kind = IG_YAML_MAP,
                             .file = value->file,
                             .line = value->line,
                             .text = "",
                             .n = 1,
                             .item = item,
                             .key = key};
        key[0] = (ig_yaml *)(uintptr_t)a->key;
        item[0] = value;
        IG_TRY(name_value(&a->value[i], a->key, value, err));
        IG_TRY(ig_experiment_settings_read(&a->value[i].settings, &map, NULL, 0, "axes", err));
        a->n_value++;
    }
    return IG_ERR_OK;
}

/* size: {small: {hidden: 64}, wide: {hidden: 256, heads: 4, seeds: 20}} */
static ig_code read_sets(ig_axis *a, ig_yaml_pool *pool, const ig_yaml *map, ig_err *err)
{
    static const char *const own[] = {"seeds"};
    IG_TRY(ig_pool_alloc(pool, &a->value, map->n, sizeof *a->value, err));
    for (int i = 0; i < map->n; i++) {
        if (!used(map, i))
            continue;
        ig_axis_value *v = &a->value[a->n_value];
        char what[64];
        snprintf(what, sizeof what, "%.30s=%.30s", a->key->text, map->key[i]->text);
        if (map->item[i]->kind != IG_YAML_MAP) {
            ig_yaml_wrong(map->item[i], what, "a set of keys", err);
            return ig_hint(err, "values of one key are a list: %.40s: [A, B]; {} sets nothing",
                           a->key->text);
        }
        IG_TRY(name_value(v, a->key, map->key[i], err));
        IG_TRY(ig_experiment_settings_read(&v->settings, map->item[i], own, 1, what, err));
        v->seeds = ig_experiment_value(map->item[i], own[0]);
        a->n_value++;
    }
    return IG_ERR_OK;
}

/* One key of the values of two axes. */
static ig_code both_set(const ig_yaml *one, const ig_yaml *other, const ig_axis *a,
                        const ig_axis *b, const char *key, ig_err *err)
{
    if (one == NULL || other == NULL)
        return IG_ERR_OK;
    return ig_yaml_fail(other, err, "axes '%.40s' and '%.40s' both set %s, expected one of them to",
                        a->key->text, b->key->text, key);
}

static ig_code two_axes(const ig_axis *a, const ig_axis *b, ig_err *err)
{
    for (int i = 0; i < a->n_value; i++)
        for (int k = 0; k < b->n_value; k++) {
            const ig_axis_value *v = &a->value[i], *w = &b->value[k];
            for (int o = 0; o < ig_run_options.n; o++)
                IG_TRY(both_set(v->settings.key[o], w->settings.key[o], a, b,
                                ig_run_options.row[o].name, err));
            IG_TRY(both_set(v->seeds, w->seeds, a, b, "seeds", err));
        }
    return IG_ERR_OK;
}

static ig_code no_values(const ig_yaml *key, const char *expected, ig_err *err)
{
    ig_yaml_fail(key, err, "axis '%.40s' has no values, expected %s", key->text, expected);
    return ig_hint(err, "%.40s: [A, B] for values of this key, or {NAME: {KEY: VALUE}, …}",
                   key->text);
}

ig_code ig_experiment_axes_read(ig_axis **axis, int *n_axis, const ig_experiment_tree *t,
                                ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "axes");
    int64_t total = 1;
    *axis = NULL;
    *n_axis = 0;
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "axes", err));
    IG_TRY(ig_pool_alloc(t->pool, axis, map->n, sizeof **axis, err));
    for (int i = 0; i < map->n; i++) {
        if (!used(map, i))
            continue;
        ig_axis *a = &(*axis)[(*n_axis)++];
        const ig_yaml *v = map->item[i];
        a->key = map->key[i];
        IG_TRY(check_name(a->key, a->key->text, "axes", err));
        if (v->kind == IG_YAML_SCALAR)
            return no_values(a->key, "a list of them", err);
        if (v->n > IG_EXPERIMENT_MAX_CELL)
            return ig_yaml_fail(a->key, err, "axis '%.40s' has %d values, expected at most %d",
                                a->key->text, v->n, IG_EXPERIMENT_MAX_CELL);
        IG_TRY(v->kind == IG_YAML_LIST ? read_values(a, t->pool, v, err)
                                       : read_sets(a, t->pool, v, err));
        if (a->n_value == 0)
            return no_values(a->key, "at least one", err);
        IG_TRY(check_count(&total, a, err));
        for (int k = 0; k < *n_axis - 1; k++)
            IG_TRY(two_axes(&(*axis)[k], a, err));
    }
    return IG_ERR_OK;
}

static const char *const cell_keys[] = {"like", "title", "needs", "seeds"};
enum { N_CELL_KEY = sizeof cell_keys / sizeof *cell_keys };

static ig_code read_needs(unsigned *needs, const ig_yaml *v, ig_err *err)
{
    int n = v->kind == IG_YAML_LIST ? v->n : 1;
    for (int i = 0; i < n; i++) {
        const ig_yaml *e = v->kind == IG_YAML_LIST ? v->item[i] : v;
        if (e->kind == IG_YAML_SCALAR && strcmp(e->text, "gpu") == 0)
            *needs |= IG_NEEDS_GPU;
        else if (e->kind == IG_YAML_SCALAR && strcmp(e->text, "embed") == 0)
            *needs |= IG_NEEDS_EMBED;
        else
            return ig_yaml_wrong(e, "needs", "gpu, embed or a list of both", err);
    }
    return IG_ERR_OK;
}

/* Reads the settings of the entry itself; its run settings follow later. */
static ig_code read_entry(ig_cell_entry *c, ig_err *err)
{
    const ig_yaml *v;
    IG_TRY(check_name(c->key, c->key->text, "cells", err));
    if (ig_yaml_is_null(c->map)) {
        ig_yaml_fail(c->key, err,
                     "cell '%.40s' is null, but no extended file has it to be taken out",
                     c->key->text);
        return ig_hint(err, "a cell without differences from the base is written {}");
    }
    char what[56];
    snprintf(what, sizeof what, "cell '%.40s'", c->key->text);
    IG_TRY(ig_yaml_is(c->map, IG_YAML_MAP, what, err));
    if ((v = ig_experiment_value(c->map, "title")) != NULL)
        IG_TRY(ig_yaml_text(&c->title, v, "title", err));
    if ((v = ig_experiment_value(c->map, "needs")) != NULL)
        IG_TRY(read_needs(&c->needs, v, err));
    c->seeds = ig_experiment_value(c->map, "seeds");
    c->like = ig_experiment_value(c->map, "like");
    const char *name;
    return c->like != NULL ? ig_yaml_text(&name, c->like, "like", err) : IG_ERR_OK;
}

static ig_code unknown_like(const ig_cell_entry *entry, int n, const ig_cell_entry *c, ig_err *err)
{
    const char *known[256];
    int n_known = 0;
    for (int i = 0; i < n && n_known < 256; i++)
        if (&entry[i] != c)
            known[n_known++] = entry[i].key->text;
    ig_yaml_fail(c->like, err, "like: unknown cell '%.60s'", c->like->text);
    return ig_hint_nearest_or(err, c->like->text, known, n_known,
                              "like takes the name of another entry of `cells:`");
}

/* Settings of a cell, those of `like` first; follows the chain of `like` from its end. */
static ig_code resolve_like(ig_cell_entry *entry, int n, int at, ig_err *err)
{
    int n_chain = 0;
    IG_OWNED int *chain = NULL;
    IG_TRY(ig_alloc(&chain, n, sizeof *chain, "cells", err));
    while (entry[at].state == 0) {
        ig_cell_entry *c = &entry[at];
        c->state = 1;
        chain[n_chain++] = at;
        if (c->like == NULL)
            break;
        int next = 0;
        while (next < n && strcmp(entry[next].key->text, c->like->text) != 0)
            next++;
        if (next == n)
            IG_TRY(unknown_like(entry, n, c, err));
        else if (entry[next].state == 1) {
            char text[224] = "";
            int first = 0;
            while (chain[first] != next)
                first++;
            for (int i = first; i <= n_chain; i++)
                ig_append(text, sizeof text, "%s%s", i > first ? " > " : "",
                          entry[i < n_chain ? chain[i] : next].key->text);
            return ig_yaml_fail(c->like, err, "like: goes in a circle: %s", text);
        }
        at = next < n ? next : at;
    }
    for (int i = n_chain - 1; i >= 0; i--) {
        ig_cell_entry *c = &entry[chain[i]];
        char what[64];
        snprintf(what, sizeof what, "cell '%.40s'", c->key->text);
        if (c->like != NULL) {
            int from = 0;
            while (strcmp(entry[from].key->text, c->like->text) != 0)
                from++;
            c->settings = entry[from].settings;
        }
        IG_TRY(ig_experiment_settings_read(&c->settings, c->map, cell_keys, N_CELL_KEY, what, err));
        c->state = 2;
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_entries_read(ig_cell_entry **entry, int *n, const ig_experiment_tree *t,
                                   ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "cells");
    *entry = NULL;
    *n = 0;
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "cells", err));
    if (map->n > IG_EXPERIMENT_MAX_CELL)
        return ig_yaml_fail(map, err, "%d cells, expected at most %d", map->n,
                            IG_EXPERIMENT_MAX_CELL);
    IG_TRY(ig_pool_alloc(t->pool, entry, map->n, sizeof **entry, err));
    for (int i = 0; i < map->n; i++) {
        if (!used(map, i))
            continue;
        ig_cell_entry *c = &(*entry)[*n];
        c->key = map->key[i];
        c->map = map->item[i];
        IG_TRY(read_entry(c, err));
        (*n)++;
    }
    if (*n == 0) {
        ig_yaml_fail(map, err, "cells: found none, expected at least one");
        return ig_hint(err, "leave `cells` out for the base alone or the combinations of axes");
    }
    for (int i = 0; i < *n; i++)
        IG_TRY(resolve_like(*entry, *n, i, err));
    return IG_ERR_OK;
}
