/* SPDX-License-Identifier: Apache-2.0
 *
 * Option tables: defaults, the command line, and the resolved values as JSON and back. Files are
 * read in options_yaml.c; single values in options_value.c.
 */
#include "base/settings/options.h"

#include "base/memory.h"
#include "base/settings/options_internal.h"

#include <stdio.h>
#include <string.h>

ig_code ig_options_default(const ig_option_table *t, void *config, ig_err *err)
{
    static const ig_option_source at = {"built-in default", 0, NULL};
    for (int i = 0; i < t->n; i++) {
        if (t->row[i].def != NULL)
            IG_TRY(ig_option_put(&t->row[i], ig_option_field(&t->row[i], config), t->row[i].def,
                                 &at, err));
    }
    return IG_ERR_OK;
}

void ig_options_free(const ig_option_table *t, void *config)
{
    for (int i = 0; i < t->n; i++)
        ig_option_clear(&t->row[i], ig_option_field(&t->row[i], config));
}

ig_code ig_options_set(const ig_option_table *t, void *config, const ig_setting *s, ig_err *err)
{
    const ig_option_source at = {s->where, s->line, NULL};
    int i = ig_option_meant(t, ig_option_find_any(t, s->key, &at), s->text);
    if (i < 0)
        return ig_option_unknown(t, s->key, &at, err);
    return ig_option_put(&t->row[i], ig_option_field(&t->row[i], config), s->text, &at, err);
}

/* Short options of all tables that have these options. */
static const struct {
    char letter;
    const char *name;
} letters[] = {{'h', "help"},    {'q', "quiet"},   {'v', "verbose"}, {'c', "config"},
               {'j', "jobs"},    {'n', "dry-run"}, {'o', "out"},     {'s', "set"},
               {'t', "threads"}, {'V', "variant"}};
enum { N_LETTER = (int)(sizeof letters / sizeof *letters) };

static const char *long_form(char letter)
{
    for (int i = 0; i < N_LETTER; i++)
        if (letters[i].letter == letter)
            return letters[i].name;
    return NULL;
}

char ig_option_letter(const char *name)
{
    for (int i = 0; i < N_LETTER; i++)
        if (strcmp(letters[i].name, name) == 0)
            return letters[i].letter;
    return '\0';
}

ig_code ig_options_check_effects(const ig_option_table *t, const void *config,
                                 const char *(*why)(const ig_option *o, const void *config),
                                 const unsigned char *given, ig_err *err)
{
    int n_given = 0;
    for (int i = 0; i < t->n; i++)
        n_given += given[i] != IG_GIVEN_NOT || strcmp(t->row[i].name, "config") == 0;
    const bool record = n_given == t->n;
    for (int i = 0; i < t->n; i++) {
        char where[64];
        if (given[i] == IG_GIVEN_NOT || (given[i] == IG_GIVEN_FILE && record))
            continue;
        const char *reason = why(&t->row[i], config);
        snprintf(where, sizeof where, "--%s", t->row[i].name);
        if (reason != NULL)
            return ig_fail(err, IG_ERR_USAGE, given[i] == IG_GIVEN_FILE ? where + 2 : where, 0,
                           "has no effect: %s", reason);
    }
    return IG_ERR_OK;
}

typedef struct {
    const ig_option_table *t;
    void *config;
    bool *seen;
    int argc;
    char **argv;
    int i_arg; /* the argument being read */
} command_line;

/* Finds the option of `arg`; *value: the value given with it, or NULL; *off: the flag is
 * negated. */
static ig_code find_option(const command_line *c, const char *arg, int *at, const char **value,
                           bool *off, ig_err *err)
{
    static const ig_option_source from = {NULL, 0, NULL};
    char name[64];
    int i = -1;
    *value = NULL;
    *off = false;
    const size_t len = arg[1] == '-' ? strcspn(arg + 2, "=") : 0;
    if (arg[1] != '-') {
        const char *full = long_form(arg[1]);
        i = full == NULL ? -1 : ig_option_find(c->t, full);
        if (i >= 0 && arg[2] != '\0') {
            *value = arg + 2;
            i = c->t->row[i].kind == IG_OPT_FLAG ? -1 : i;
        }
    } else if (len < sizeof name) {
        memcpy(name, arg + 2, len);
        name[len] = '\0';
        if (arg[2 + len] == '=')
            *value = arg + 2 + len + 1;
        i = ig_option_find(c->t, name);
        if (i < 0 && (strncmp(name, "no-", 3) == 0 || strncmp(name, "no_", 3) == 0)) {
            i = ig_option_find(c->t, name + 3);
            if (i >= 0 && c->t->row[i].kind != IG_OPT_FLAG)
                i = -1;
            *off = i >= 0;
        }
        if (i < 0)
            i = ig_option_find_any(c->t, name, &from);
        if (i < 0)
            return ig_option_unknown(c->t, name, &from, err);
    }
    if (i < 0)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "unknown option '%.100s'", arg);
    *at = i;
    return IG_ERR_OK;
}

