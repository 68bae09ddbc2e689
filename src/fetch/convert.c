/* SPDX-License-Identifier: Apache-2.0
 *
 * The converters that go line by line: copy, text, paste, nli. Those of verses are in
 * convert_verses.c.
 */
#include "fetch/convert.h"

#include "base/file.h"
#include "base/memory.h"
#include "corpus/read/line_reader.h"
#include "corpus/read/whole_file.h"
#include "fetch/sink.h"

#include <string.h>

static ig_code copy(const char *in, const char *out, int64_t *n_line, ig_err *err)
{
    ig_map map;
    ig_sink *s = NULL;
    ig_code code;
    IG_TRY(ig_map_open(&map, in, err));
    if (ig_is_compressed(&map)) { /* whatever its name says: not once more */
        *n_line = -1;
        code = ig_file_write(out, map.data, map.size, err);
    } else {
        for (int64_t i = 0; i < map.size; i++)
            *n_line += map.data[i] == '\n';
        code = ig_sink_open(&s, out, err);
        if (code == IG_ERR_OK && map.size > 0)
            code = ig_sink_write(s, map.data, map.size, err);
        code = ig_sink_close(s, code, err);
    }
    ig_map_close(&map);
    return code;
}

static void no_tabs(char *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (line[i] == '\t')
            line[i] = ' ';
}

/* The next line of every file; *end when all have ended, an error when only some have. */
static ig_code paste_line(ig_line_reader **r, int n_in, ig_sink *s, bool *end, ig_err *err)
{
    for (int i = 0; i < n_in; i++) {
        char *line;
        int64_t n;
        IG_TRY(ig_line_next(r[i], &line, &n, err));
        if (i == 0)
            *end = line == NULL;
        if (*end != (line == NULL))
            return ig_line_fail(r[*end ? 0 : i], err,
                                "ends here, expected as many lines as %.160s has",
                                ig_line_where(r[*end ? i : 0]));
        if (line == NULL)
            continue;
        if (n_in > 1)
            no_tabs(line, n);
        line[n] = i + 1 < n_in ? '\t' : '\n'; /* where its NUL was */
        IG_TRY(ig_sink_write(s, line, n + 1, err));
    }
    return IG_ERR_OK;
}

/* The lines of one file as they are, or of several beside each other. */
static ig_code paste(char *const *in, int n_in, const char *out, int64_t *n_line, ig_err *err)
{
    IG_OWNED ig_line_reader **r = NULL;
    ig_sink *s = NULL;
    bool end = false;
    IG_TRY(ig_alloc(&r, n_in, sizeof(ig_line_reader *), "files", err));
    ig_code code = ig_sink_open(&s, out, err);
    for (int i = 0; i < n_in && code == IG_ERR_OK; i++)
        code = ig_line_open(&r[i], in[i], err);
    while (code == IG_ERR_OK && (code = paste_line(r, n_in, s, &end, err)) == IG_ERR_OK && !end)
        ++*n_line;
    if (code == IG_ERR_OK && *n_line == 0)
        code = ig_fail(err, IG_ERR_INPUT, in[0], 0, "found no line, expected text");
    code = ig_sink_close(s, code, err);
    for (int i = 0; i < n_in; i++)
        ig_line_close(r[i]);
    return code;
}

/* --- nli
 * --------------------------------------------------------------------------------------------- */

enum { LABEL, FIRST, SECOND, LANGUAGE, N_COLUMN, most_columns = 64 };

/* Cuts a line at its tabs; the number of columns, most_columns at most. */
static int columns(char *line, char **column)
{
    int n = 0;
    for (char *p = line; p != NULL && n < most_columns; n++) {
        column[n] = p;
        p = strchr(p, '\t');
        if (p != NULL)
            *p++ = '\0';
    }
    return n;
}

/* XNLI's and MultiNLI's names, and those of XNLI's machine translations of MultiNLI. */
static const char *const column_name[N_COLUMN][2] = {{"gold_label", "label"},
                                                     {"sentence1", "premise"},
                                                     {"sentence2", "hypo"},
                                                     {"language", "language"}};

static ig_code read_head(ig_line_reader *r, int place[N_COLUMN], int *n_column, bool languages,
                         ig_err *err)
{
    char *line, *column[most_columns];
    int64_t n;
    IG_TRY(ig_line_next(r, &line, &n, err));
    if (line == NULL)
        return ig_fail(err, IG_ERR_INPUT, ig_line_where(r), 0,
                       "found nothing, expected a line of column names");
    *n_column = columns(line, column);
    for (int k = 0; k < N_COLUMN; k++) {
        place[k] = -1;
        for (int name = 1; name >= 0; name--)
            for (int i = *n_column - 1; i >= 0; i--)
                if (strcmp(column[i], column_name[k][name]) == 0)
                    place[k] = i;
        if (place[k] < 0 && (k != LANGUAGE || languages))
            return ig_fail(err, IG_ERR_INPUT, ig_line_where(r), 1,
                           "found no column '%s', expected one of that name", column_name[k][0]);
    }
    return IG_ERR_OK;
}

