/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts one value of one option from text to its field, checks the range and the list of names,
 * and makes messages with the text found and the values expected.
 */
#include "base/settings/options_internal.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/settings/named_files.h"
#include "base/strings/append.h"
#include "base/strings/time_text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the first word of a is `name`. */
static bool names(const char *a, const char *name)
{
    while (*a != '\0' && *a != ' ' && (*a == *name || (*a == '-' && *name == '_')))
        a++, name++;
    return (*a == '\0' || *a == ' ') && *name == '\0';
}

int ig_option_find(const ig_option_table *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (names(t->row[i].name, name))
            return i;
    return -1;
}

static bool was_named(const ig_option *o, const char *name)
{
    for (const char *old = o->old; old != NULL; old = strchr(old, ' ')) {
        old += *old == ' ';
        if (names(old, name))
            return true;
    }
    return false;
}

int ig_option_find_any(const ig_option_table *t, const char *name, const ig_option_source *at)
{
    int i = ig_option_find(t, name);
    if (i >= 0)
        return i;
    for (i = 0; i < t->n && !was_named(&t->row[i], name);)
        i++;
    if (i == t->n)
        return -1;
    if (at != NULL)
        ig_option_say_old(name, t->row[i].name, at->file, at->line);
    return i;
}

void ig_option_say_old(const char *old, const char *now, const char *file, uint64_t line)
{
    static const char said[] = "the old name goes in the next version";
    if (file == NULL)
        ig_log(IG_LOG_NORMAL, "--%s is called --%s now; %s", old, now, said);
    else if (line == 0)
        ig_log(IG_LOG_NORMAL, "%s: %s is called %s now; %s", file, old, now, said);
    else
        ig_log(IG_LOG_NORMAL, "%s:%llu: %s is called %s now; %s", file, (unsigned long long)line,
               old, now, said);
}

int ig_option_meant(const ig_option_table *t, int i, const char *value)
{
    const bool word = value != NULL && value[0] >= 'a' && value[0] <= 'z';
    return i >= 0 && word && t->row[i].words != NULL ? ig_option_find(t, t->row[i].words) : i;
}

void *ig_option_field(const ig_option *o, void *config)
{
    return (char *)config + o->offset;
}

/* Command line: "--key: msg"; file: "file:line: key: msg". */
static ig_code fail_at(const ig_option *o, const ig_option_source *at, const char *msg, ig_err *err)
{
    char where[80];
    if (at->file != NULL)
        return ig_fail(err, IG_ERR_USAGE, at->file, at->line, "%s: %s", o->name, msg);
    snprintf(where, sizeof where, "--%s", o->name);
    return ig_fail(err, IG_ERR_USAGE, where, 0, "%s", msg);
}

ig_code ig_option_unknown(const ig_option_table *t, const char *key, const ig_option_source *at,
                          ig_err *err)
{
    const char *name[IG_OPTION_MAX];
    const int n = t->n < IG_OPTION_MAX ? t->n : IG_OPTION_MAX;
    for (int i = 0; i < n; i++)
        name[i] = t->row[i].name;
    if (at->file != NULL) {
        ig_fail(err, IG_ERR_USAGE, at->file, at->line, "unknown key '%.100s'", key);
        return ig_hint_nearest(err, key, name, n);
    }
    const char *near = ig_nearest(key, name, n);
    ig_fail(err, IG_ERR_USAGE, "", 0, "unknown option '--%.100s'", key);
    if (near != NULL)
        ig_hint(err, "did you mean '--%s'?", near);
    return IG_ERR_USAGE;
}

ig_code ig_option_twice(const ig_option *o, const ig_option_source *at, uint64_t first_line,
                        ig_err *err)
{
    char msg[96];
    if (first_line == 0)
        return fail_at(o, at, "found twice, expected once", err);
    snprintf(msg, sizeof msg, "found twice, expected once (first in line %llu)",
             (unsigned long long)first_line);
    return fail_at(o, at, msg, err);
}

