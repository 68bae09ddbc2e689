/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of text formats, their detection, and versions of a text joined by verse id.
 */
#include "corpus/read/text_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "text/white_space.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* In the order in which they are tried; the last accepts everything. */
static const ig_text_format *const formats[] = {&ig_text_verses, &ig_text_mediawiki,
                                                &ig_text_plain};
enum { N_FORMAT = sizeof formats / sizeof *formats };

const char *const ig_text_kind_names[] = {"auto", "plain", "verses", "mediawiki", NULL};

bool ig_text_is_xml(const char *line, int64_t n)
{
    static const char *const start[] = {"<?xml", "<!DOCTYPE", "<mediawiki", "<siteinfo>", "<page>"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (n >= (int64_t)strlen(start[i]) && memcmp(line, start[i], strlen(start[i])) == 0)
            return true;
    return false;
}

struct ig_text_source {
    ig_line_reader *lines;
    void *state; /* of the format */
    const ig_text_format *format;
    ig_verse_set ids;
    bool rows; /* ig_text_open_rows */
};

/* Returns the first line of the *n bytes at p that is neither blank nor a comment of # or XML; *n
 * becomes its length. */
static const char *first_line(const char *p, int64_t *n)
{
    const char *const end = p + *n, *lf = NULL;
    if (*n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    while (p < end) {
        const char *q = NULL;
        while (p < end && memchr(" \t\r\n", *p, 4) != NULL)
            p++;
        if (end - p >= 4 && memcmp(p, "<!--", 4) == 0)
            for (q = p + 4; end - q >= 3 && memcmp(q, "-->", 3) != 0;)
                q++;
        lf = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (q != NULL && end - q >= 3)
            p = q + 3;
        else if (p < end && *p == '#')
            p = lf != NULL ? lf : end;
        else
            break;
    }
    *n = (lf != NULL ? lf : end) - p;
    return p;
}

/* Returns whether a line begins and ends with tags of XML or HTML. */
static bool is_element(const char *p, int64_t n)
{
    n -= n > 0 && p[n - 1] == '\r';
    return n > 2 && p[0] == '<' && isalpha((unsigned char)p[1]) && p[n - 1] == '>';
}

/* Returns whether a line begins with the number of a verse and what is no tab. */
static bool is_numbered(const char *p, int64_t n)
{
    enum { DIGITS = 8 };
    int k = 0;
    while (k < n && k < DIGITS && isdigit((unsigned char)p[k]))
        k++;
    return k == DIGITS && n > DIGITS && strchr(" ,;:", p[DIGITS]) != NULL && p[DIGITS] != '\0';
}

/* Returns whether a line names columns of CSV: a name between commas or semicolons is "text" or
 * "sentence", in quotation marks or not, and nothing has a blank. */
static bool is_csv(const char *p, int64_t n)
{
    bool named = false;
    int n_name = 0;
    if (n <= 0 || memchr(p, ' ', (size_t)n) != NULL)
        return false;
    n -= p[n - 1] == '\r';
    for (int64_t from = 0, i = 0; i <= n; i++) {
        if (i < n && p[i] != ',' && p[i] != ';')
            continue;
        const int64_t mark = i - from > 1 && p[from] == '"' && p[i - 1] == '"';
        const char *name = p + from + mark;
        const int64_t size = i - from - 2 * mark;
        named = named || (size == 4 && strncasecmp(name, "text", 4) == 0) ||
                (size == 8 && strncasecmp(name, "sentence", 8) == 0);
        from = i + 1;
        n_name++;
    }
    return named && n_name > 1;
}

/* Detects the format by the first line that is not a comment. */
static ig_code detect(ig_text_source *s, ig_err *err)
{
    const char *p;
    int64_t n;
    IG_TRY(ig_line_peek(s->lines, &p, &n, err));
    p = first_line(p, &n);
    for (int i = 0; i < N_FORMAT && s->format == NULL; i++)
        if (formats[i]->is == NULL || formats[i]->is(p, n))
            s->format = formats[i];
    const char *const form = s->rows || s->format != &ig_text_plain ? NULL
                             : n >= 2 && memcmp(p, "{\"", 2) == 0   ? "JSON"
                             : is_element(p, n)                     ? "markup"
                             : is_numbered(p, n)                    ? "a verse without a tab"
                             : is_csv(p, n)                         ? "names of columns of CSV"
                                                                    : NULL;
    if (form != NULL)
        ig_warn_once("%s: its first line is %s, and is read as a sentence (--format plain says "
                     "that it is text)",
                     ig_line_where(s->lines), form);
    return IG_ERR_OK;
}

/* Returns whether the first line that is no comment is a word of CoNLL-U. */
static bool is_conllu(const char *p, int64_t n)
{
    int n_column = 1;
    p = first_line(p, &n);
    for (int64_t i = 0; i < n; i++)
        n_column += p[i] == '\t';
    return n_column == 10 && p[0] == '1' && (p[1] == '\t' || p[1] == '-');
}

/* Refuses columns that were detected as plain text. */
static ig_code refuse_columns(ig_text_source *s, ig_err *err)
{
    const char *p, *lf;
    int64_t n, n_line = 0, n_tab = 0;
    IG_TRY(ig_line_peek(s->lines, &p, &n, err));
    const bool trees = is_conllu(p, n);
    for (const char *const end = p + n; p < end; p = lf + 1, n_line++) {
        lf = memchr(p, '\n', (size_t)(end - p));
        lf = lf != NULL ? lf : end;
        n_tab += memchr(p, '\t', (size_t)(lf - p)) != NULL;
    }
    if (n_line > 1 && (2 * n_tab > n_line || trees))
        ig_warn_once("%s: %lld of its first %lld lines have a tab: columns are read as one text "
                     "(%s; --format plain says that it is text)",
                     ig_line_where(s->lines), (long long)n_tab, (long long)n_line,
                     trees ? "'sed -n \"s/^# text = //p\"' takes CoNLL-U's texts"
                           : "'cut -f1' takes the first");
    return IG_ERR_OK;
}

static ig_code open_source(ig_text_source **out, const char *path, ig_text_kind kind,
                           const ig_verse_set *ids, bool rows, ig_err *err)
{
    ig_text_source *s;
    *out = NULL;
    IG_TRY(ig_alloc(&s, 1, sizeof *s, "text", err));
    s->rows = rows;
    if (ids != NULL)
        s->ids = *ids;
    for (int i = 0; i < N_FORMAT; i++)
        if (strcmp(formats[i]->name, ig_text_kind_names[kind]) == 0)
            s->format = formats[i];
    ig_code code = ig_line_open(&s->lines, path, err);
    if (code == IG_ERR_OK && s->format == NULL) {
        code = detect(s, err);
        if (code == IG_ERR_OK && s->format == &ig_text_plain && !rows)
            code = refuse_columns(s, err);
    }
    if (code == IG_ERR_OK && s->ids.n > 0 && !s->format->has_ids) {
        code =
            ig_fail(err, IG_ERR_INPUT, ig_line_where(s->lines), 0,
                    "verses are to be selected, but this is %s text without ids", s->format->name);
    }
    if (code == IG_ERR_OK && s->format->open != NULL)
        code = s->format->open(&s->state, s->lines, err);
    IG_RETURN_NEW(code, out, s, ig_text_close);
}

ig_code ig_text_open(ig_text_source **out, const char *path, ig_text_kind kind,
                     const ig_verse_set *ids, ig_err *err)
{
    return open_source(out, path, kind, ids, false, err);
}

ig_code ig_text_open_rows(ig_text_source **out, const char *path, ig_err *err)
{
    return open_source(out, path, IG_TEXT_AUTO, NULL, true, err);
}

ig_code ig_text_next(ig_text_source *s, ig_text_record *out, ig_err *err)
{
    do
        IG_TRY(s->format->next(s->lines, s->state, &s->ids, out, err));
    while (out->text != NULL && !s->rows && ig_is_blank(out->text, out->n));
    return IG_ERR_OK;
}

const char *ig_text_where(const ig_text_source *s)
{
    return ig_line_where(s->lines);
}

uint64_t ig_text_line(const ig_text_source *s)
{
    return ig_line_number(s->lines);
}

void ig_text_close(ig_text_source *s)
{
    if (s == NULL)
        return;
    if (s->format != NULL && s->format->close != NULL)
        s->format->close(s->state);
    ig_line_close(s->lines);
    ig_free(s);
}

ig_code ig_text_has_verses(bool *yes, const char *path, int format, ig_err *err)
{
    ig_text_source *s;
    ig_text_record r;
    IG_TRY(ig_text_open(&s, path, (ig_text_kind)format, NULL, err));
    ig_code code = ig_text_next(s, &r, err);
    *yes = code == IG_ERR_OK && r.text != NULL && r.id != 0;
    ig_text_close(s);
    return code;
}

ig_code ig_text_check_order(const ig_text_source *s, const ig_text_record *r, int32_t before,
                            ig_err *err)
{
    return r->text == NULL || r->id > before
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, ig_text_where(s), ig_text_line(s),
                         "verse %08d follows %08d, expected ascending ids", r->id, before);
}

struct ig_verse_join {
    int n;
    ig_text_source **source; /* [n] */
    ig_text_record *record;  /* [n] the version's current verse */
};

ig_code ig_verse_join_open(ig_verse_join **out, char *const *path, int n, const ig_verse_set *ids,
                           ig_err *err)
{
    ig_verse_join *j;
    *out = NULL;
    IG_TRY(ig_alloc(&j, 1, sizeof *j, "versions", err));
    ig_code code = ig_alloc(&j->source, n, sizeof(ig_text_source *), "versions", err);
    IG_THEN(code, ig_alloc(&j->record, n, sizeof *j->record, "versions", err));
    for (int k = 0; code == IG_ERR_OK && k < n; k++) {
        j->n = k + 1;
        j->record[k].id = -1;
        code = ig_text_open(&j->source[k], path[k], IG_TEXT_VERSES, ids, err);
    }
    IG_RETURN_NEW(code, out, j, ig_verse_join_close);
}

static ig_code advance(ig_verse_join *j, int k, ig_err *err)
{
    int32_t before = j->record[k].id;
    IG_TRY(ig_text_next(j->source[k], &j->record[k], err));
    return ig_text_check_order(j->source[k], &j->record[k], before, err);
}

ig_code ig_verse_join_next(ig_verse_join *j, ig_text_record *record, ig_err *err)
{
    for (int k = 0; k < j->n; k++)
        IG_TRY(advance(j, k, err));
    /* The version with the smallest id reads on, until all are at one verse. */
    for (int same = 0, k = 0; same < j->n; k = (k + 1) % j->n) {
        const ig_text_record *lead = &j->record[(k + j->n - 1) % j->n];
        if (lead->text == NULL || j->record[k].text == NULL) {
            record[0].text = NULL;
            return IG_ERR_OK;
        }
        bool moved = false;
        while (j->record[k].text != NULL && j->record[k].id < lead->id) {
            IG_TRY(advance(j, k, err));
            moved = true;
        }
        same = j->record[k].text == NULL || moved || j->record[k].id > lead->id ? 1 : same + 1;
    }
    memcpy(record, j->record, (size_t)j->n * sizeof *record);
    return IG_ERR_OK;
}

void ig_verse_join_close(ig_verse_join *j)
{
    if (j == NULL)
        return;
    for (int k = 0; k < j->n; k++)
        ig_text_close(j->source[k]);
    IG_FREE(j->source, j->record, j);
}
