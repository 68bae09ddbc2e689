/* SPDX-License-Identifier: Apache-2.0
 *
 * The differences of a cell from the base, and its label: the differing options in the order of
 * the option table. A switch that is on appears without a value ("lang-pos"), everything else with
 * its value ("batch=64"), so that two cells have one label only if they have the same settings.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

ig_code ig_experiment_label(ig_cell *cell, const ig_run_config *base, const char *data_root,
                            ig_err *err)
{
    char *label = NULL;
    size_t size;
    bool any = false;
    FILE *f = open_memstream(&label, &size);
    if (f == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "label", 0, "not enough memory");
    ig_code code = ig_alloc(&cell->key, ig_run_options.n, sizeof *cell->key, "label", err);
    for (int i = 0; i < ig_run_options.n && code == IG_ERR_OK; i++) {
        const ig_option *o = &ig_run_options.row[i];
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
        fprintf(f, "%s%s%s", any ? "; " : "", o->name, value != NULL ? "=" : "");
        if (files)
            put_files(f, value, data_root);
        else if (value != NULL)
            fputs(value, f);
        any = true;
    }
    if (!any)
        fputs("original", f);
    if (!ig_memstream_close(f) && code == IG_ERR_OK)
        code = ig_fail(err, IG_ERR_MEMORY, "label", 0, "not enough memory");
    if (code == IG_ERR_OK)
        cell->label = label;
    else
        free(label);
    return code;
}
