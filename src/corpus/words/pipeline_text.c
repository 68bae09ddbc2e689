/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a pipeline at its bars, a step at its colon, its arguments at commas.
 */
#include "corpus/words/pipeline_text.h"

#include "base/number_text.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

/* ---- arguments ---- */

static ig_code wrong(const char *name, const char *found, const ig_step_arg *a, const char *where,
                     ig_err *err)
{
    const char *const words = a->name + (a->name[0] == '|'); /* without the default "" */
    char expected[96];
    if (a->kind == IG_ARG_FILE)
        snprintf(expected, sizeof expected, "the name of a file (--files)");
    else if (a->kind == IG_ARG_CHOICE)
        snprintf(expected, sizeof expected, "%s", words);
    else
        snprintf(expected, sizeof expected, "%s from %g to %g",
                 a->kind == IG_ARG_SHARE ? "a number" : "a whole number", a->min, a->max);
    return ig_fail(err, IG_ERR_USAGE, where, 0, "transform '%s': %s is '%.32s', expected %s", name,
                   a->kind == IG_ARG_CHOICE ? "its argument" : a->name, found, expected);
}

/* Finds a word of a choice: IG_UNSET if it is none. The word "" is a default that is not written.
 */
static double find_choice(const char *words, const char *text)
{
    const size_t n = strlen(text);
    for (int k = 0; n > 0; k++) {
        const size_t m = strcspn(words, "|");
        if (m == n && memcmp(words, text, n) == 0)
            return k;
        if (words[m] == '\0')
            break;
        words += m + 1;
    }
    return IG_UNSET;
}

static bool read_file(char *file, const char *text)
{
    const size_t n = strlen(text);
    if (n == 0 || n >= IG_FILE_NAME || strspn(text, "+-") == n || strpbrk(text, ":;=()") != NULL)
        return false;
    memcpy(file, text, n + 1);
    return true;
}

static bool read_number(double *out, const ig_step_arg *a, const char *text)
{
    const char *const equals = strchr(a->name, '=');
    const size_t n_key = equals != NULL ? (size_t)(equals + 1 - a->name) : 0;
    *out = a->kind == IG_ARG_CHOICE ? find_choice(a->name, text) : IG_UNSET;
    if (a->kind == IG_ARG_CHOICE)
        return *out >= 0;
    if (a->only != NULL && strcmp(text, a->only) == 0)
        return true;
    return strncmp(text, a->name, n_key) == 0 && ig_number_read(out, text + n_key) &&
           *out >= a->min && *out <= a->max &&
           (a->kind == IG_ARG_SHARE || *out == (double)(int64_t)*out);
}

ig_code ig_step_args_read(double *number, char *file, const char *name, const ig_step_arg *arg,
                          char *text, const char *where, ig_err *err)
{
    char form[96];
    ig_step_args_form(form, sizeof form, arg);
    if (text != NULL && arg[0].name == NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "transform '%s' takes no argument, found '%.64s'", name, text);
    for (int i = 0; i < IG_STEP_ARGS && arg[i].name != NULL; i++) {
        const ig_step_arg *a = &arg[i];
        if (text == NULL && a->def == IG_REQUIRED)
            return ig_fail(err, IG_ERR_USAGE, where, 0,
                           "transform '%s' needs its %s, expected %s:%s", name, a->name, name,
                           form);
        if (text == NULL) {
            *number++ = a->def;
            continue;
        }
        char *comma = strchr(text, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (!(a->kind == IG_ARG_FILE ? read_file(file, text) : read_number(number++, a, text)))
            return wrong(name, text, a, where, err);
        text = comma;
    }
    if (text != NULL)
        return ig_fail(err, IG_ERR_USAGE, where, 0,
                       "transform '%s' has more than %s after its colon: '%.32s'", name, form,
                       text);
    return IG_ERR_OK;
}

static void value_text(char *out, size_t size, const ig_step_arg *a, double x, const char *file)
{
    const char *word = a->name, *const equals = strchr(word, '=');
    char number[40];
    for (int k = 0; k < (int)x && a->kind == IG_ARG_CHOICE; k++)
        word = strchr(word, '|') + 1;
    ig_number_print(number, sizeof number, x);
    if (a->kind == IG_ARG_CHOICE)
        snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
    else if (a->kind == IG_ARG_FILE || x < 0)
        snprintf(out, size, "%s", a->kind == IG_ARG_FILE ? file : a->only != NULL ? a->only : "");
    else
        snprintf(out, size, "%.*s%s", equals != NULL ? (int)(equals + 1 - word) : 0, word, number);
}

void ig_step_args_print(char *out, size_t size, const char *name, const ig_step_arg *arg,
                        const double *number, const char *file)
{
    size_t kept = strlen(name);
    snprintf(out, size, "%s", name);
    for (int i = 0; i < IG_STEP_ARGS && arg[i].name != NULL; i++) {
        const double x = arg[i].kind != IG_ARG_FILE ? *number++ : 0;
        char value[64];
        value_text(value, sizeof value, &arg[i], x, file);
        ig_append(out, size, "%s%s", i == 0 ? ":" : ",", value);
        if (arg[i].def == IG_REQUIRED || x != arg[i].def)
            kept = strlen(out);
    }
    if (kept < size)
        out[kept] = '\0';
}

void ig_step_args_form(char *out, size_t size, const ig_step_arg *arg)
{
    out[0] = '\0';
    for (int i = 0; i < IG_STEP_ARGS && arg[i].name != NULL; i++)
        ig_append(out, size, "%s%s%s%s", arg[i].def == IG_REQUIRED ? "" : "[", i > 0 ? "," : "",
                  arg[i].name + (arg[i].name[0] == '|'), arg[i].def == IG_REQUIRED ? "" : "]");
}

/* ---- pipelines ---- */

/* Adds the position before the message. */
static ig_code placed(ig_code code, int at, ig_err *err)
{
    char text[sizeof err->msg];
    if (at == 0 || err == NULL)
        return code;
    snprintf(text, sizeof text, "character %d: %.*s", at, (int)sizeof text - 32, err->msg);
    memcpy(err->msg, text, sizeof text);
    return code;
}

int ig_pipeline_n_character(const char *from, const char *to)
{
    int n = 0;
    for (; from < to; from++)
        n += ((uint8_t)*from & 0xC0) != 0x80;
    return n;
}

ig_code ig_pipeline_read(void *pipeline, ig_pipeline_text of, ig_step_reader *read,
                         const char *where, int first, ig_err *err)
{
    const char *text = of.text, *blanks = of.blanks;
    char part[128];
    const char *p = text == NULL ? "" : text;
    if (p[strspn(p, blanks)] == '\0')
        return IG_ERR_OK;
    for (;; p++) {
        p += strspn(p, blanks);
        const char *const begin = p;
        size_t n = strcspn(p, "|");
        p += n;
        while (n > 0 && strchr(blanks, begin[n - 1]) != NULL)
            n--;
        ig_code code;
        if (n >= sizeof part) {
            code = ig_fail(err, IG_ERR_USAGE, where, 0,
                           "transform of %zu bytes, expected at most %zu", n, sizeof part - 1);
        } else {
            memcpy(part, begin, n);
            part[n] = '\0';
            char *arg = strchr(part, ':');
            if (arg != NULL)
                *arg++ = '\0';
            code = read(pipeline, part, arg, where, err);
        }
        if (code != IG_ERR_OK)
            return placed(code, first > 0 ? first + ig_pipeline_n_character(text, begin) : 0, err);
        if (*p == '\0')
            return IG_ERR_OK;
    }
}
