/* SPDX-License-Identifier: Apache-2.0
 *
 * Definition lists: in "; term : definition" the colon ends the term, after MediaWiki's
 * BlockLevelPass::findColonNoLinks, which takes the first one outside links, tags and variants.
 */
#include "corpus/read/format/wikitext_steps.h"

#include <ctype.h>
#include <string.h>

enum { LINK, VARIANT, ADDRESS, TAG, N_CLOSE };
static const char *const closes[N_CLOSE] = {"]]", "}-", "]", ">"};

typedef struct {
    const char *text;
    int64_t i, n;
    bool none[N_CLOSE]; /* no such end from here on */
} line;

/* Moves behind the end of a construct that begins m characters from here; false: it has none. */
static bool leave(line *l, int kind, int64_t m)
{
    const int64_t size = (int64_t)strlen(closes[kind]);
    for (int64_t k = l->i + m; k + size <= l->n && !l->none[kind]; k++)
        if (memcmp(l->text + k, closes[kind], (size_t)size) == 0) {
            l->i = k + size;
            return true;
        }
    l->none[kind] = true;
    return false;
}

/* Moves behind an address that is no link in brackets; marks at its end belong to the text. */
static bool leave_address(line *l)
{
    const int64_t m = ig_wiki_address(l->text + l->i, l->n - l->i);
    int64_t end = l->i + m;
    while (end > l->i && strchr(",;.:!?", l->text[end - 1]) != NULL)
        end--;
    l->i = end;
    return m > 0;
}

/* Moves behind the link or variant that is here; false: there is none. */
static bool leave_link(line *l)
{
    const char *t = l->text + l->i;
    const int64_t n = l->n - l->i;
    if (t[0] == '[' && n > 1 && t[1] == '[')
        return leave(l, LINK, 2);
    if (t[0] == '-' && n > 1 && t[1] == '{')
        return leave(l, VARIANT, 2);
    if (t[0] == '[')
        return ig_wiki_address(t + 1, n - 1) > 0 && leave(l, ADDRESS, 1);
    return t[0] != '/' && (l->i == 0 || !isalnum((unsigned char)t[-1])) && leave_address(l);
}

/* Moves behind a tag; returns by how much it changes the depth. */
static int leave_tag(line *l)
{
    const char *t = l->text + l->i;
    const int64_t n = l->n - l->i, name = n > 1 && t[1] == '/' ? 2 : 1;
    if (name >= n || !isalpha((unsigned char)t[name]) || !leave(l, TAG, name)) {
        l->i++;
        return 0;
    }
    if (name == 2)
        return -1;
    return l->text[l->i - 2] == '/' || ig_wiki_starts(t + 1, n - 1, "br") ||
                   ig_wiki_starts(t + 1, n - 1, "wbr")
               ? 0
               : 1;
}

/* Returns the position of the colon after a term; n if there is none. */
static int64_t colon(const char *text, int64_t n)
{
    line l = {.text = text, .n = n};
    int depth = 0;
    bool slanted = false; /* between runs of apostrophes */
    while (l.i < n) {
        const char c = text[l.i];
        if (c == '<') {
            depth += leave_tag(&l);
            depth = depth < 0 ? 0 : depth;
        } else if (c == '\'' && l.i + 1 < n && text[l.i + 1] == '\'') {
            slanted = !slanted;
            while (l.i < n && text[l.i] == '\'')
                l.i++;
        } else if (c == ':' && depth == 0 && !slanted) {
            return l.i;
        } else if (!leave_link(&l)) {
            l.i++;
        }
    }
    return n;
}

void ig_wiki_split_terms(char *text, int64_t n)
{
    for (int64_t from = 0; from < n;) {
        const char *lf = memchr(text + from, '\n', (size_t)(n - from));
        const int64_t end = lf != NULL ? lf - text : n;
        int64_t i = from;
        while (i < end && text[i] != '\0' && strchr("*#:;", text[i]) != NULL)
            i++;
        if (i > from && text[i - 1] == ';') {
            const int64_t at = i + colon(text + i, end - i);
            if (at < end)
                text[at] = '\n';
        }
        from = end + 1;
    }
}
