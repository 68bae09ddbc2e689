/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads parallel sentences in three forms: joined verses, two files by line, two columns of one.
 */
#include "corpus/read/parallel_text.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "corpus/read/text_source.h"

#include <string.h>

struct ig_parallel {
    ig_verse_join *join;
    ig_line_reader *line[2]; /* line[1] NULL: columns */
    const char *where;
    /* Of columns: pairs, texts in quotation marks, those with doubled ones within. */
    int64_t n, n_quoted, n_doubled;
};

static ig_code count_lines(int64_t *n, const char *path, ig_err *err)
{
    ig_line_reader *r;
    char *line;
    int64_t size;
    ig_code code;
    *n = 0;
    IG_TRY(ig_line_open(&r, path, err));
    while ((code = ig_line_next(r, &line, &size, err)) == IG_ERR_OK && line != NULL)
        ++*n;
    ig_line_close(r);
    return code;
}

ig_code ig_parallel_lines(const char *a, const char *b, ig_err *err)
{
    int64_t n = 0, m = 0;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return IG_ERR_OK;
    IG_TRY(count_lines(&n, a, err));
    IG_TRY(count_lines(&m, b, err));
    if (n == m)
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_INPUT, b, 0,
                   "found %lld line%s, expected %lld, as many as %.200s has", (long long)m,
                   m == 1 ? "" : "s", (long long)n, a);
}

static ig_code open_files(ig_parallel *p, const char *a, const char *b, const char *ids,
                          ig_err *err)
{
    bool verses[2] = {false, false};
    ig_verse_set set;
    if (b != NULL && ig_same_content(a, b))
        ig_warn_once("%s and %s have one text, so every sentence is its own translation", a, b);
    for (int i = 0; i < 2 && b != NULL; i++)
        IG_TRY(ig_text_has_verses(&verses[i], i == 0 ? a : b, IG_TEXT_AUTO, err));
    if (verses[0] != verses[1])
        return ig_fail(err, IG_ERR_INPUT, verses[0] ? b : a, 0,
                       "found text without verse ids beside the verses of %.200s",
                       verses[0] ? a : b);
    if (ids != NULL && !verses[0])
        return ig_fail(err, IG_ERR_USAGE, a, 0,
                       "verses are to be selected, but this is text without ids");
    if (verses[0]) {
        char *path[2];
        IG_TRY(ig_verse_set_parse(&set, ids, "ids", err));
        for (int i = 0; i < 2; i++)
            path[i] = (char *)(i == 0 ? a : b); /* not written to; of a type with main's argv */
        return ig_verse_join_open(&p->join, path, 2, &set, err);
    }
    if (b != NULL)
        IG_TRY(ig_parallel_lines(a, b, err));
    IG_TRY(ig_line_open(&p->line[0], a, err));
    p->where = ig_line_where(p->line[0]);
    return b != NULL ? ig_line_open(&p->line[1], b, err) : IG_ERR_OK;
}

ig_code ig_parallel_open(ig_parallel **out, const char *a, const char *b, const char *ids,
                         ig_err *err)
{
    ig_parallel *p;
    *out = NULL;
    IG_TRY(ig_alloc(&p, 1, sizeof *p, "parallel text", err));
    p->where = a;
    ig_code code = open_files(p, a, b, ids, err);
    IG_RETURN_NEW(code, out, p, ig_parallel_close);
}

/* Counts texts that seem to be quoted fields of CSV: all marks within are doubled. */
static void count_marks(ig_parallel *p, const char *text)
{
    const size_t n = strlen(text);
    bool doubled = false;
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return;
    for (const char *at = text + 1; at < text + n - 1; at++)
        if (*at == '"') {
            if (at + 1 == text + n - 1 || *++at != '"')
                return;
            doubled = true;
        }
    p->n_quoted++;
    p->n_doubled += doubled;
}