static bool is_folder(const ig_option *o)
{
    return o->value != NULL && strcmp(o->value, "DIR") == 0;
}

static void describe(const ig_option *o, char *out, size_t size)
{
    char range[96] = "";
    if (o->min < o->max) {
        if (isinf(o->max))
            snprintf(range, sizeof range, " of at least %.12g", o->min);
        else if (isinf(o->min))
            snprintf(range, sizeof range, " of at most %.12g", o->max);
        else
            snprintf(range, sizeof range, " from %.12g to %.12g", o->min, o->max);
    }
    switch (o->kind) {
    case IG_OPT_FLAG:
        snprintf(out, size, "true or false");
        break;
    case IG_OPT_INT:
        snprintf(out, size, "an integer%s", range);
        break;
    case IG_OPT_REAL:
        snprintf(out, size, "a number%s", range);
        break;
    case IG_OPT_TIME:
        snprintf(out, size, "a time: seconds, or 90m, 2h, 1h30m, 1d");
        break;
    case IG_OPT_STRING:
    case IG_OPT_TEXTS:
        snprintf(out, size, "a text");
        break;
    case IG_OPT_PATH:
        snprintf(out, size, is_folder(o) ? "a folder" : "a file name");
        break;
    case IG_OPT_FILES:
        snprintf(out, size, "files with different names, NAME=FILE; …");
        break;
    case IG_OPT_INTS:
        snprintf(out, size, "at most %d integers%s, such as 0,8", IG_INT_LIST_MAX, range);
        break;
    case IG_OPT_ENUM:
        snprintf(out, size, "one of %s", o->names[0]);
        for (int i = 1; o->names[i] != NULL; i++)
            ig_append_name(out, size, o->names[i]);
        break;
    }
}

ig_code ig_option_wrong(const ig_option *o, const ig_option_source *at, const char *found,
                        ig_err *err)
{
    char expected[256], msg[384];
    describe(o, expected, sizeof expected);
    snprintf(msg, sizeof msg, "found %.100s, expected %s", found, expected);
    return fail_at(o, at, msg, err);
}

static ig_code wrong_text(const ig_option *o, const ig_option_source *at, const char *text,
                          ig_err *err)
{
    char found[112];
    snprintf(found, sizeof found, "'%.96s'", text);
    return ig_option_wrong(o, at, found, err);
}

/* Both ends 0: no range. */
static bool in_range(const ig_option *o, double v)
{
    return (!(o->min < 0) && !(o->min > 0) && !(o->max < 0) && !(o->max > 0)) ||
           (v >= o->min && v <= o->max);
}

/* A whole number with an exponent: 1e2, 2.5e4. Up to 2^53, where a double has every integer. */
static bool parse_exponent(const char *text, int64_t *v)
{
    double x;
    if (strpbrk(text, "eE") == NULL || !ig_number_read(&x, text) || fabs(x) > 9007199254740992.0 ||
        trunc(x) < x || trunc(x) > x)
        return false;
    *v = (int64_t)x;
    return true;
}

bool ig_option_parse_int(const char *text, int64_t *v)
{
    char *end;
    const char *p = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (*p < '0' || *p > '9')
        return false;
    if (parse_exponent(text, v))
        return true;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (errno != 0)
        return false;
    int64_t unit = 1;
    if (*end == 'k')
        unit = 1000;
    else if (*end == 'M')
        unit = 1000000;
    else if (*end == 'G')
        unit = 1000000000;
    end += unit > 1;
    if (*end != '\0' || x > INT64_MAX / unit || x < INT64_MIN / unit)
        return false;
    *v = (int64_t)x * unit;
    return true;
}

static ig_code check_int(const ig_option *o, int64_t v, const ig_option_source *at, ig_err *err)
{
    char found[32];
    snprintf(found, sizeof found, "%lld", (long long)v);
    return in_range(o, (double)v) ? IG_ERR_OK : ig_option_wrong(o, at, found, err);
}

