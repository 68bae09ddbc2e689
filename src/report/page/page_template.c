/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills pages from data by a small part of Mustache (mustache(5)), over values of jansson.
 */
#include "report/page/page_template.h"
#include "base/assert.h"
#include "base/settings/json_text.h"
#include "report/table/html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* page.html, put into the program by the build (cmake/embed.cmake). */
extern const char ig_page_html[];

/* Where keys are looked up: an entry, then what is around it. */
typedef struct scope {
    const json_t *data;
    const struct scope *outer;
    size_t at; /* which of its list */
} scope;

typedef struct {
    char kind; /* one of "#?^/>&@", or ' ': text */
    char key[64];
    const char *end; /* after the mark */
} mark;

static mark read_mark(const char *p)
{
    mark m = {.kind = strchr("#?^/>&@", p[2]) != NULL ? p[2] : ' '};
    const char *key = p + (m.kind == ' ' ? 2 : 3), *end = strstr(key, "}}");
    IG_ASSERT(end != NULL && (size_t)(end - key) < sizeof m.key);
    memcpy(m.key, key, (size_t)(end - key));
    m.end = end + 2;
    return m;
}

/* Returns whether the line that ends here has marks alone that show nothing. */
static bool is_bare(const char *end)
{
    const char *p = end;
    while (p[-1] != '\n')
        p--;
    p += strspn(p, " ");
    const bool any = p < end;
    while (p < end && p[0] == '{' && p[1] == '{' && strchr("#?^/", p[2]) != NULL)
        p = read_mark(p).end;
    return any && p == end;
}

static bool ends_part(const char *p)
{
    const char *next = p + strspn(p, "\n");
    return *next == '\0' || (*p == '\n' && strncmp(next, "@@ ", 3) == 0);
}

static const char *part_of(const char *name)
{
    const size_t n = strlen(name);
    const char *p = strstr(ig_page_html, "\n@@ ");
    while (p != NULL && (strncmp(p + 4, name, n) != 0 || p[4 + n] != '\n'))
        p = strstr(p + 1, "\n@@ ");
    IG_ASSERT(p != NULL); /* page.html has it */
    return p + 5 + n;
}

static bool is_there(const json_t *v)
{
    return v != NULL && !json_is_null(v) && !json_is_false(v) &&
           (!json_is_string(v) || json_string_length(v) > 0) &&
           (!json_is_array(v) || json_array_size(v) > 0);
}

static const json_t *find(const scope *s, const char *key)
{
    if (strcmp(key, ".") == 0)
        return s->data;
    if (strcmp(key, "+") == 0)
        return s->at > 0 ? json_true() : NULL;
    const json_t *v = NULL;
    for (; s != NULL && v == NULL; s = s->outer)
        v = json_object_get(s->data, key);
    return v;
}

static const char *render(FILE *fp, const char *p, const scope *s);

static void put_value(FILE *fp, const mark *m, const scope *s)
{
    const json_t *v = m->kind == '>' ? NULL : find(s, m->key);
    if (m->kind == '>')
        render(fp, part_of(m->key), s);
    else if (json_is_integer(v))
        fprintf(fp, "%lld", (long long)json_integer_value(v));
    else if (m->kind == '&')
        fwrite(json_string_value(v), 1, json_string_length(v), fp);
    else if (m->kind == '@')
        ig_html_id(fp, "", json_string_value(v));
    else
        ig_html_text(fp, json_string_value(v));
}

/* Starts at the mark that opens a section; returns the position after the one that closes it. */
static const char *put_section(FILE *fp, const mark *m, const scope *s)
{
    const json_t *v = find(s, m->key), *entry;
    const char *end = render(NULL, m->end, s);
    size_t i;
    if (fp == NULL)
        return end;
    if (m->kind == '#' && json_is_array(v)) {
        json_array_foreach(v, i, entry) render(fp, m->end, &(scope){entry, s, i});
    } else if (is_there(v) == (m->kind != '^')) {
        const scope inner = {v, s, 0};
        render(fp, m->end, m->kind == '#' ? &inner : s);
    }
    return end;
}

/* To the mark that closes what is rendered, or the end of the part; fp NULL: nothing is written. */
static const char *render(FILE *fp, const char *p, const scope *s)
{
    while (!ends_part(p)) {
        if (p[0] == '{' && p[1] == '{') {
            const mark m = read_mark(p);
            p = m.end;
            if (m.kind == '/')
                return p;
            if (strchr("#?^", m.kind) != NULL)
                p = put_section(fp, &m, s);
            else if (fp != NULL)
                put_value(fp, &m, s);
        } else {
            if (fp != NULL && (*p != '\n' || !is_bare(p)))
                fputc(*p, fp);
            p += *p == '\n' ? 1 + strspn(p + 1, " ") : 1;
        }
    }
    return p;
}

void ig_template_put(FILE *fp, const char *part, const json_t *data)
{
    render(fp, part_of(part), &(scope){data, NULL, 0});
}

json_t *ig_page_text(const char *s)
{
    return s != NULL ? json_string_nocheck(s) : json_null();
}

json_t *ig_page_texts(const char *key, ...)
{
    json_t *o = json_object();
    va_list list;
    va_start(list, key);
    for (; key != NULL; key = va_arg(list, const char *))
        json_object_set_new(o, key, ig_page_text(va_arg(list, const char *)));
    va_end(list);
    return o;
}

void ig_page_append(json_t *text, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    json_auto_t *more = json_vsprintf(fmt, list),
                *both = json_sprintf("%s%s", json_string_value(text), json_string_value(more));
    va_end(list);
    json_string_set_nocheck(text, json_string_value(both));
}

json_t *ig_page_value(const json_t *x)
{
    json_t *all, *next;
    const json_t *one;
    size_t i;
    if (json_is_null(x))
        return json_string("none");
    if (!json_is_array(x) && !json_is_string(x)) {
        char *text = ig_json_text(x, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        all = ig_page_text(text);
        free(text);
        return all;
    }
    all = ig_page_text(json_is_string(x) ? json_string_value(x) : "");
    json_array_foreach(x, i, one)
    {
        next = ig_page_value(one);
        ig_page_append(all, "%s%s", i > 0 ? ", " : "", json_string_value(next));
        json_decref(next);
    }
    return all;
}

void ig_page_fact(json_t *to, const char *key, json_t *value)
{
    json_t *facts = json_object_get(to, "facts"), *fact = ig_page_texts("key", key, NULL);
    if (facts == NULL)
        json_object_set_new(to, "facts", facts = json_array());
    json_object_set_new(fact, "value", value);
    json_array_append_new(facts, fact);
}
