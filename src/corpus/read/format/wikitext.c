/* SPDX-License-Identifier: Apache-2.0
 *
 * See wikitext.h. Not a parser of wiki markup, whose meaning depends on templates that a dump does
 * not expand: what is no running text is taken out (templates, tables, references, files,
 * categories, headings), what carries text gives it (links, emphasis, lists). Three passes over the
 * text in place, each linear, whatever the nesting: what is opened and never closed ends with the
 * page.
 */
#include "corpus/read/format/wikitext.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicode/utf8.h>

enum { DEEPEST = 64, TAG_MAX = 2000 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool starts(const char *text, int64_t n, const char *with)
{
    const int64_t m = (int64_t)strlen(with);
    return n >= m && strncasecmp(text, with, (size_t)m) == 0;
}

/* ---- comments and tags ---- */

/* Elements that are no running text. */
static const char *const dropped[] = {
    "ref",   "math",     "gallery", "timeline", "table", "source",         "syntaxhighlight",
    "score", "imagemap", "pre",     "chem",     "graph", "templatestyles", "references"};
enum { N_DROPPED = sizeof dropped / sizeof *dropped };

/* The place behind the end tag of `name`, n where there is none. */
static int64_t behind_end(const char *text, int64_t n, int64_t i, const char *name)
{
    const int64_t m = (int64_t)strlen(name);
    for (; i + 2 + m <= n; i++) {
        if (text[i] != '<' || text[i + 1] != '/' || !starts(text + i + 2, n - i - 2, name))
            continue;
        const char *end = memchr(text + i, '>', (size_t)(n - i));
        return end != NULL ? end - text + 1 : n;
    }
    return n;
}

/* The place behind the tag at text[i] = '<', i where there is none. */
static int64_t behind_tag(const char *text, int64_t n, int64_t i)
{
    const int64_t most = n - i < TAG_MAX ? n : i + TAG_MAX;
    const bool end = i + 1 < n && text[i + 1] == '/';
    if (i + 1 + end >= n || !is_letter(text[i + 1 + end]))
        return i;
    for (int64_t k = i + 1; k < most; k++) {
        if (text[k] == '>')
            return k + 1;
        if (text[k] == '<')
            return i;
    }
    return i;
}

static int64_t drop_tags(char *text, int64_t n)
{
    bool none[N_DROPPED] = {false}; /* no end tag of that name behind here */
    int64_t to = 0;
    for (int64_t i = 0; i < n;) {
        if (text[i] != '<') {
            text[to++] = text[i++];
            continue;
        }
        if (starts(text + i, n - i, "<!--")) {
            const char *end = NULL;
            for (int64_t k = i + 4; k + 3 <= n && end == NULL; k++)
                end = memcmp(text + k, "-->", 3) == 0 ? text + k : NULL;
            i = end != NULL ? end - text + 3 : n;
            continue;
        }
        const int64_t behind = behind_tag(text, n, i);
        if (behind == i) {
            text[to++] = text[i++];
            continue;
        }
        int64_t next = behind;
        for (int k = 0; k < N_DROPPED && text[behind - 2] != '/'; k++) {
            const int64_t m = (int64_t)strlen(dropped[k]);
            if (none[k] || !starts(text + i + 1, n - i - 1, dropped[k]) ||
                is_letter(text[i + 1 + m]))
                continue;
            const int64_t end = behind_end(text, n, behind, dropped[k]);
            none[k] = end == n;
            next = end == n ? behind : end;
        }
        if (starts(text + i, n - i, "<br") || starts(text + i, n - i, "<p"))
            text[to++] = ' ';
        i = next;
    }
    return to;
}

/* ---- templates, tables, links ---- */

/* Files, categories and pages of other languages ("fr:…") are no text. */
static bool is_no_text(const char *link, int64_t n)
{
    static const char *const names[] = {"file:", "image:", "category:", "media:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(link, n, names[i]))
            return true;
    int64_t k = 0;
    while (k < n && ((link[k] >= 'a' && link[k] <= 'z') || link[k] == '-'))
        k++;
    return k >= 2 && k <= 12 && k < n && link[k] == ':' && memchr(link, '|', (size_t)n) == NULL;
}

/* What a link shows: behind its first |, else all of it; written to where it began. Its length. */
static int64_t show_link(char *link, int64_t n)
{
    if (n <= 0 || is_no_text(link, n))
        return 0;
    const char *bar = memchr(link, '|', (size_t)n);
    const char *from = bar != NULL ? bar + 1 : link + (*link == ':');
    const int64_t m = n - (from - link);
    memmove(link, from, (size_t)m);
    return m;
}

typedef struct {
    char *text;
    int64_t n, i, to;
    char inside[DEEPEST];  /* '{' template, '3' parameter, '|' table */
    int depth, deeper;     /* deeper: further templates and tables, of any kind */
    int64_t link[DEEPEST]; /* where the links that are open began in what was written */
    int n_link;
    bool external;
} markup;

static bool at(const markup *m, const char *what)
{
    return m->n - m->i >= 2 && m->text[m->i] == what[0] && m->text[m->i + 1] == what[1];
}

/* Three of a character from here on, and no fourth. */
static bool triple(const markup *m, char c)
{
    const char *t = m->text + m->i;
    const int64_t n = m->n - m->i;
    return n >= 3 && t[0] == c && t[1] == c && t[2] == c && !(n > 3 && t[3] == c && c == '{');
}

/* Templates {{…}}, their parameters {{{…}}} and tables {|…|}: whether the place was part of one. */
static bool skip_template(markup *m)
{
    const char open = triple(m, '{') ? '3' : at(m, "{{") ? '{' : at(m, "{|") ? '|' : '\0';
    if (open != '\0') {
        if (m->depth == DEEPEST)
            m->deeper++;
        else
            m->inside[m->depth++] = open;
        m->i += open == '3' ? 3 : 2;
        return true;
    }
    if (m->depth == 0)
        return false;
    const char top = m->deeper > 0 ? '{' : m->inside[m->depth - 1];
    const bool bar_of_template = m->n - m->i > 2 && m->text[m->i + 2] == '}';
    const bool end = top == '3'   ? triple(m, '}')
                     : top == '{' ? at(m, "}}")
                                  : at(m, "|}") && !bar_of_template;
    if (!end) {
        m->i++;
        return true;
    }
    if (m->deeper > 0)
        m->deeper--;
    else
        m->depth--;
    m->i += top == '3' ? 3 : 2;
    return true;
}

/* [http://… text]: the text. */
static bool open_external(markup *m)
{
    const char *text = m->text + m->i;
    const int64_t n = m->n - m->i;
    if (!starts(text, n, "[http://") && !starts(text, n, "[https://") && !starts(text, n, "[//"))
        return false;
    while (m->i < m->n && m->text[m->i] != ' ' && m->text[m->i] != ']' && m->text[m->i] != '\n')
        m->i++;
    m->external = m->i < m->n && m->text[m->i] == ' ';
    m->i += m->i < m->n && m->text[m->i] != '\n';
    return true;
}

static bool step_link(markup *m)
{
    if (at(m, "[[")) {
        if (m->n_link < DEEPEST)
            m->link[m->n_link++] = m->to;
        m->i += 2;
        return true;
    }
    if (at(m, "]]")) {
        if (m->n_link > 0) {
            const int64_t from = m->link[--m->n_link];
            m->to = from + show_link(m->text + from, m->to - from);
        }
        m->i += 2;
        return true;
    }
    if (m->external && m->text[m->i] == ']') {
        m->external = false;
        m->i++;
        return true;
    }
    return m->text[m->i] == '[' && open_external(m);
}

static int64_t drop_markup(char *text, int64_t n)
{
    markup m = {.text = text, .n = n};
    while (m.i < m.n) {
        if (skip_template(&m) || step_link(&m))
            continue;
        if (at(&m, "''")) {
            while (m.i < m.n && text[m.i] == '\'')
                m.i++;
            continue;
        }
        /* No link goes over a paragraph's end; one that does was never closed. */
        if (at(&m, "\n\n"))
            m.n_link = 0;
        m.external = m.external && text[m.i] != '\n';
        text[m.to++] = text[m.i++];
    }
    return m.to;
}

/* ---- lines ---- */

/* The character of an entity at text[i] = '&', and its length; 0: it is none. */
static int32_t entity(const char *text, int64_t n, int *length)
{
    static const struct {
        const char *name;
        int32_t c;
    } known[] = {{"&nbsp;", ' '},      {"&amp;", '&'},      {"&lt;", '<'},
                 {"&gt;", '>'},        {"&quot;", '"'},     {"&apos;", '\''},
                 {"&ndash;", 0x2013},  {"&mdash;", 0x2014}, {"&minus;", 0x2212},
                 {"&hellip;", 0x2026}, {"&thinsp;", ' '},   {"&deg;", 0xB0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (starts(text, n, known[i].name)) {
            *length = (int)strlen(known[i].name);
            return known[i].c;
        }
    char digits[12];
    int k = 2;
    if (n < 4 || text[1] != '#')
        return 0;
    while (k < n && k < 11 && text[k] != ';')
        k++;
    if (k >= n || text[k] != ';')
        return 0;
    memcpy(digits, text + 2, (size_t)(k - 2));
    digits[k - 2] = '\0';
    char *end;
    const bool hex = digits[0] == 'x' || digits[0] == 'X';
    const char *first = digits + hex;
    if (*first == '\0' || strchr("0123456789abcdefABCDEF", *first) == NULL)
        return 0;
    const long c = strtol(first, &end, hex ? 16 : 10);
    if (*end != '\0' || c < 32 || c > 0x10FFFF || U_IS_SURROGATE(c))
        return 0;
    *length = k + 1;
    return (int32_t)c;
}

/* One line into out; its length, 0 where it is no running text. `out` is not behind `line`. */
static int64_t plain_line(char *out, const char *line, int64_t n)
{
    int64_t i = 0, to = 0;
    bool letter = false;
    while (i < n && strchr("*#:; \t", line[i]) != NULL && line[i] != '\0')
        i++;
    while (n > i && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r'))
        n--;
    if (i == n || line[i] == '|' || line[i] == '!' || (line[i] == '=' && line[n - 1] == '='))
        return 0;
    while (i < n) {
        int length = 0;
        const int32_t c = line[i] == '&' ? entity(line + i, n - i, &length) : 0;
        if (c > 0) {
            int32_t at = 0;
            uint8_t bytes[4];
            UBool bad = false;
            U8_APPEND(bytes, at, 4, (uint32_t)c, bad);
            memcpy(out + to, bytes, (size_t)(bad ? 0 : at));
            to += bad ? 0 : at;
            i += length;
            continue;
        }
        if (n - i > 4 && line[i] == '_' && line[i + 1] == '_' && is_letter(line[i + 2])) {
            int64_t k = i + 2; /* __NOTOC__ */
            while (k < n && line[k] >= 'A' && line[k] <= 'Z')
                k++;
            if (n - k >= 2 && line[k] == '_' && line[k + 1] == '_') {
                i = k + 2;
                continue;
            }
        }
        letter = letter || is_letter(line[i]) || (unsigned char)line[i] >= 0x80;
        if (line[i] != ' ' || (to > 0 && out[to - 1] != ' '))
            out[to++] = line[i];
        i++;
    }
    while (to > 0 && out[to - 1] == ' ')
        to--;
    return letter ? to : 0;
}

int64_t ig_wikitext_plain(char *text, int64_t n)
{
    int64_t to = 0;
    n = drop_tags(text, n);
    n = drop_markup(text, n);
    for (int64_t from = 0; from < n;) {
        const char *lf = memchr(text + from, '\n', (size_t)(n - from));
        const int64_t end = lf != NULL ? lf - text : n;
        const int64_t m = plain_line(text + to, text + from, end - from);
        if (m > 0) {
            to += m;
            if (to < n)
                text[to++] = '\n';
        }
        from = end + 1;
    }
    return to > 0 && text[to - 1] == '\n' ? to - 1 : to;
}
