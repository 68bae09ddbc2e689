/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of `isoglot train` inside an experiment file: which are allowed, why the others are not, and
 * their values as settings of a run; and the differences of a cell from the base with its label,
 * the differing options in the order of the option table. A switch that is on appears without a
 * value
 * ("lang-pos"), everything else with its value ("batch=64"), so that two cells have one label only
 * if they have the same settings.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/settings/nearest.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that an experiment file must not set, and alternatives. */
static const struct {
    const char *name, *why;
} elsewhere[] = {
    {"out", "the run's folder is its address in the store: isoglot run --store DIR"},
    {"config", "another file is named in `extends:`"},
    {"threads", "it changes no result: isoglot run --threads N"},
    {"max-time", "it changes no result: isoglot run --max-time T"},
    {"seed", "seeds are listed in `seeds:`, of the experiment, a cell or a value of an axis"},
    {"dry-run", "it belongs to the command line: isoglot run --dry-run"},
    {"json", "it belongs to the command line"},
    {"log-every", "it changes no result"},
    {"save-every", "what is measured is said in `measure: {checkpoints: …}`"},
    {"keep", "what is measured is said in `measure: {checkpoints: …}`"},
    {"save-log-spaced", "write `measure: {checkpoints: log}`"},
    {"eval-layers", "write `measure: {layers: …}`"},
    {"eval", "what is measured is said in `measure:`"},
    {"eval-every", "write `measure: {checkpoints: {every: N}}`"},
};

bool ig_experiment_option_allowed(const char *name, const char **why)
{
    *why = NULL;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            *why = elsewhere[i].why;
    return *why == NULL;
}

/* "what: " before a message, unless the file's name says that: "--set". */
static const char *before(char (*text)[96], const char *what, const ig_yaml *at)
{
    const bool said = at->file != NULL && strcmp(what, at->file) == 0;
    (*text)[0] = '\0';
    if (!said)
        snprintf(*text, sizeof *text, "%.80s: ", what);
    return *text;
}

static ig_code unknown(const ig_yaml *key, const char *const *reserved, int n_reserved,
                       const char *what, ig_err *err)
{
    const char *name[IG_OPTION_MAX + 16], *why;
    int n = 0;
    for (int i = 0; i < n_reserved && n < 16; i++)
        name[n++] = reserved[i];
    for (int i = 0; i < ig_run_options.n; i++)
        if (ig_experiment_option_allowed(ig_run_options.row[i].name, &why))
            name[n++] = ig_run_options.row[i].name;
    char prefix[96];
    ig_yaml_fail(key, err, "%sunknown key '%.100s'", before(&prefix, what, key), key->text);
    return ig_hint_nearest_or(err, key->text, name, n,
                              "keys here are options of isoglot train (isoglot help train all)");
}

