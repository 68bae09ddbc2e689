/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of word pairs with judgements (WordSim-353, SimLex-999, those of MUSE and of SemEval 2017),
 * which come with different separators.
 */
#include "embed/search/word_similarity.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "base/numeric/statistics.h"
#include "corpus/read/line_reader.h"
#include "text/lowercase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64 };

typedef struct {
    const ig_vectors *v[2];
    int column;
    ig_lowercase *lower; /* or NULL */
    ig_line_reader *r;
    int64_t n_row, n_line; /* lines that are no comments; those with a score */
    double *judged, *cosine;
    int64_t n, have_judged, have_cosine;
} pairs;

typedef struct {
    const char *text;
    int64_t n;
} field;

static char separator(const char *line, int64_t n)
{
    static const char all[] = "\t;,";
    for (const char *c = all; *c != '\0'; c++)
        if (memchr(line, *c, (size_t)n) != NULL)
            return *c;
    return ' ';
}

/* Splits a line into fields without blanks around them; runs of blanks separate as one. Returns
 * their number. */
static int split(const char *line, int64_t n, field *out)
{
    const char by = separator(line, n);
    int n_field = 0;
    int64_t i = 0;
    while (i < n && n_field < COLUMNS_MAX) {
        while (i < n && (line[i] == ' ' || line[i] == '\r'))
            i++;
        int64_t from = i;
        while (i < n && line[i] != by)
            i++;
        int64_t to = i;
        while (to > from && (line[to - 1] == ' ' || line[to - 1] == '\r'))
            to--;
        if (to > from || by != ' ')
            out[n_field++] = (field){line + from, to - from};
        i++;
    }
    return n_field;
}

static bool number(const field *f, double *x)
{
    char text[64];
    if (f->n < 1 || f->n >= (int64_t)sizeof text)
        return false;
    memcpy(text, f->text, (size_t)f->n);
    text[f->n] = '\0';
    return ig_number_read(x, text);
}

static ig_code find(int32_t *id, const pairs *p, int side, const field *f, ig_err *err)
{
    const char *text = f->text;
    int64_t n = f->n;
    if (p->lower != NULL)
        IG_TRY(ig_lowercase_text(p->lower, &text, &n, err));
    *id = ig_lexicon_find(&p->v[side]->words, text, n);
    return IG_ERR_OK;
}

static ig_code add_line(pairs *p, const char *line, int64_t size, ig_err *err)
{
    const int column = p->column;
    field f[COLUMNS_MAX];
    double x, dot = 0;
    int32_t i, j;
    int n = split(line, size, f);
    if (n == 0 || (n == 1 && f[0].n == 0) || ig_line_is_comment(line))
        return IG_ERR_OK;
    const bool is_first = p->n_row++ == 0;
    if (n < column)
        return ig_line_fail(
            p->r, err, "found %d fields, expected two words and a score in field %d", n, column);
    if (!number(&f[column - 1], &x)) {
        if (is_first) /* names of the columns */
            return IG_ERR_OK;
        return ig_line_fail(p->r, err, "found '%.*s' in field %d, expected a number",
                            (int)(f[column - 1].n < 40 ? f[column - 1].n : 40), f[column - 1].text,
                            column);
    }
    p->n_line++;
    IG_TRY(find(&i, p, 0, &f[0], err));
    IG_TRY(find(&j, p, 1, &f[1], err));
    if (i < 0 || j < 0)
        return IG_ERR_OK;
    for (int k = 0; k < p->v[0]->d; k++)
        dot += (double)ig_vectors_row(p->v[0], i)[k] * (double)ig_vectors_row(p->v[1], j)[k];
    IG_TRY(ig_grow(&p->judged, &p->have_judged, p->n + 1, sizeof *p->judged, "pairs", err));
    IG_TRY(ig_grow(&p->cosine, &p->have_cosine, p->n + 1, sizeof *p->cosine, "pairs", err));
    p->judged[p->n] = x;
    p->cosine[p->n++] = dot;
    return IG_ERR_OK;
}

static ig_code read_lines(pairs *p, ig_err *err)
{
    char *line;
    int64_t size;
    for (;;) {
        IG_TRY(ig_line_next(p->r, &line, &size, err));
        if (line == NULL)
            break;
        IG_TRY(add_line(p, line, size, err));
    }
    if (p->n_line == 0)
        return ig_fail(err, IG_ERR_INPUT, ig_line_where(p->r), 0,
                       "found no pairs, expected two words and a score a line");
    return IG_ERR_OK;
}

ig_code ig_similarity_file(ig_similarity *out, const ig_vectors *a, const ig_vectors *b,
                           const ig_similarity_set *set, ig_err *err)
{
    pairs p = {.v = {a, b}, .column = set->column};
    *out = (ig_similarity){.spearman = (double)NAN, .pearson = (double)NAN};
    if (a->d != b->d)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "vectors of %d and of %d dimensions", a->d, b->d);
    ig_code code = ig_line_open(&p.r, set->path, err);
    if (code == IG_ERR_OK && set->lowercase)
        code = ig_lowercase_new(&p.lower, err);
    IG_THEN(code, read_lines(&p, err));
    out->n = p.n_line;
    out->n_covered = p.n;
    if (code == IG_ERR_OK && p.n >= 2) {
        out->pearson = ig_pearson(p.judged, p.cosine, p.n);
        code = ig_spearman(&out->spearman, p.judged, p.cosine, p.n, err);
    }
    IG_FREE(p.judged, p.cosine);
    ig_lowercase_free(p.lower);
    ig_line_close(p.r);
    return code;
}