static void warn_marks(const ig_parallel *p)
{
    const int64_t n = p->n_doubled > 0 ? p->n_doubled : p->n_quoted;
    if (p->n_doubled > 0 || (p->n > 1 && n == 2 * p->n))
        ig_warn_once("%s: texts in quotation marks%s (%lld) are read as they stand: fields of CSV "
                     "are not known here",
                     p->where, p->n_doubled > 0 ? ", with doubled ones within" : "", (long long)n);
}

/* Returns whether a text looks as the name of a column: of a language, "en", or of a side. */
static bool is_name(const char *text)
{
    static const char *const side[] = {"source", "target", "src", "trg", "tgt"};
    const size_t n = strlen(text);
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        if (strcmp(text, side[i]) == 0)
            return true;
    return (n == 2 || n == 3) && strspn(text, "abcdefghijklmnopqrstuvwxyz") == n;
}

/* Looks for signs that the file is no table of two texts alone. */
static void look(ig_parallel *p, const char *const text[2])
{
    if (p->n++ == 0 && is_name(text[0]) && is_name(text[1]) && strcmp(text[0], text[1]) != 0)
        ig_warn_once("%s:%llu: '%s' and '%s' are read as a pair: is it a line of names?", p->where,
                     (unsigned long long)ig_line_number(p->line[0]), text[0], text[1]);
    count_marks(p, text[0]);
    count_marks(p, text[1]);
}

static ig_code next_columns(ig_parallel *p, const char *text[2], ig_err *err)
{
    char *line;
    int64_t n;
    IG_TRY(ig_line_next(p->line[0], &line, &n, err));
    text[0] = line;
    if (line == NULL) {
        warn_marks(p);
        return IG_ERR_OK;
    }
    if (p->n == 0 && ig_text_verses.is(line, n))
        return ig_fail(err, IG_ERR_INPUT, p->where, ig_line_number(p->line[0]),
                       "found a verse, expected two sentences with a tab between, or a second file "
                       "of verses");
    char *tab = strchr(line, '\t');
    if (tab == NULL)
        return ig_fail(err, IG_ERR_INPUT, p->where, ig_line_number(p->line[0]),
                       "found one column, expected two sentences with a tab between");
    *tab = '\0';
    text[1] = tab + 1;
    tab = strchr(tab + 1, '\t');
    if (tab != NULL)
        *tab = '\0';
    look(p, text);
    if (tab == NULL)
        return IG_ERR_OK;
    if (tab[1 + strspn(tab + 1, "0123456789-p? \t")] != '\0') {
        ig_fail(err, IG_ERR_INPUT, p->where, ig_line_number(p->line[0]),
                "found '%.40s' in the third column, expected two sentences and perhaps their links",
                tab + 1);
        return ig_hint(err, "'cut -f2,3' takes the second and the third column");
    }
    return IG_ERR_OK;
}

ig_code ig_parallel_next(ig_parallel *p, const char *text[2], ig_err *err)
{
    if (p->join != NULL) {
        ig_text_record r[2];
        IG_TRY(ig_verse_join_next(p->join, r, err));
        text[0] = r[0].text;
        text[1] = r[1].text;
        return IG_ERR_OK;
    }
    if (p->line[1] == NULL)
        return next_columns(p, text, err);
    for (int i = 0; i < 2; i++) {
        char *line;
        int64_t n;
        IG_TRY(ig_line_next(p->line[i], &line, &n, err));
        text[i] = line;
    }
    if ((text[0] == NULL) == (text[1] == NULL))
        return IG_ERR_OK;
    int ended = text[0] == NULL ? 0 : 1;
    return ig_fail(err, IG_ERR_INPUT, ig_line_where(p->line[ended]), ig_line_number(p->line[ended]),
                   "ends here, expected as many lines as %.200s has",
                   ig_line_where(p->line[1 - ended]));
}

const char *ig_parallel_where(const ig_parallel *p)
{
    return p->where;
}

void ig_parallel_close(ig_parallel *p)
{
    if (p == NULL)
        return;
    ig_verse_join_close(p->join);
    ig_line_close(p->line[0]);
    ig_line_close(p->line[1]);
    ig_free(p);
}
