/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of texts with a label: columns between tabs, with a line of column names or without, or
 * JSON, an object a line. The names are those of XNLI (Conneau et al. 2018: gold_label, sentence1,
 * sentence2), its machine translations of MultiNLI (premise, hypo, label) and what programs write
 * for them. There is no quoting: a quotation mark is a character like any other.
 * Where labels are to be predicted none is needed, and every row is kept.
 */
#include "task/task_internal.h"

#include <jansson.h>
#include <string.h>

/* Names of columns, the best first. */
static const char *const pair_names[IG_N_COLUMN][4] = {
    [IG_COLUMN_FIRST] = {"sentence1", "premise", NULL},
    [IG_COLUMN_SECOND] = {"sentence2", "hypothesis", "hypo", NULL},
    [IG_COLUMN_LABEL] = {"gold_label", "label", NULL},
    [IG_COLUMN_LANGUAGE] = {"language", NULL},
};
static const char *const single_names[IG_N_COLUMN][4] = {
    [IG_COLUMN_FIRST] = {"text", "sentence", NULL},
    [IG_COLUMN_LABEL] = {"gold_label", "label", NULL},
    [IG_COLUMN_LANGUAGE] = {"language", NULL},
};

typedef struct {
    ig_task_part *part;
    ig_line_reader *lines;
    int place[IG_N_COLUMN]; /* −1: there is no such column */
    int n_column;           /* of each row */
    bool json;
    bool unlabelled; /* labels are not read, and no row is left out */
} table;

typedef const char *const names[4];

static names *names_of(const table *t)
{
    return t->part->form->kind == IG_TASK_PAIR ? pair_names : single_names;
}

static bool is_needed(const table *t, int column)
{
    return column == IG_COLUMN_FIRST || (column == IG_COLUMN_LABEL && !t->unlabelled) ||
           (column == IG_COLUMN_SECOND && t->part->form->kind == IG_TASK_PAIR);
}

/* The places of the columns in a line of names; false where one is missing that is needed. */
static bool head_places(const table *t, const char *line, int *place)
{
    for (int c = 0; c < IG_N_COLUMN; c++)
        place[c] = -1;
    for (int c = 0; c < IG_N_COLUMN; c++)
        for (int k = 0; names_of(t)[c][k] != NULL && place[c] < 0; k++) {
            const size_t n = strlen(names_of(t)[c][k]);
            int i = 0;
            for (const char *p = line; p != NULL && i < IG_TASK_MOST_COLUMN; i++) {
                if (strncmp(p, names_of(t)[c][k], n) == 0 && (p[n] == '\t' || p[n] == '\0'))
                    place[c] = i;
                p = strchr(p, '\t');
                if (p != NULL)
                    p++;
            }
        }
    for (int c = 0; c < IG_N_COLUMN; c++)
        if (is_needed(t, c) && place[c] < 0)
            return false;
    return true;
}

static int count_columns(const char *line)
{
    int n = 1;
    for (; *line != '\0'; line++)
        n += *line == '\t';
    return n;
}

/* What kind of table it is, from its first line. *is_row: that line is a row itself. */
static ig_code begin(table *t, const char *line, bool *is_row, ig_err *err)
{
    const ig_task_form *form = t->part->form;
    *is_row = true;
    if (line[0] == '{') {
        t->json = true;
        return IG_ERR_OK;
    }
    if (form->n_column == 0 && head_places(t, line, t->place)) {
        *is_row = false;
        t->n_column = count_columns(line);
        return t->n_column <= IG_TASK_MOST_COLUMN
                   ? IG_ERR_OK
                   : ig_line_fail(t->lines, err, "found %d columns, expected at most %d",
                                  t->n_column, IG_TASK_MOST_COLUMN);
    }
    static const ig_task_column of_pair[] = {IG_COLUMN_FIRST, IG_COLUMN_SECOND, IG_COLUMN_LABEL},
                                of_single[] = {IG_COLUMN_FIRST, IG_COLUMN_LABEL};
    const bool pair = form->kind == IG_TASK_PAIR;
    const ig_task_column *column = form->n_column > 0 ? form->column : pair ? of_pair : of_single;
    t->n_column = form->n_column > 0 ? form->n_column : pair ? 3 : 2;
    if (t->unlabelled && count_columns(line) < t->n_column)
        t->n_column--; /* the label is the last */
    for (int c = 0; c < IG_N_COLUMN; c++)
        t->place[c] = -1;
    for (int i = 0; i < t->n_column; i++)
        t->place[column[i]] = i;
    return IG_ERR_OK;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\v\f")] == '\0';
}