ig_code ig_option_put_int(const ig_option *o, void *field, int64_t v, const ig_option_source *at,
                          ig_err *err)
{
    IG_TRY(check_int(o, v, at, err));
    IG_ASSERT(o->bytes != sizeof(int32_t) ||
              (o->min < o->max && o->min >= INT32_MIN && o->max <= INT32_MAX));
    if (o->bytes == sizeof(int32_t))
        *(int32_t *)field = (int32_t)v;
    else
        *(int64_t *)field = v;
    return IG_ERR_OK;
}

ig_code ig_option_put_real(const ig_option *o, void *field, double v, const ig_option_source *at,
                           ig_err *err)
{
    char found[40];
    if (!in_range(o, v)) {
        snprintf(found, sizeof found, "%.12g", v);
        return ig_option_wrong(o, at, found, err);
    }
    /* Most become float32, in which they would be 0 or lose their digits. */
    if (fabs(v) > 0 && fabs(v) < (double)FLT_MIN) {
        snprintf(found, sizeof found, "%.12g", v);
        ig_option_wrong(o, at, found, err);
        return ig_hint(err, "0, or at least float32's smallest number, 1.18e-38");
    }
    *(double *)field = v;
    return IG_ERR_OK;
}

ig_code ig_option_append(const ig_option *o, void *field, int64_t v, const ig_option_source *at,
                         ig_err *err)
{
    ig_int_list *list = field;
    IG_TRY(check_int(o, v, at, err));
    if (list->n == IG_INT_LIST_MAX)
        return ig_option_wrong(o, at, "more of them", err);
    list->v[list->n++] = v;
    return IG_ERR_OK;
}

static ig_code put_list(const ig_option *o, ig_int_list *list, const char *text,
                        const ig_option_source *at, ig_err *err)
{
    char word[32];
    list->n = 0;
    for (const char *p = text;;) {
        size_t len = strcspn(p, ",");
        int64_t v;
        if (len == 0 || len >= sizeof word)
            return wrong_text(o, at, text, err);
        memcpy(word, p, len);
        word[len] = '\0';
        if (!ig_option_parse_int(word, &v))
            return wrong_text(o, at, text, err);
        IG_TRY(ig_option_append(o, list, v, at, err));
        if (p[len] == '\0')
            return IG_ERR_OK;
        p += len + 1;
    }
}

static ig_code put_text(const ig_option *o, char **field, const char *text,
                        const ig_option_source *at, ig_err *err)
{
    char *copy;
    if (o->kind == IG_OPT_PATH && (text[0] == '\0' || (is_folder(o) && strcmp(text, "-") == 0)))
        return wrong_text(o, at, text, err);
    /* "-" is standard input or output for every file option. */
    const bool path = o->kind == IG_OPT_PATH && strcmp(text, "-") != 0;
    IG_TRY(ig_path_named(&copy, path ? at->file : NULL, path ? at->dir : NULL, text, err));
    ig_free(*field);
    *field = copy;
    return IG_ERR_OK;
}

static ig_code add_text(const ig_option *o, ig_text_list *list, const char *text,
                        const ig_option_source *at, ig_err *err)
{
    if (list->n == IG_TEXT_LIST_MAX)
        return ig_option_wrong(o, at, "more than 64 of them", err);
    IG_TRY(put_text(o, &list->text[list->n], text, at, err));
    list->n++;
    return IG_ERR_OK;
}

static ig_code put_files(const ig_option *o, char **field, const char *text,
                         const ig_option_source *at, ig_err *err)
{
    char *copy;
    const ig_code code = ig_named_files_below(&copy, text, at->file, at->dir, err);
    if (code == IG_ERR_USAGE)
        return wrong_text(o, at, text, err);
    IG_TRY(code);
    ig_free(*field);
    *field = copy;
    return IG_ERR_OK;
}

