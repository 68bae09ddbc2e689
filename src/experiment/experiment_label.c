/* SPDX-License-Identifier: Apache-2.0
 *
 * In what a cell differs from the base, and its label: the differing options in the order of the
 * option table. A switch that is on is named alone ("lang-pos"), everything else with its value
 * ("batch=64"), so that two cells have one label only when they have the same settings.
 */
#include "experiment/experiment_parts.h"
#include "base/memory.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows. */
typedef struct {
    char *p;
    int64_t room;
    size_t n;
} text;

static ig_code add(text *t, const char *s, size_t n, ig_err *err)
{
    IG_TRY(ig_grow(&t->p, &t->room, (int64_t)(t->n + n + 1), 1, "label", err));
    memcpy(t->p + t->n, s, n);
    t->n += n;
    t->p[t->n] = '\0';
    return IG_ERR_OK;
}

static ig_code add_item(text *t, const char *name, const char *value, ig_err *err)
{
    if (t->n > 0)
        IG_TRY(add(t, "; ", 2, err));
    IG_TRY(add(t, name, strlen(name), err));
    if (value == NULL)
        return IG_ERR_OK;
    IG_TRY(add(t, "=", 1, err));
    return add(t, value, strlen(value), err);
}

/* A path as the file writes it. */
static const char *below(const char *path, const char *root)
{
    size_t n = root != NULL ? strlen(root) : 0;
    return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* The same of each file in "NAME=FILE; NAME=FILE". */
static ig_code add_files(text *t, const char *s, const char *root, ig_err *err)
{
    for (const char *end; *s != '\0'; s = end) {
        size_t n = strcspn(s, "=");
        n += s[n] == '=';
        const char *path = below(s + n, root);
        IG_TRY(add(t, s, n, err));
        end = path + strcspn(path, ";");
        end += *end == ';';
        IG_TRY(add(t, path, (size_t)(end - path), err));
    }
    return IG_ERR_OK;
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
        /* Of a switch with several ways to be on, the usual one is the switch. */
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

/* Of updates and epochs, one of which is always 0, the other says how long the training is. */
static bool said_by_another(const ig_run_config *c, const char *name)
{
    return (strcmp(name, "updates") == 0 && c->optimisation.updates == 0) ||
           (strcmp(name, "epochs") == 0 && c->optimisation.epochs == 0);
}

ig_code ig_experiment_label(ig_cell *cell, const ig_run_config *base, const char *data_root,
                            ig_err *err)
{
    text label = {0};
    ig_code code = ig_alloc(&cell->key, IG_RUN_N_OPTION, sizeof *cell->key, "label", err);
    for (int i = 0; i < IG_RUN_N_OPTION && code == IG_ERR_OK; i++) {
        const ig_option *o = &ig_run_options[i];
        const void *field = ig_option_field(o, &cell->config);
        const void *was = (const char *)base + o->offset;
        const char *why;
        char buffer[256];
        if (!ig_experiment_option_allowed(o->name, &why) || ig_option_same(o, field, was))
            continue;
        code = ig_copy_text(&cell->key[cell->n_key], o->name, "experiment", err);
        cell->n_key += code == IG_ERR_OK;
        if (code != IG_ERR_OK || said_by_another(&cell->config, o->name))
            continue;
        const char *value = value_text(o, field, data_root, buffer, sizeof buffer);
        const bool files = o->kind == IG_OPT_FILES && *(char *const *)field != NULL;
        code = add_item(&label, o->name, files ? "" : value, err);
        if (files)
            IG_THEN(code, add_files(&label, value, data_root, err));
    }
    if (code == IG_ERR_OK && label.n == 0)
        code = add_item(&label, "original", NULL, err);
    if (code == IG_ERR_OK)
        cell->label = label.p;
    else
        ig_free(label.p);
    return code;
}