ig_code ig_experiment_settings_read(ig_experiment_settings *s, const ig_yaml *map,
                                    const char *const *reserved, int n_reserved, const char *what,
                                    ig_err *err)
{
    const ig_yaml *own[IG_OPTION_MAX] = {0};
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, what, err));
    for (int k = 0; k < map->n; k++) {
        const ig_yaml *key = map->key[k], *value = map->item[k];
        const char *why;
        char prefix[96];
        bool skip = value->removed;
        for (int i = 0; i < n_reserved && !skip; i++)
            skip = ig_yaml_same_key(key->text, reserved[i]);
        if (skip)
            continue;
        const ig_option_source at = {key->file, key->line, NULL};
        int o = ig_option_meant(&ig_run_options,
                                ig_option_find_any(&ig_run_options, key->text, &at), value->text);
        if (o < 0)
            return unknown(key, reserved, n_reserved, what, err);
        if (!ig_experiment_option_allowed(ig_run_options.row[o].name, &why)) {
            ig_yaml_fail(key, err, "%s%s is not set in an experiment file",
                         before(&prefix, what, key), ig_run_options.row[o].name);
            return ig_hint(err, "%s", why);
        }
        if (own[o] != NULL)
            return ig_option_twice(&ig_run_options.row[o], &at, own[o]->line, err);
        if (ig_run_options.row[o].kind == IG_OPT_PATH && strcmp(value->text, "-") == 0)
            return ig_yaml_fail(value, err,
                                "%s%s is standard input, expected a file: every run reads it",
                                before(&prefix, what, value), ig_run_options.row[o].name);
        own[o] = key;
        bool takes_out = s->value[o] != NULL && ig_yaml_is_null(value);
        s->key[o] = takes_out ? NULL : key;
        s->value[o] = takes_out ? NULL : value;
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_settings_apply(const ig_experiment_settings *s, ig_run_config *c,
                                     const char *data_root, ig_err *err)
{
    for (int i = 0; i < ig_run_options.n; i++) {
        const ig_option *o = &ig_run_options.row[i];
        const ig_yaml *v = s->value[i];
        if (v == NULL)
            continue;
        if (ig_yaml_is_null(v))
            IG_TRY(ig_option_reset(o, ig_option_field(o, c), err));
        else
            IG_TRY(ig_option_put_yaml(o, ig_option_field(o, c), v, data_root, err));
    }
    return IG_ERR_OK;
}

/* A path as the file writes it. */
static const char *below(const char *path, const char *root)
{
    size_t n = root != NULL ? strlen(root) : 0;
    return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* Shortens each file in "NAME=FILE; NAME=FILE". */
static void put_files(FILE *f, const char *s, const char *root)
{
    for (const char *end; *s != '\0'; s = end) {
        size_t n = strcspn(s, "=");
        n += s[n] == '=';
        const char *path = below(s + n, root);
        end = path + strcspn(path, ";");
        end += *end == ';';
        fprintf(f, "%.*s%.*s", (int)n, s, (int)(end - path), path);
    }
}

/* The value in a label; NULL: the name alone says it. `buffer` is for numbers. */
static const char *value_text(const ig_option *o, const void *field, const char *data_root,
                              char *buffer, size_t size)
{
    switch (o->kind) {
    case IG_OPT_FLAG:
        return *(const bool *)field ? NULL : "false";
    case IG_OPT_INT:
        snprintf(buffer, size, "%lld", (long long)ig_option_int(o, field));
        return buffer;
    case IG_OPT_REAL:
    case IG_OPT_TIME:
        snprintf(buffer, size, "%.12g", *(const double *)field);
        return buffer;
    case IG_OPT_STRING:
    case IG_OPT_FILES:
    case IG_OPT_PATH: {
        const char *s = *(char *const *)field;
        return s == NULL ? "none" : o->kind == IG_OPT_PATH ? below(s, data_root) : s;
    }
    case IG_OPT_ENUM: {
        /* The usual way of switching on is written as a switch. */
        int i = *(const int *)field;
        bool usual = i == 1 && strcmp(o->names[0], "off") == 0;
        return usual ? NULL : o->names[i];
    }
    case IG_OPT_INTS: {
        const ig_int_list *list = field;
        buffer[0] = '\0';
        for (int i = 0; i < list->n; i++)
            ig_append(buffer, size, "%s%lld", i > 0 ? "," : "", (long long)list->v[i]);
        return buffer;
    }
    case IG_OPT_TEXTS: /* of command lines only */
        break;
    }
    return "?";
}

/* One of updates and epochs is always 0; the other gives the length of the training. */
static bool said_by_another(const ig_run_config *c, const char *name)
{
    return (strcmp(name, "updates") == 0 && c->optimisation.updates == 0) ||
           (strcmp(name, "epochs") == 0 && c->optimisation.epochs == 0);
}

ig_code ig_experiment_label(ig_cell *cell, const ig_run_config *base, const ig_experiment *e,
                            ig_err *err)
{
    char *label = NULL;
    size_t size;
    bool any = false;
    FILE *f = open_memstream(&label, &size);
    if (f == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "label", 0, "not enough memory");
    ig_code code = ig_pool_alloc(e->pool, &cell->key, ig_run_options.n, sizeof *cell->key, err);
    for (int i = 0; i < ig_run_options.n && code == IG_ERR_OK; i++) {
        const ig_option *o = &ig_run_options.row[i];
        const void *field = ig_option_field(o, &cell->config);
        const void *was = (const char *)base + o->offset;
        const char *why;
        char buffer[256];
        if (!ig_experiment_option_allowed(o->name, &why) || ig_option_same(o, field, was))
            continue;
        cell->key[cell->n_key++] = o->name;
        if (said_by_another(&cell->config, o->name))
            continue;
        const char *value = value_text(o, field, e->data_root, buffer, sizeof buffer);
        const bool files = o->kind == IG_OPT_FILES && *(char *const *)field != NULL;
        fprintf(f, "%s%s%s", any ? "; " : "", o->name, value != NULL ? "=" : "");
        if (files)
            put_files(f, value, e->data_root);
        else if (value != NULL)
            fputs(value, f);
        any = true;
    }
    if (!any)
        fputs("original", f);
    if (!ig_memstream_close(f) && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, "label", 0, "not enough memory");
    IG_THEN(code, ig_pool_text(e->pool, &cell->label, label, size, err));
    free(label);
    return code;
}
