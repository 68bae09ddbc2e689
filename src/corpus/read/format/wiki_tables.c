/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags of HTML, and tables in both notations, after MediaWiki's Sanitizer, which shows unknown
 * tags, and Parser::handleTables, which reads lines.
 */
#include "base/memory.h"

#include "corpus/read/format/wikitext_steps.h"

#include <string.h>

enum { TAG_MAX = 2000 };

/* Elements whose tags are removed and whose content stays, surrounded by blanks: those of HTML that
 * MediaWiki allows, and those of extensions. The second list separates the text before and after
 * the tag. */
static const char inline_tags[] = " abbr b bdi bdo big cite code data del dfn em font i ins kbd "
                                  "link mark meta q rb rp rt rtc ruby"
                                  " s samp small span strike strong sub sup time tt u var wbr"
                                  " noinclude onlyinclude section translate tvar languages ";
static const char block_tags[] =
    " blockquote br caption center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p poem table td th tr"
    " ul ";

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

typedef struct {
    int64_t after; /* where the text continues; 0: not a tag */
    bool end, block, table;
} tag;

/* Reads the tag at text[i] = '<'. */
static tag read_tag(const char *text, int64_t n, int64_t i)
{
    char name[16] = " ";
    size_t m = 1;
    const bool end = i + 1 < n && text[i + 1] == '/';
    int64_t k = i + 1 + end;
    for (; k < n && m < sizeof name - 2 && is_alphanumeric(text[k]); k++)
        name[m++] = (char)(text[k] >= 'A' && text[k] <= 'Z' ? text[k] - 'A' + 'a' : text[k]);
    name[m++] = ' ';
    name[m] = '\0';
    const bool block = strstr(block_tags, name) != NULL;
    if (m < 3 || (!block && strstr(inline_tags, name) == NULL) || k == n ||
        is_alphanumeric(text[k]) || text[k] == '-')
        return (tag){0};
    const int64_t most = n - i < TAG_MAX ? n : i + TAG_MAX;
    while (k < most && text[k] != '>' && text[k] != '<')
        k++;
    if (k == most || text[k] == '<')
        return (tag){0};
    return (tag){.after = k + 1,
                 .end = end,
                 .block = block,
                 .table = strcmp(name, " table ") == 0 && text[k - 1] != '/'};
}

ig_code ig_wiki_drop_tags(char *text, int64_t *n, ig_err *err)
{
    ig_wiki_stack tables = {0};
    int64_t to = 0;
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < *n && code == IG_ERR_OK;) {
        const tag t = text[i] == '<' ? read_tag(text, *n, i) : (tag){0};
        if (t.after == 0) {
            text[to++] = text[i++];
            continue;
        }
        if (t.table && !t.end)
            code = ig_wiki_push(&tables, '<', to, 1, err);
        else if (t.table && tables.n > 0)
            to = tables.open[--tables.n].from;
        text[to++] = t.block ? ' ' : IG_WIKI_NOTHING;
        i = t.after;
    }
    ig_free(tables.open);
    *n = to;
    return code;
}

/* Returns the line's first character that is neither white space nor a mark. */
static int64_t first_of(const char *text, int64_t i, int64_t end)
{
    while (i < end && (text[i] == ' ' || text[i] == '\t' || text[i] == IG_WIKI_NOTHING ||
                       text[i] == IG_WIKI_TEMPLATE))
        i++;
    return i;
}

static bool two(const char *text, int64_t i, int64_t end, const char *what)
{
    return end - i >= 2 && text[i] == what[0] && text[i + 1] == what[1];
}

/* Returns whether a table opens in the line: {|, also after colons. */
static bool opens(const char *text, int64_t i, int64_t end)
{
    i = first_of(text, i, end);
    while (i < end && text[i] == ':')
        i++;
    return two(text, first_of(text, i, end), end, "{|");
}

static int64_t line_end(const char *text, int64_t i, int64_t n)
{
    const char *lf = memchr(text + i, '\n', (size_t)(n - i));
    return lf != NULL ? lf - text : n;
}

/* Removes the cells of tables that are not closed from the lines after `from`. */
static int64_t drop_cells(char *text, int64_t from, int64_t n)
{
    int64_t to = from;
    for (int64_t i = from, end; i < n; i = end + 1) {
        end = line_end(text, i, n);
        const int64_t k = first_of(text, i, end), after = end < n ? end + 1 : n;
        if (k < end && (text[k] == '|' || text[k] == '!' || opens(text, i, end)))
            continue;
        memmove(text + to, text + i, (size_t)(after - i));
        to += after - i;
    }
    return to;
}

ig_code ig_wiki_drop_tables(char *text, int64_t *n, ig_err *err)
{
    ig_wiki_stack tables = {0};
    int64_t to = 0;
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0, end; i < *n && code == IG_ERR_OK; i = end + 1) {
        end = line_end(text, i, *n);
        const int64_t k = first_of(text, i, end);
        if (opens(text, i, end)) {
            code = ig_wiki_push(&tables, '{', to, 1, err);
        } else if (tables.n > 0 && two(text, k, end, "|}")) {
            to = tables.open[--tables.n].from;
            i = k + 2; /* the rest of the line is text */
        }
        const int64_t after = end < *n ? end + 1 : *n;
        memmove(text + to, text + i, (size_t)(after - i));
        to += after - i;
    }
    if (tables.n > 0)
        to = drop_cells(text, tables.open[0].from, to);
    ig_free(tables.open);
    *n = to;
    return code;
}
