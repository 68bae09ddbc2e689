/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a text is well-formed XML as far as a page of ours goes: tags nest, attributes are quoted
 * and not doubled, text and attributes hold no bare markup, fragments are unique, and every link to
 * a fragment leads to one.
 */
#pragma once

#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { XML_DEPTH = 64, XML_NAME = 40 };

typedef struct {
    const char *start, *p;
    char open[XML_DEPTH][XML_NAME];
    int depth;
    int64_t n_element;
    char **id, **link; /* of NUL-terminated copies */
    int64_t n_id, n_link;
} xml_reader;

static inline void xml_fail(const xml_reader *x, const char *what)
{
    int64_t from = x->p - x->start > 80 ? x->p - x->start - 80 : 0;
    print_error("%s, near: %.160s\n", what, x->start + from);
    fail();
}

static inline void xml_name(xml_reader *x, char name[XML_NAME])
{
    size_t n = strspn(x->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_");
    if (n == 0 || n >= XML_NAME)
        xml_fail(x, "not a name");
    memcpy(name, x->p, n);
    name[n] = '\0';
    x->p += n;
}

/* &…; */
static inline void xml_entity(xml_reader *x)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#160;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(x->p, known[i], strlen(known[i])) == 0) {
            x->p += strlen(known[i]);
            return;
        }
    xml_fail(x, "an ampersand that begins no entity");
}

static inline void xml_note(char ***list, int64_t *n, const char *s, size_t size)
{
    *list = realloc(*list, (size_t)(*n + 1) * sizeof **list);
    assert_non_null(*list);
    (*list)[(*n)++] = strndup(s, size);
}

static inline void xml_attributes(xml_reader *x)
{
    char seen[16][XML_NAME];
    for (int n = 0;; n++) {
        size_t space = strspn(x->p, " \n");
        x->p += space;
        if (*x->p == '>' || *x->p == '/' || *x->p == '?')
            return;
        assert_true(n < 16);
        if (space == 0)
            xml_fail(x, "an attribute without a space before it");
        xml_name(x, seen[n]);
        for (int i = 0; i < n; i++)
            if (strcmp(seen[i], seen[n]) == 0)
                xml_fail(x, "an attribute twice");
        if (x->p[0] != '=' || x->p[1] != '"')
            xml_fail(x, "an attribute without quotes");
        const char *value = x->p += 2;
        while (*x->p != '"') {
            if (*x->p == '\0' || *x->p == '<')
                xml_fail(x, "bare markup in an attribute");
            if (*x->p == '&')
                xml_entity(x);
            else
                x->p++;
        }
        if (strcmp(seen[n], "id") == 0)
            xml_note(&x->id, &x->n_id, value, (size_t)(x->p - value));
        if ((strcmp(seen[n], "href") == 0 || strcmp(seen[n], "xlink:href") == 0) && *value == '#')
            xml_note(&x->link, &x->n_link, value + 1, (size_t)(x->p - value - 1));
        if (strncmp(seen[n], "on", 2) == 0)
            xml_fail(x, "an attribute that runs a script");
        x->p++;
    }
}

static inline int xml_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void xml_check_links(xml_reader *x)
{
    if (x->n_id > 0)
        qsort(x->id, (size_t)x->n_id, sizeof *x->id, xml_order);
    for (int64_t i = 0; i + 1 < x->n_id; i++)
        if (strcmp(x->id[i], x->id[i + 1]) == 0) {
            print_error("fragment '%s' is there twice\n", x->id[i]);
            fail();
        }
    for (int64_t i = 0; i < x->n_link; i++)
        if (x->n_id == 0 ||
            bsearch(&x->link[i], x->id, (size_t)x->n_id, sizeof *x->id, xml_order) == NULL) {
            print_error("a link leads to '#%s', which is not there\n", x->link[i]);
            fail();
        }
}

/* Returns the number of elements. */
static inline int64_t assert_well_formed(const char *text)
{
    xml_reader x = {.start = text, .p = text};
    if (strncmp(x.p, "<!DOCTYPE html>", 15) == 0)
        x.p += 15;
    while (*x.p != '\0') {
        char name[XML_NAME];
        if (*x.p == '&') {
            xml_entity(&x);
        } else if (*x.p == '>') {
            xml_fail(&x, "a bare >");
        } else if (*x.p != '<') {
            unsigned char c = (unsigned char)*x.p++;
            if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
                xml_fail(&x, "a control character");
        } else if (x.p[1] == '/') {
            x.p += 2;
            xml_name(&x, name);
            if (x.depth == 0 || strcmp(x.open[x.depth - 1], name) != 0)
                xml_fail(&x, "an end that fits no start");
            x.depth--;
            if (*x.p++ != '>')
                xml_fail(&x, "an end that is not closed");
        } else {
            x.p++;
            xml_name(&x, name);
            x.n_element++;
            xml_attributes(&x);
            bool empty = *x.p == '/';
            x.p += empty ? 1 : 0;
            if (*x.p++ != '>')
                xml_fail(&x, "a tag that is not closed");
            assert_true(x.depth < XML_DEPTH);
            if (!empty)
                strcpy(x.open[x.depth++], name);
            /* Style and script hold text that a reader of HTML takes as it is. */
            if (!empty && (strcmp(name, "style") == 0 || strcmp(name, "script") == 0)) {
                const char *end = strstr(x.p, "</");
                if (end == NULL)
                    xml_fail(&x, "no end of style or script");
                if (memchr(x.p, '<', (size_t)(end - x.p)) || memchr(x.p, '&', (size_t)(end - x.p)))
                    xml_fail(&x, "markup in style or script");
                x.p = end;
            }
        }
    }
    if (x.depth != 0)
        xml_fail(&x, "not all is closed");
    xml_check_links(&x);
    for (int64_t i = 0; i < x.n_id; i++)
        free(x.id[i]);
    for (int64_t i = 0; i < x.n_link; i++)
        free(x.link[i]);
    free(x.id);
    free(x.link);
    return x.n_element;
}
