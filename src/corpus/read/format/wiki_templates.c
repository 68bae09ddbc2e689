/* SPDX-License-Identifier: Apache-2.0
 *
 * The first step: comments, elements of extensions, templates {{…}}, parameters {{{…}}}, after
 * MediaWiki's Preprocessor: a closing run is matched with the innermost opening run only, three of
 * a kind before two; -{ and [[ hide the braces around them until they are closed.
 */
#include "base/memory.h"

#include "corpus/read/format/wikitext_steps.h"

#include <string.h>
#include <strings.h>

typedef enum { DROPPED, HIDDEN, PROTECTED } fate;

/* Elements whose content is not read as markup. HIDDEN ones are not shown on the page, and extend
 * to its end if they are not closed; others show their start tag in that case. */
static const struct {
    const char *name;
    fate fate;
} elements[] = {
    {"nowiki", PROTECTED},       {"includeonly", HIDDEN},   {"ref", DROPPED},
    {"references", DROPPED},     {"math", DROPPED},         {"gallery", DROPPED},
    {"timeline", DROPPED},       {"source", DROPPED},       {"syntaxhighlight", DROPPED},
    {"score", DROPPED},          {"imagemap", DROPPED},     {"pre", DROPPED},
    {"chem", DROPPED},           {"ce", DROPPED},           {"graph", DROPPED},
    {"templatestyles", DROPPED}, {"templatedata", DROPPED}, {"hiero", DROPPED},
    {"inputbox", DROPPED},       {"mapframe", DROPPED},     {"maplink", DROPPED},
    {"categorytree", DROPPED},   {"indicator", DROPPED},    {"charinsert", DROPPED}};
enum { N_ELEMENT = sizeof elements / sizeof *elements };

/* Characters with a meaning in a later step; marks of lists have one only after a newline without a
 * mark of ours, and & # ; may be part of a character reference, which <nowiki> leaves in force. */
static const char protected[] = "{}[]|'<>_=:!-";

char ig_wiki_unprotected(char c)
{
    return c >= IG_WIKI_FIRST && c < IG_WIKI_FIRST + (int)sizeof protected - 1
               ? protected[c - IG_WIKI_FIRST]
               : c;
}

bool ig_wiki_starts(const char *text, int64_t n, const char *with)
{
    const int64_t m = (int64_t)strlen(with);
    return n >= m && strncasecmp(text, with, (size_t)m) == 0;
}

ig_code ig_wiki_push(ig_wiki_stack *s, char kind, int64_t from, int64_t count, ig_err *err)
{
    IG_TRY(ig_grow(&s->open, &s->have, s->n + 1, sizeof *s->open, "markup", err));
    s->open[s->n++] = (ig_wiki_open){.kind = kind, .from = from, .count = count};
    return IG_ERR_OK;
}

typedef struct {
    char *text;
    int64_t n, i, to; /* read from i on, written up to `to` */
    ig_wiki_stack stack;
    bool none[N_ELEMENT]; /* no end tag of that name from here on */
    bool no_more;         /* nor any > */
} reader;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Finds the start of the end tag of `name`, and the position after it; n if there is none. */
static int64_t find_end(const reader *r, int64_t from, const char *name, int64_t *after)
{
    const int64_t m = (int64_t)strlen(name);
    for (int64_t i = from; i + 2 + m < r->n; i++) {
        if (r->text[i] != '<' || r->text[i + 1] != '/' ||
            !ig_wiki_starts(r->text + i + 2, r->n - i - 2, name))
            continue;
        int64_t k = i + 2 + m;
        while (k < r->n && is_space(r->text[k]))
            k++;
        if (k < r->n && r->text[k] == '>') {
            *after = k + 1;
            return i;
        }
    }
    *after = r->n;
    return r->n;
}

/* Writes text[from..to) so that no later step treats it as markup. */
static void protect(reader *r, int64_t from, int64_t to)
{
    for (; from < to; from++) {
        const char c = r->text[from], *at = c != '\0' ? strchr(protected, c) : NULL;
        r->text[r->to++] = at != NULL  ? (char)(IG_WIKI_FIRST + (at - protected))
                           : c == '\n' ? ' '
                                       : c;
    }
}

/* Handles the element that begins here; returns whether there is one. */
static bool handle_element(reader *r)
{
    const char *t = r->text + r->i;
    const int64_t n = r->n - r->i;
    for (int k = 0; k < N_ELEMENT; k++) {
        const int64_t m = 1 + (int64_t)strlen(elements[k].name);
        if (r->none[k] || r->no_more || !ig_wiki_starts(t + 1, n - 1, elements[k].name) || m >= n ||
            !(is_space(t[m]) || t[m] == '>' || (t[m] == '/' && m + 1 < n && t[m + 1] == '>')))
            continue;
        const char *gt = memchr(t + m, '>', (size_t)(n - m));
        r->no_more = gt == NULL;
        if (gt == NULL)
            return false;
        int64_t after = r->i + (gt + 1 - t), end = after;
        if (gt[-1] != '/')
            end = find_end(r, end, elements[k].name, &after);
        r->none[k] = end == r->n;
        if (end == r->n && gt[-1] != '/' && elements[k].fate != HIDDEN)
            return false;
        r->text[r->to++] = IG_WIKI_NOTHING;
        if (elements[k].fate == PROTECTED && gt[-1] != '/') {
            protect(r, r->i + (gt + 1 - t), end);
            r->text[r->to++] = IG_WIKI_NOTHING;
        }
        r->i = after;
        return true;
    }
    return false;
}