/* Reads the option in argv[i_arg] and, if it has one, its value in the next argument. */
static ig_code parse_option(command_line *c, ig_err *err)
{
    static const ig_option_source at = {NULL, 0, NULL};
    const char *arg = c->argv[c->i_arg], *value;
    int i = 0;
    bool off;
    IG_TRY(find_option(c, arg, &i, &value, &off, err));
    if (value == NULL && c->i_arg + 1 < c->argc)
        i = ig_option_meant(c->t, i, c->argv[c->i_arg + 1]);
    else
        i = ig_option_meant(c->t, i, value);
    const ig_option *o = &c->t->row[i];
    if (c->seen[i] && o->kind != IG_OPT_TEXTS)
        return ig_option_twice(o, &at, 0, err);
    c->seen[i] = true;
    if (o->kind == IG_OPT_FLAG) {
        if (off && value != NULL)
            return ig_fail(err, IG_ERR_USAGE, arg, 0, "found a value, expected none after --no-%s",
                           o->name);
        return ig_option_put(o, ig_option_field(o, c->config),
                             value != NULL ? value
                             : off         ? "false"
                                           : "true",
                             &at, err);
    }
    if (value == NULL) {
        const bool last = c->i_arg + 1 == c->argc;
        if (last || strncmp(c->argv[c->i_arg + 1], "--", 2) == 0) {
            ig_code code = ig_option_wrong(o, &at, "nothing", err);
            if (!last && o->kind == IG_OPT_STRING)
                ig_hint(err, "a value that begins so is given as %s='%.100s'", arg,
                        c->argv[c->i_arg + 1]);
            return code;
        }
        value = c->argv[++c->i_arg];
    }
    return ig_option_put(o, ig_option_field(o, c->config), value, &at, err);
}

ig_code ig_options_parse(const ig_option_table *t, void *config, const ig_arguments *from,
                         ig_err *err)
{
    command_line c = {.t = t, .config = config, .argc = from->argc, .argv = from->argv};
    unsigned char *given = from->given;
    *from->n_arg = 0;
    IG_TRY(ig_alloc(&c.seen, t->n, sizeof *c.seen, "options", err));
    ig_code code = IG_ERR_OK;
    bool only_args = false;
    for (; code == IG_ERR_OK && c.i_arg < c.argc; c.i_arg++) {
        char *a = c.argv[c.i_arg];
        if (!only_args && strcmp(a, "--") == 0)
            only_args = true;
        else if (only_args || a[0] != '-' || a[1] == '\0')
            from->arg[(*from->n_arg)++] = a;
        else
            code = parse_option(&c, err);
    }
    for (int i = 0; i < t->n && given != NULL; i++)
        given[i] = c.seen[i] ? IG_GIVEN_LINE : IG_GIVEN_NOT;
    int i_file = ig_option_find(t, "config");
    if (code == IG_ERR_OK && i_file >= 0 && t->row[i_file].kind == IG_OPT_PATH) {
        const char *const *path = ig_option_field(&t->row[i_file], config);
        if (*path != NULL)
            code = ig_options_file(t, config, *path, c.seen, err);
    }
    for (int i = 0; i < t->n && given != NULL; i++)
        if (c.seen[i] && given[i] == IG_GIVEN_NOT)
            given[i] = IG_GIVEN_FILE;
    ig_free(c.seen);
    return code;
}