static bool known_label(const char *label)
{
    return strcmp(label, "entailment") == 0 || strcmp(label, "neutral") == 0 ||
           strcmp(label, "contradiction") == 0;
}

/* A table that is cut into the files of its languages. */
typedef struct {
    const ig_conversion *c;
    ig_line_reader *r;
    int place[N_COLUMN], n_column;
    ig_sink **s;     /* [n_language], or one */
    int64_t *n_line; /* of each */
} table;

/* One row into the file of its language. */
static ig_code nli_row(table *t, char *line, ig_err *err)
{
    const int n_language = t->c->n_language, *place = t->place, n_column = t->n_column;
    char *const *language = t->c->language;
    ig_line_reader *r = t->r;
    char *column[most_columns];
    int n = columns(line, column), at = 0;
    if (n != n_column)
        return ig_line_fail(r, err, "found %d column%s, expected %d as in the first line", n,
                            n == 1 ? "" : "s", n_column);
    while (at < n_language && strcmp(language[at], column[place[LANGUAGE]]) != 0)
        at++;
    if ((n_language > 0 && at == n_language) || strcmp(column[place[LABEL]], "-") == 0)
        return IG_ERR_OK;
    static char contradiction[] = "contradiction"; /* XNLI's machine translations differ */
    if (strcmp(column[place[LABEL]], "contradictory") == 0)
        column[place[LABEL]] = contradiction;
    if (!known_label(column[place[LABEL]]))
        return ig_line_fail(r, err,
                            "found label '%.60s', expected entailment, neutral or contradiction",
                            column[place[LABEL]]);
    static const int order[] = {FIRST, SECOND, LABEL};
    for (int k = 0; k < 3; k++) {
        const char *c = column[place[order[k]]];
        IG_TRY(ig_sink_write(t->s[at], c, (int64_t)strlen(c), err));
        IG_TRY(ig_sink_write(t->s[at], k < 2 ? "\t" : "\n", 1, err));
    }
    t->n_line[at]++;
    return IG_ERR_OK;
}

static ig_code nli(const ig_conversion *c, int file, int64_t *n_line, ig_err *err)
{
    const int n_out = c->n_language > 0 ? c->n_language : 1;
    const char *in = c->in[file];
    table t = {.c = c, .n_line = n_line + file * n_out};
    char *line;
    int64_t n;
    IG_TRY(ig_alloc(&t.s, n_out, sizeof(ig_sink *), "files", err));
    ig_code code = ig_line_open(&t.r, in, err);
    IG_THEN(code, read_head(t.r, t.place, &t.n_column, c->n_language > 0, err));
    for (int i = 0; i < n_out && code == IG_ERR_OK; i++)
        code = ig_sink_open(&t.s[i], c->out[file * n_out + i], err);
    while (code == IG_ERR_OK && (code = ig_line_next(t.r, &line, &n, err)) == IG_ERR_OK &&
           line != NULL)
        code = nli_row(&t, line, err);
    for (int i = 0; i < n_out && code == IG_ERR_OK; i++)
        if (t.n_line[i] == 0)
            code = ig_fail(err, IG_ERR_INPUT, in, 0, "found no row%s%.20s, expected at least one",
                           c->n_language > 0 ? " of language " : "",
                           c->n_language > 0 ? c->language[i] : "");
    for (int i = 0; i < n_out; i++)
        code = ig_sink_close(t.s[i], code, err);
    ig_line_close(t.r);
    ig_free(t.s);
    return code;
}

ig_code ig_convert(int64_t *n_line, const ig_conversion *c, ig_err *err)
{
    char *const *in = c->in, *const *out = c->out;
    ig_code code = IG_ERR_OK;
    memset(n_line, 0, (size_t)c->n_out * sizeof *n_line);
    if (c->kind == IG_CONVERT_PASTE)
        return paste(in, c->n_in, out[0], n_line, err);
    for (int i = 0; i < c->n_in && code == IG_ERR_OK; i++) {
        if (c->kind == IG_CONVERT_COPY)
            code = copy(in[i], out[i], &n_line[i], err);
        else if (c->kind == IG_CONVERT_TEXT)
            code = paste(&in[i], 1, out[i], &n_line[i], err);
        else if (c->kind == IG_CONVERT_VPL)
            code = ig_convert_verses(NULL, in[i], out[i], &n_line[i], err);
        else if (c->kind == IG_CONVERT_VREF && i > 0)
            code = ig_convert_verses(in[0], in[i], out[i - 1], &n_line[i - 1], err);
        else if (c->kind == IG_CONVERT_NLI)
            code = nli(c, i, n_line, err);
    }
    return code;
}
