/* SPDX-License-Identifier: Apache-2.0
 *
 * Links within the wiki, after MediaWiki's Parser::handleInternalLinks2: a link has a title of
 * legal characters and optionally a text, and contains no other link; only a file's caption may
 * contain links. Anything else keeps its brackets.
 */
#include "corpus/read/format/wikitext_steps.h"

#include <string.h>

typedef struct {
    const ig_wiki_site *site;
    char *text;
    int64_t n, i, to;
    int64_t failed; /* no caption that extends to here is closed */
} reader;

static bool is_title(char c)
{
    return (signed char)c < 0 || c == IG_WIKI_TEMPLATE ||
           (c >= ' ' && c != 127 && strchr("[]{}|<>", c) == NULL);
}

/* Returns the position of the next two c in a row, from i on; n if there are none. */
static int64_t find_two(const reader *r, int64_t i, char c, int64_t n)
{
    for (; i + 1 < n; i++)
        if (r->text[i] == c && r->text[i + 1] == c)
            return i;
    return n;
}

/* Returns the end of a file's link whose caption contains links, 0 if it has none: the first ]]
 * that closes none of them. */
static int64_t caption_end(reader *r, int64_t i)
{
    if (i < r->failed)
        return 0;
    while (i < r->n) {
        /* Before the next link, the first ]] closes the previous link, a second the file's. */
        const int64_t next = find_two(r, i + 2, '[', r->n), one = find_two(r, i + 2, ']', next);
        const int64_t other = one < next ? find_two(r, one + 2, ']', next) : next;
        if (other < next)
            return other + 2;
        if (one == next)
            break;
        i = next;
    }
    r->failed = i < r->n ? i + 1 : r->n;
    return 0;
}

/* Returns whether a link to `title` shows nothing, because no colon before it makes it visible. */
static bool is_hidden(const reader *r, const char *title, int64_t n)
{
    const int ns = ig_wiki_site_namespace(r->site, title, n);
    return ns == IG_WIKI_FILE || ns == IG_WIKI_CATEGORY || ns == IG_WIKI_MEDIA ||
           ig_wiki_is_interlanguage(title, n);
}

static void show(reader *r, int64_t from, int64_t to)
{
    r->text[r->to++] = IG_WIKI_NOTHING;
    memmove(r->text + r->to, r->text + from, (size_t)(to - from));
    r->to += to - from;
    r->text[r->to++] = IG_WIKI_NOTHING;
}

static bool is_address(const char *title, int64_t n)
{
    return ig_wiki_starts(title, n, "http://") || ig_wiki_starts(title, n, "https://") ||
           ig_wiki_starts(title, n, "ftp://") || ig_wiki_starts(title, n, "//") ||
           ig_wiki_starts(title, n, "mailto:");
}

/* Replaces the link at i by its text; returns whether there is one. */
static bool handle_link(reader *r)
{
    const int64_t title = r->i + 2;
    int64_t bar = title;
    bool any = false;
    for (; bar < r->n && is_title(r->text[bar]); bar++)
        any = any || (r->text[bar] != ' ' && r->text[bar] != '_');
    const char *t = r->text + title;
    if (!any || bar + 1 >= r->n || (r->text[bar] != '|' && find_two(r, bar, ']', bar + 2) != bar) ||
        is_address(t, bar - title))
        return false;
    const bool colon = *t == ':', hidden = !colon && is_hidden(r, t, bar - title);
    int64_t from = title + colon, end = bar, after = bar + 2;
    if (r->text[bar] == '|') {
        const int64_t next = find_two(r, bar, '[', r->n);
        from = bar + 1;
        end = from < r->n ? find_two(r, from + 1, ']', next) : next; /* a text is not empty */
        after = end + 2;
        if (end == next) {
            const bool file =
                !colon && ig_wiki_site_namespace(r->site, t, bar - title) == IG_WIKI_FILE;
            after = file && next < r->n ? caption_end(r, next) : 0;
            if (after == 0)
                return false;
        } else if (after < r->n && r->text[after] == ']' &&
                   memchr(r->text + from, '[', (size_t)(end - from)) != NULL) {
            end++; /* [[link|[text]]] */
            after++;
        }
    }
    if (!hidden)
        show(r, from, end);
    r->i = after;
    return true;
}

int64_t ig_wiki_address(const char *text, int64_t n)
{
    static const char *const protocols[] = {
        "http://", "https://", "//",   "ftp://", "ftps://", "mailto:", "irc://",
        "ircs://", "news:",    "tel:", "geo:",   "sftp://", "git://",  "urn:"};
    for (size_t k = 0; k < sizeof protocols / sizeof *protocols; k++) {
        const int64_t m = (int64_t)strlen(protocols[k]);
        int64_t i = m;
        if (!ig_wiki_starts(text, n, protocols[k]))
            continue;
        while (i < n &&
               ((signed char)text[i] < 0 || (text[i] > ' ' && strchr("[]<>\"", text[i]) == NULL)))
            i++;
        return i > m ? i : 0;
    }
    return 0;
}

int64_t ig_wiki_show_links(const ig_wiki_site *site, char *text, int64_t n)
{
    reader r = {.site = site, .text = text, .n = n};
    while (r.i < n) {
        const bool two = r.i + 1 < n && text[r.i] == '[' && text[r.i + 1] == '[';
        if (two && handle_link(&r))
            continue;
        for (int k = 0; k < 1 + two; k++)
            text[r.to++] = text[r.i++];
    }
    return r.to;
}