static json_t *value_json(const ig_option *o, const void *field)
{
    switch (o->kind) {
    case IG_OPT_FLAG:
        return json_boolean(*(const bool *)field);
    case IG_OPT_INT:
        return json_integer((json_int_t)ig_option_int(o, field));
    case IG_OPT_REAL:
    case IG_OPT_TIME:
        return json_real(*(const double *)field);
    case IG_OPT_STRING:
    case IG_OPT_FILES:
    case IG_OPT_PATH: {
        const char *text = *(char *const *)field;
        return text == NULL ? json_null() : json_string(text);
    }
    case IG_OPT_ENUM:
        return json_string(o->names[*(const int *)field]);
    case IG_OPT_INTS:
    case IG_OPT_TEXTS: {
        const ig_int_list *number = o->kind == IG_OPT_INTS ? field : NULL;
        const ig_text_list *text = field;
        json_t *a = json_array();
        for (int i = 0; i < (number != NULL ? number->n : text->n); i++)
            if (json_array_append_new(a, number != NULL ? json_integer((json_int_t)number->v[i])
                                                        : json_string(text->text[i])) != 0) {
                json_decref(a);
                return NULL;
            }
        return a;
    }
    }
    return NULL;
}

void ig_option_key(char *key, size_t size, const char *name)
{
    snprintf(key, size, "%s", name);
    for (; *key != '\0'; key++)
        *key = *key == '-' ? '_' : *key;
}

json_t *ig_options_json_get(const json_t *j, const ig_option *o)
{
    char key[64];
    ig_option_key(key, sizeof key, o->name);
    json_t *value = json_object_get(j, key);
    if (value != NULL || o->old == NULL)
        return value;
    ig_option_key(key, sizeof key, o->old);
    return json_object_get(j, key);
}

json_t *ig_options_json(const ig_option_table *t, const void *config)
{
    json_t *object = json_object();
    for (int i = 0; object != NULL && i < t->n; i++) {
        char key[64];
        if (strcmp(t->row[i].name, "config") == 0)
            continue;
        ig_option_key(key, sizeof key, t->row[i].name);
        json_t *value = value_json(&t->row[i], (const char *)config + t->row[i].offset);
        if (value == NULL || json_object_set_new(object, key, value) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static const char *json_kind(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

static ig_code put_json(const ig_option *o, void *field, const json_t *v,
                        const ig_option_source *at, ig_err *err)
{
    bool textual = ig_option_is_text(o);
    if (o->kind == IG_OPT_FLAG && json_is_boolean(v)) {
        *(bool *)field = json_is_true(v);
        return IG_ERR_OK;
    }
    if (o->kind == IG_OPT_INT && json_is_integer(v))
        return ig_option_put_int(o, field, (int64_t)json_integer_value(v), at, err);
    if ((o->kind == IG_OPT_REAL || o->kind == IG_OPT_TIME) && json_is_number(v))
        return ig_option_put_real(o, field, json_number_value(v), at, err);
    if ((textual || o->kind == IG_OPT_ENUM) && json_is_string(v))
        return ig_option_put(o, field, json_string_value(v), at, err);
    if (textual && json_is_null(v)) {
        ig_option_clear(o, field);
        return IG_ERR_OK;
    }
    if (o->kind == IG_OPT_INTS && json_is_array(v)) {
        size_t i;
        const json_t *e;
        ((ig_int_list *)field)->n = 0;
        json_array_foreach((json_t *)(uintptr_t)v, i, e)
        {
            if (!json_is_integer(e))
                return ig_option_wrong(o, at, json_kind(e), err);
            IG_TRY(ig_option_append(o, field, (int64_t)json_integer_value(e), at, err));
        }
        return IG_ERR_OK;
    }
    return ig_option_wrong(o, at, json_kind(v), err);
}

ig_code ig_options_from_json(const ig_option_table *t, void *config, const json_t *j,
                             const char *where, ig_err *err)
{
    const ig_option_source at = {where != NULL ? where : "", 0, NULL};
    const char *key;
    json_t *value;
    if (!json_is_object(j))
        return ig_fail(err, IG_ERR_USAGE, at.file, 0, "found %s, expected an object of keys",
                       j == NULL ? "nothing" : json_kind(j));
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        int i = ig_option_find_any(t, key, NULL);
        if (i < 0)
            return ig_option_unknown(t, key, &at, err);
        IG_TRY(put_json(&t->row[i], ig_option_field(&t->row[i], config), value, &at, err));
    }
    return IG_ERR_OK;
}