static bool take_comment(reader *r)
{
    if (!ig_wiki_starts(r->text + r->i, r->n - r->i, "<!--"))
        return false;
    const char *end = NULL;
    for (int64_t k = r->i + 4; k + 3 <= r->n && end == NULL; k++)
        end = memcmp(r->text + k, "-->", 3) == 0 ? r->text + k : NULL;
    r->i = end != NULL ? end - r->text + 3 : r->n;
    return true;
}

/* Returns the number of c in a row at i. */
static int64_t run(const reader *r, int64_t i, char c)
{
    int64_t n = 0;
    while (i + n < r->n && r->text[i + n] == c)
        n++;
    return n;
}

static void copy(reader *r, int64_t n)
{
    memmove(r->text + r->to, r->text + r->i, (size_t)n);
    r->i += n;
    r->to += n;
}

/* Handles a run that may open something: {{, [[, -{. */
static ig_code handle_opening(reader *r, ig_err *err)
{
    const char c = r->text[r->i];
    if (c == '-') {
        const int64_t n = run(r, r->i + 1, '{');
        copy(r, n == 1 ? 2 : 1); /* in -{{ the braces belong together */
        return n == 1 ? ig_wiki_push(&r->stack, '-', r->to, 2, err) : IG_ERR_OK;
    }
    const int64_t n = run(r, r->i, c);
    copy(r, n);
    return n >= 2 ? ig_wiki_push(&r->stack, c, r->to, n, err) : IG_ERR_OK;
}

/* Removes a template or parameter of `braces` braces from the output; a parameter's default stays,
 * which a page that is no template shows; {{!}} and {{=}} are characters. */
static void drop(reader *r, ig_wiki_open *o, int braces)
{
    const int64_t from = o->bar[0] + 1, end = o->bar[1] > 0 ? o->bar[1] : r->to;
    if (braces == 3 && o->bar[0] > 0) {
        r->to = o->from -= braces;
        memmove(r->text + r->to, r->text + from, (size_t)(end - from));
        r->to += end - from;
        return;
    }
    const bool one = braces == 2 && r->to - o->from == 1;
    const char only = one ? r->text[o->from] : '\0';
    r->to = o->from -= braces;
    r->text[r->to++] = only == '!' ? '|' : only == '=' ? '=' : IG_WIKI_TEMPLATE;
}

/* Handles a run that may close the innermost opening. */
static void handle_closing(reader *r)
{
    ig_wiki_open *o = r->stack.n > 0 ? &r->stack.open[r->stack.n - 1] : NULL;
    const char c = r->text[r->i];
    if (o == NULL || (c == ']') != (o->kind == '[')) {
        copy(r, 1);
        return;
    }
    if (o->kind == '-') {
        const bool closes = r->i + 1 < r->n && r->text[r->i + 1] == '-';
        r->stack.n -= closes;
        copy(r, closes ? 2 : 1);
        return;
    }
    const int64_t there = run(r, r->i, c), both = there < o->count ? there : o->count;
    const int braces = c == '}' && both >= 3 ? 3 : both >= 2 ? 2 : 0;
    if (braces == 0) {
        copy(r, both);
        return;
    }
    if (c == ']') {
        copy(r, 2);
    } else {
        drop(r, o, braces);
        r->i += braces;
    }
    o->bar[0] = o->bar[1] = 0;
    o->count -= braces;
    r->stack.n -= o->count < 2;
}

/* Copies a bar, and remembers the first two between braces. */
static void take_bar(reader *r)
{
    ig_wiki_open *o = r->stack.n > 0 ? &r->stack.open[r->stack.n - 1] : NULL;
    if (o != NULL && o->kind == '{')
        for (int k = 0; k < 2; k++)
            if (o->bar[k] == 0) {
                o->bar[k] = r->to;
                break;
            }
    copy(r, 1);
}

ig_code ig_wiki_drop_templates(char *text, int64_t *n, ig_err *err)
{
    reader r = {.text = text, .n = *n};
    ig_code code = IG_ERR_OK;
    while (r.i < r.n && code == IG_ERR_OK) {
        const char c = r.text[r.i];
        if (c == '<' && (take_comment(&r) || handle_element(&r)))
            continue;
        if (c == '{' || c == '[' || (c == '-' && r.i + 1 < r.n && r.text[r.i + 1] == '{'))
            code = handle_opening(&r, err);
        else if (c == '}' || c == ']')
            handle_closing(&r);
        else if (c == '|')
            take_bar(&r);
        else if ((uint8_t)c < ' ' && c != '\n' && c != '\t')
            r.i++; /* marks are ours */
        else
            r.text[r.to++] = r.text[r.i++];
    }
    ig_free(r.stack.open);
    *n = r.to;
    return code;
}