static ig_code put_enum(const ig_option *o, int *field, const char *text,
                        const ig_option_source *at, ig_err *err)
{
    int n = 0;
    for (; o->names[n] != NULL; n++) {
        if (strcmp(o->names[n], text) == 0) {
            *field = n;
            return IG_ERR_OK;
        }
    }
    (void)wrong_text(o, at, text, err);
    return ig_hint_nearest(err, text, o->names, n);
}

ig_code ig_option_put(const ig_option *o, void *field, const char *text, const ig_option_source *at,
                      ig_err *err)
{
    int64_t i;
    double r;
    switch (o->kind) {
    case IG_OPT_FLAG:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return wrong_text(o, at, text, err);
        *(bool *)field = text[0] == 't';
        return IG_ERR_OK;
    case IG_OPT_INT:
        if (!ig_option_parse_int(text, &i))
            return wrong_text(o, at, text, err);
        return ig_option_put_int(o, field, i, at, err);
    case IG_OPT_REAL:
        if (!ig_number_read(&r, text))
            return wrong_text(o, at, text, err);
        return ig_option_put_real(o, field, r, at, err);
    case IG_OPT_TIME:
        if (ig_time_parse(&r, text, "", NULL) != IG_ERR_OK)
            return wrong_text(o, at, text, err);
        return ig_option_put_real(o, field, r, at, err);
    case IG_OPT_TEXTS:
        return add_text(o, field, text, at, err);
    case IG_OPT_STRING:
    case IG_OPT_PATH:
        return put_text(o, field, text, at, err);
    case IG_OPT_FILES:
        return put_files(o, field, text, at, err);
    case IG_OPT_ENUM:
        return put_enum(o, field, text, at, err);
    case IG_OPT_INTS:
        return put_list(o, field, text, at, err);
    }
    return ig_option_wrong(o, at, "an option of no known kind", err);
}

void ig_option_clear(const ig_option *o, void *field)
{
    if (ig_option_is_text(o)) {
        char **text = field;
        ig_free(*text);
        *text = NULL;
    }
    if (o->kind == IG_OPT_TEXTS) {
        ig_text_list *list = field;
        while (list->n > 0)
            ig_free(list->text[--list->n]);
        memset(list, 0, sizeof *list);
    }
}

/* Returns the size of a field that is one value; 0 for texts and lists. */
static size_t value_size(const ig_option *o)
{
    const ig_opt_kind kind = o->kind;
    return kind == IG_OPT_FLAG                          ? sizeof(bool)
           : kind == IG_OPT_INT && o->bytes > 0         ? o->bytes
           : kind == IG_OPT_INT                         ? sizeof(int64_t)
           : kind == IG_OPT_REAL || kind == IG_OPT_TIME ? sizeof(double)
           : kind == IG_OPT_ENUM                        ? sizeof(int)
                                                        : 0;
}

ig_code ig_option_reset(const ig_option *o, void *field, ig_err *err)
{
    static const ig_option_source at = {"built-in default", 0, NULL};
    ig_option_clear(o, field);
    if (o->def != NULL)
        return ig_option_put(o, field, o->def, &at, err);
    memset(field, 0, value_size(o));
    if (o->kind == IG_OPT_INTS)
        ((ig_int_list *)field)->n = 0;
    return IG_ERR_OK;
}

bool ig_option_same(const ig_option *o, const void *a, const void *b)
{
    const size_t size = value_size(o);
    if (size > 0)
        return memcmp(a, b, size) == 0;
    if (ig_option_is_text(o)) {
        const char *x = *(char *const *)a, *y = *(char *const *)b;
        return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
    }
    const ig_int_list *x = a, *y = b;
    return o->kind == IG_OPT_INTS && x->n == y->n &&
           memcmp(x->v, y->v, (size_t)x->n * sizeof *x->v) == 0;
}