/* A row's values by column; those that are not there are NULL. */
static ig_code add_row(const table *t, const char *const *value, ig_err *err)
{
    ig_task_part *p = t->part;
    const uint64_t line = ig_line_number(t->lines);
    const char *where = ig_line_where(t->lines), *label = value[IG_COLUMN_LABEL];
    const char *const text[] = {value[IG_COLUMN_FIRST], value[IG_COLUMN_SECOND]};
    const int n = p->form->kind == IG_TASK_PAIR ? 2 : 1;
    p->count.read++;
    if (t->unlabelled)
        return ig_task_part_row(p, text, n, NULL, line, err);
    if (value[IG_COLUMN_LANGUAGE] != NULL && strcmp(value[IG_COLUMN_LANGUAGE], p->language) != 0) {
        p->count.other_language++;
        return IG_ERR_OK;
    }
    if (strcmp(label, "-") == 0) {
        p->count.unlabelled++;
        return IG_ERR_OK;
    }
    if (label[0] == '\0')
        return ig_fail(err, IG_ERR_INPUT, where, line, "found no label, expected one");
    for (int k = 0; k < n; k++) {
        if (!is_blank(text[k]))
            continue;
        if (!p->form->skip_without_words) {
            ig_fail(err, IG_ERR_INPUT, where, line, "found a %s without words, expected text",
                    n == 1   ? "text"
                    : k == 0 ? "premise"
                             : "hypothesis");
            return ig_hint(err, "'without_words: skip' in the task leaves such rows out");
        }
        p->count.without_words++;
        return IG_ERR_OK;
    }
    if (n == 2 && strcmp(label, "contradictory") == 0 && !p->form->keep_renamed) {
        label = "contradiction";
        p->count.renamed++;
    }
    return ig_task_part_row(p, text, n, label, line, err);
}

static const char *form_of_rows(const table *t)
{
    const bool pair = t->part->form->kind == IG_TASK_PAIR;
    if (t->unlabelled)
        return pair ? "a line of names (sentence1, sentence2), or premise, hypothesis and perhaps "
                      "a label"
                    : "a line of names (text), or a text and perhaps a label";
    return pair ? "a line of names (sentence1, sentence2, gold_label), three columns "
                  "(premise, hypothesis, label), or 'columns' in the task"
                : "a line of names (text, label), two columns (text, label), or "
                  "'columns' in the task";
}

static ig_code tab_row(const table *t, char *line, ig_err *err)
{
    char *column[IG_TASK_MOST_COLUMN];
    const char *value[IG_N_COLUMN] = {NULL};
    const int n = ig_task_cut(line, true, column);
    if (n != t->n_column) {
        ig_line_fail(t->lines, err, "found %d column%s between tabs, expected %d", n,
                     n == 1 ? "" : "s", t->n_column);
        return ig_hint(err, "%s", form_of_rows(t));
    }
    for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN; c++)
        if (t->place[c] >= 0)
            value[c] = column[t->place[c]];
    return add_row(t, value, err);
}

static ig_code json_row(const table *t, const char *line, int64_t size, ig_err *err)
{
    const char *where = ig_line_where(t->lines), *value[IG_N_COLUMN] = {NULL};
    const uint64_t at = ig_line_number(t->lines);
    json_error_t wrong;
    json_t *row = json_loadb(line, (size_t)size, JSON_REJECT_DUPLICATES, &wrong);
    if (!json_is_object(row)) {
        json_decref(row);
        return row == NULL
                   ? ig_fail(err, IG_ERR_INPUT, where, at, "not valid JSON: %.200s", wrong.text)
                   : ig_fail(err, IG_ERR_INPUT, where, at,
                             "found another JSON value, expected an object");
    }
    ig_code code = IG_ERR_OK;
    for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN && code == IG_ERR_OK; c++) {
        const json_t *v = NULL;
        for (int k = 0; names_of(t)[c][k] != NULL && v == NULL; k++)
            v = json_object_get(row, names_of(t)[c][k]);
        value[c] = json_string_value(v);
        if (value[c] == NULL && is_needed(t, c)) {
            code = ig_fail(err, IG_ERR_INPUT, where, at, "found %s '%s', expected a text",
                           v == NULL ? "no" : "a value that is no text in", names_of(t)[c][0]);
            if (v != NULL && c == IG_COLUMN_LABEL)
                ig_hint(err, "labels are matched by name");
        }
    }
    IG_THEN(code, add_row(t, value, err));
    json_decref(row);
    return code;
}

static ig_code read_rows(table *t, ig_err *err)
{
    for (bool first = true;;) {
        char *line;
        int64_t size;
        bool is_row = true;
        IG_TRY(ig_line_next(t->lines, &line, &size, err));
        if (line == NULL)
            return IG_ERR_OK;
        if (size == 0 && (!t->unlabelled || first || t->json))
            continue;
        if ((int64_t)strlen(line) != size)
            return ig_line_fail(t->lines, err, "found a zero byte, expected text");
        if (first)
            IG_TRY(begin(t, line, &is_row, err));
        first = false;
        if (is_row)
            IG_TRY(t->json ? json_row(t, line, size, err) : tab_row(t, line, err));
    }
}

static ig_code read_table(ig_task_part *p, const char *path, bool unlabelled, ig_err *err)
{
    table t = {.part = p, .unlabelled = unlabelled};
    IG_TRY(ig_line_open(&t.lines, path, err));
    ig_code code = read_rows(&t, err);
    ig_line_close(t.lines);
    return code;
}

ig_code ig_task_read_table(ig_task_part *p, const char *path, ig_err *err)
{
    return read_table(p, path, false, err);
}

ig_code ig_task_read_texts(ig_task_set *out, ig_task_kind kind, const char *path, ig_pool *pool,
                           ig_err *err)
{
    const ig_task_form form = {.kind = kind};
    ig_task_part p = {.form = &form, .pool = pool, .language = ""};
    ig_code code = read_table(&p, path, true, err);
    IG_THEN(code, ig_task_part_finish(&p, out, err));
    ig_task_part_free(&p);
    return code;
}
