/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields in quotation marks, as programs write CSV (RFC 4180, section 2), with tabs between them: a
 * mark within one is doubled, and tabs and line ends may be in one. A file is such a table if every
 * mark in it follows these rules, and one is doubled, or lines have different numbers of tabs where
 * its rows have not: text in which a mark is a character like any other breaks the rules soon.
 */
#include "task/task_internal.h"

#include "base/memory.h"
#include "text/white_space.h"

#include <string.h>
#include <sys/stat.h>

typedef enum { BEGINS, PLAIN, INSIDE, CLOSED } place;

/* Goes on by a character; false: a mark is where none can be. */
static bool step(place *at, char c)
{
    if (*at == INSIDE)
        *at = c == '"' ? CLOSED : INSIDE;
    else if (c == '\t')
        *at = BEGINS;
    else if (c == '"' && *at != PLAIN)
        *at = INSIDE;
    else if (c == '"' || *at == CLOSED)
        return false;
    else
        *at = PLAIN;
    return true;
}

/* The rules over the lines of a file. */
typedef struct {
    place at;
    int n, n_column; /* of this row, of the first one (0: there was none) */
    int n_line;      /* fields of the first line, if marks were characters */
    bool broken;     /* no such table */
    bool doubled;    /* there is a doubled mark */
    bool uneven;     /* lines have different numbers of fields, if marks were characters */
    bool joined;     /* a line end is within a field of this row */
} table;

static void scan(table *t, const char *line)
{
    if (t->at != INSIDE) {
        t->at = BEGINS;
        t->n = 1;
        t->joined = false;
    }
    int n = 1;
    for (const char *p = line; *p != '\0' && !t->broken; p++) {
        const place before = t->at;
        t->broken = !step(&t->at, *p);
        t->n += before != INSIDE && *p == '\t';
        n += *p == '\t';
        t->doubled |= before == CLOSED && *p == '"';
    }
    t->n_line = t->n_line == 0 ? n : t->n_line;
    t->uneven |= n != t->n_line && *line != '\0';
    t->joined |= t->at == INSIDE;
    if (t->at == INSIDE)
        return;
    t->n_column = t->n_column == 0 ? t->n : t->n_column;
    t->broken |= t->n != t->n_column || (t->joined && t->n == 1);
}

ig_code ig_task_quotes_find(ig_task_quotes *out, const char *path, ig_err *err)
{
    ig_line_reader *lines;
    struct stat st;
    table t = {0};
    char *line;
    int64_t size;
    *out = IG_QUOTES_NONE;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) /* a pipe can be read only once */
        return IG_ERR_OK;
    IG_TRY(ig_line_open(&lines, path, err));
    ig_code code = ig_line_next(lines, &line, &size, err);
    while (code == IG_ERR_OK && line != NULL && !t.broken) {
        if (t.at == INSIDE || !ig_is_blank(line, size) || strchr(line, '\t') != NULL)
            scan(&t, line);
        code = ig_line_next(lines, &line, &size, err);
    }
    if (code == IG_ERR_OK && !t.broken && t.at != INSIDE)
        *out = t.uneven ? IG_QUOTES_NEEDED : t.doubled ? IG_QUOTES_DOUBLED : IG_QUOTES_NONE;
    ig_line_close(lines);
    return code;
}

ig_code ig_task_quotes_next(ig_task_record *r, ig_line_reader *lines, char **line, int64_t *size,
                            ig_err *err)
{
    place at = BEGINS;
    r->n = 0;
    for (const char *p = *line;; p = *line) {
        for (; *p != '\0'; p++)
            if (!step(&at, *p)) {
                ig_line_fail(lines, err,
                             "found '%.20s', expected quotation marks around a whole "
                             "field, and doubled ones within",
                             p);
                return ig_hint(err, "'quotes: false' in the task: marks are characters");
            }
        if (at != INSIDE && r->n == 0)
            return IG_ERR_OK;
        IG_TRY(ig_grow(&r->text, &r->have, r->n + *size + 2, 1, "row", err));
        memcpy(r->text + r->n, *line, (size_t)*size);
        r->n += *size;
        r->text[r->n] = '\0';
        if (at != INSIDE)
            break;
        r->text[r->n++] = '\n';
        IG_TRY(ig_line_next(lines, line, size, err));
        if (*line == NULL)
            return ig_line_fail(lines, err, "found the end of the file within quotation marks");
    }
    *line = r->text;
    *size = r->n;
    return IG_ERR_OK;
}

int ig_task_quotes_cut(char *row, char **column)
{
    place at = BEGINS;
    char *to = row;
    int n = 1;
    column[0] = row;
    for (const char *p = row; *p != '\0'; p++) {
        const place before = at;
        const char c = *p;
        step(&at, c);
        if (before != INSIDE && c == '\t') {
            *to++ = '\0';
            if (n < IG_TASK_MOST_COLUMN)
                column[n] = to;
            n++;
        } else if (c != '"' || (before == CLOSED && at == INSIDE)) {
            *to++ = c;
        }
    }
    *to = '\0';
    return n;
}
