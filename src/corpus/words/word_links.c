/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads Pharaoh's format of word alignments, and the marks for possible links that gold standards
 * add: "p" in Jalili Sabet et al. 2020's files, "?" in others'. All lines of a file have one form.
 */
#include "corpus/words/word_links.h"

#include "base/memory.h"
#include "corpus/read/line_reader.h"
#include "text/white_space.h"

#include <stdlib.h>
#include <string.h>

struct ig_word_link_reader {
    ig_line_reader *lines;
    int base;
    int form; /* columns: 0 not yet known, 1, 3 */
    ig_word_link *link;
    int64_t have;
};

ig_code ig_word_links_open(ig_word_link_reader **out, const char *path, int base, ig_err *err)
{
    ig_word_link_reader *r;
    *out = NULL;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "word alignments", err));
    r->base = base;
    ig_code code = ig_line_open(&r->lines, path, err);
    IG_RETURN_NEW(code, out, r, ig_word_links_close);
}

void ig_word_links_close(ig_word_link_reader *r)
{
    if (r == NULL)
        return;
    ig_line_close(r->lines);
    IG_FREE(r->link, r);
}

const char *ig_word_links_where(const ig_word_link_reader *r)
{
    return ig_line_where(r->lines);
}

uint64_t ig_word_links_line(const ig_word_link_reader *r)
{
    return ig_line_number(r->lines);
}

static bool place(const char **p, const char *end, int32_t *out)
{
    const char *begin = *p;
    *out = 0;
    for (; *p < end && **p >= '0' && **p <= '9' && *p - begin < 7; ++*p)
        *out = *out * 10 + (**p - '0');
    return *p > begin;
}

/* Reads "3-4", "3p4", "3?4". */
static bool parse_link(const char *p, const char *end, ig_word_link *out)
{
    if (!place(&p, end, &out->a) || p == end || strchr("-p?", *p) == NULL)
        return false;
    out->possible = *p++ != '-';
    return place(&p, end, &out->b) && p == end;
}

static ig_code wrong(const ig_word_link_reader *r, const char *p, int64_t n, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                   "found '%.*s', expected links such as %d-%d, or %dp%d for a possible one",
                   (int)(n < 40 ? n : 40), p, r->base, r->base + 1, r->base, r->base + 1);
}

static ig_code check_range(const ig_word_link_reader *r, const ig_word_link *l, int32_t n_a,
                           int32_t n_b, ig_err *err)
{
    int32_t most_a = n_a >= 0 ? n_a : IG_WORD_MAX, most_b = n_b >= 0 ? n_b : IG_WORD_MAX;
    if (l->a >= 0 && l->b >= 0 && l->a < most_a && l->b < most_b)
        return IG_ERR_OK;
    if (n_a >= 0)
        ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                "found link %d-%d, expected places from %d to %d and %d", l->a + r->base,
                l->b + r->base, r->base, most_a + r->base - 1, most_b + r->base - 1);
    else
        ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                "found link %d-%d, expected places from %d, %d at most", l->a + r->base,
                l->b + r->base, r->base, IG_WORD_MAX + r->base - 1);
    if (r->base == 1 && (l->a < 0 || l->b < 0))
        ig_hint(err, "do the places count from 0? --base 0");
    else if (r->base == 0 && (l->a == n_a || l->b == n_b))
        ig_hint(err, "do the places count from 1? --base 1");
    return IG_ERR_INPUT;
}

static int by_places(const void *x, const void *y)
{
    const ig_word_link *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->possible - q->possible; /* sure first: it is the one that is kept */
}

static ig_code parse_links(ig_word_link_reader *r, const char *p, const char *end,
                           ig_word_links *out, ig_err *err)
{
    int64_t n = 0;
    for (;;) {
        while (p < end && *p == ' ')
            p++;
        if (p == end)
            break;
        const char *stop = p;
        while (stop < end && *stop != ' ')
            stop++;
        ig_word_link l;
        if (!parse_link(p, stop, &l))
            return wrong(r, p, stop - p, err);
        l.a -= r->base;
        l.b -= r->base;
        IG_TRY(check_range(r, &l, out->n_a, out->n_b, err));
        IG_TRY(ig_grow(&r->link, &r->have, n + 1, sizeof *r->link, "links", err));
        r->link[n++] = l;
        p = stop;
    }
    if (n > 1)
        qsort(r->link, (size_t)n, sizeof *r->link, by_places);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || r->link[kept - 1].a != r->link[i].a || r->link[kept - 1].b != r->link[i].b)
            r->link[kept++] = r->link[i];
    out->link = r->link;
    out->n = (int32_t)kept;
    return IG_ERR_OK;
}

ig_code ig_word_links_next(ig_word_link_reader *r, ig_word_links *out, bool *end, ig_err *err)
{
    char *line;
    int64_t n;
    *out = (ig_word_links){.n_a = -1, .n_b = -1};
    IG_TRY(ig_line_next(r->lines, &line, &n, err));
    *end = line == NULL;
    if (line == NULL)
        return IG_ERR_OK;
    char *first = memchr(line, '\t', (size_t)n), *links = line;
    int form = 1;
    if (first != NULL) {
        char *second = memchr(first + 1, '\t', (size_t)(line + n - first - 1));
        form = second == NULL                                                      ? 2
               : memchr(second + 1, '\t', (size_t)(line + n - second - 1)) == NULL ? 3
                                                                                   : 4;
        if (form == 3) {
            *first = *second = '\0';
            links = second + 1;
            out->text_a = line;
            out->text_b = first + 1;
            out->n_a = (int32_t)ig_n_words(line, (int64_t)strlen(line));
            out->n_b = (int32_t)ig_n_words(first + 1, (int64_t)strlen(first + 1));
        }
    }
    /* An empty line is a pair without links in the one form, and a truncated line in the other. */
    if (r->form == 0)
        r->form = form;
    if (form != r->form || form == 2 || form == 4)
        return ig_fail(err, IG_ERR_INPUT, ig_word_links_where(r), ig_word_links_line(r),
                       "found %s%d column%s, expected %s", form == 4 ? "at least " : "", form,
                       form == 1 ? "" : "s",
                       r->form == 3 ? "two sentences and their links, with tabs between"
                                    : "links alone, or two sentences and their links");
    return parse_links(r, links, line + n, out, err);
}
