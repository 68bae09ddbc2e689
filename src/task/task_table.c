/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of texts with a label: columns between tabs, with a line of column names or without, or
 * JSON, an object a line. The names are those of XNLI (Conneau et al. 2018: gold_label, sentence1,
 * sentence2), its machine translations of MultiNLI (premise, hypo, label) and what programs write
 * for them. There is no quoting: a quotation mark is a character like any other.
 * Where labels are to be predicted none is needed, and every row is kept; a column is then a label
 * only if it is named so or holds nothing else, since a text read as a label would be ignored.
 */
#include "task/task_internal.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    /* of such a file */
    ig_task_texts *texts;
    ig_task_form *open;        /* whose kind the file shows; NULL: it is known */
    bool label_place;          /* a column is a label by its place alone */
    bool doubt;                /* two columns are taken for a pair by their number alone */
    int64_t n_row, n_as_label; /* then: rows, and those whose columns may be no pair of texts */
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
                if (strncasecmp(p, names_of(t)[c][k], n) == 0 && (p[n] == '\t' || p[n] == '\0'))
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

/* --- the kind of texts whose labels are to be predicted --- */

/* A label's name, however it is written, or its number. */
static bool is_label(const ig_labels *l, const char *text)
{
    char *end;
    if (l == NULL || text[0] == '\0' || strcmp(text, "-") == 0)
        return true;
    if (strcmp(text, "contradictory") == 0)
        text = "contradiction";
    for (int32_t i = 0; i < l->n; i++)
        if (strcasecmp(l->name[i], text) == 0)
            return true;
    return isdigit((unsigned char)text[0]) && strtol(text, &end, 10) < l->n && *end == '\0';
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789.")] == '\0';
}

static bool is_name(const char *text, size_t n, names *name, int column)
{
    for (int k = 0; name[column][k] != NULL; k++)
        if (strlen(name[column][k]) == n && strncasecmp(name[column][k], text, n) == 0)
            return true;
    return false;
}

/* Columns of a line that have a name of a column; with `other` also names that say nothing. */
static int count_names(const char *line, bool other)
{
    static names numbers[] = {{"id", "idx", "index", NULL}, {"guid", "pairID", NULL}};
    int n = 0;
    for (const char *p = line; p != NULL;
         p = strchr(p, '\t') != NULL ? strchr(p, '\t') + 1 : NULL) {
        const size_t size = strcspn(p, "\t");
        bool known = other && (is_name(p, size, numbers, 0) || is_name(p, size, numbers, 1));
        for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN; c++)
            known = known || is_name(p, size, pair_names, c) || is_name(p, size, single_names, c);
        n += known;
    }
    return n;
}

/* Sets the kind that was found. */
static void found(table *t, ig_task_kind kind, const char *why)
{
    if (t->open == NULL)
        return;
    t->open->kind = t->texts->kind = kind;
    snprintf(t->texts->why, sizeof t->texts->why, "%s", why);
    t->open = NULL;
}

/* Of a file whose columns may be another thing than they were taken for. */
static ig_code ask_columns(const table *t, ig_err *err)
{
    return ig_hint(err, "%sa line of names says what the columns are",
                   t->texts->kind_given ? "" : "--kind pair or --kind single, or ");
}

/* Whether the first line names columns; of texts of either kind, which kind they are. */
static ig_code texts_head(table *t, const char *line, bool *is_head, ig_err *err)
{
    const bool either = t->open != NULL;
    if (either)
        t->open->kind = IG_TASK_PAIR;
    *is_head = head_places(t, line, t->place);
    if (!*is_head && either) {
        t->open->kind = IG_TASK_SINGLE;
        *is_head = head_places(t, line, t->place);
        if (*is_head && count_names(line, true) < count_columns(line)) {
            ig_line_fail(t->lines, err,
                         "found a line of names with others than those of a text and its label");
            return ask_columns(t, err);
        }
    }
    if (*is_head)
        found(t, t->part->form->kind, "a line of names");
    else if (count_columns(line) > 1 && count_names(line, false) > 0)
        return ig_line_fail(t->lines, err, "found a line of names, but %s among them, expected %s",
                            t->part->form->kind == IG_TASK_PAIR ? "not two texts" : "no text",
                            t->part->form->kind == IG_TASK_PAIR ? "sentence1 and sentence2"
                            : either                            ? "sentence1 and sentence2, or text"
                                                                : "text");
    return IG_ERR_OK;
}

/* The columns of rows without a line of names. */
static void texts_columns(table *t, const char *line)
{
    static const char *const why[] = {"one column", "two columns", "more than two columns"};
    const int n = count_columns(line);
    t->doubt = t->open != NULL && n == 2;
    found(t, n == 1 ? IG_TASK_SINGLE : IG_TASK_PAIR, why[n < 3 ? n - 1 : 2]);
    const int n_text = t->part->form->kind == IG_TASK_PAIR ? 2 : 1;
    t->label_place = n > n_text;
    t->n_column = n_text + t->label_place;
}

/* A row of texts, whose columns are taken for what they are by their places. */
static ig_code check_texts(table *t, const char *const *value, ig_err *err)
{
    const ig_labels *l = t->texts->labels;
    const char *label = value[IG_COLUMN_LABEL];
    t->n_row++;
    if (t->doubt)
        t->n_as_label += is_number(value[IG_COLUMN_FIRST]) || is_number(value[IG_COLUMN_SECOND]) ||
                         is_label(l, value[IG_COLUMN_SECOND]);
    if (!t->label_place || is_label(l, label))
        return IG_ERR_OK;
    ig_line_fail(t->lines, err, "found \"%.60s\" in column %d, expected a label of the model",
                 label, t->n_column);
    return ask_columns(t, err);
}

static ig_code end_texts(const table *t, ig_err *err)
{
    if (!t->doubt || 2 * t->n_as_label < t->n_row || t->n_row == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, ig_line_where(t->lines), 0,
            "found two columns, which in %lld of %lld rows are a number or a label and a text, "
            "expected texts or pairs",
            (long long)t->n_as_label, (long long)t->n_row);
    return ask_columns(t, err);
}

/* --- a table --- */

/* What kind of table it is, from its first line. *is_row: that line is a row itself. */
static ig_code begin(table *t, const char *line, bool *is_row, ig_err *err)
{
    const ig_task_form *form = t->part->form;
    bool is_head = false;
    *is_row = true;
    if (line[0] == '{') {
        t->json = true;
        return IG_ERR_OK;
    }
    if (t->unlabelled)
        IG_TRY(texts_head(t, line, &is_head, err));
    else
        is_head = form->n_column == 0 && head_places(t, line, t->place);
    if (is_head) {
        *is_row = false;
        t->n_column = count_columns(line);
        return t->n_column <= IG_TASK_MOST_COLUMN
                   ? IG_ERR_OK
                   : ig_line_fail(t->lines, err, "found %d columns, expected at most %d",
                                  t->n_column, IG_TASK_MOST_COLUMN);
    }
    static const ig_task_column of_pair[] = {IG_COLUMN_FIRST, IG_COLUMN_SECOND, IG_COLUMN_LABEL},
                                of_single[] = {IG_COLUMN_FIRST, IG_COLUMN_LABEL};
    if (t->unlabelled)
        texts_columns(t, line);
    const bool pair = form->kind == IG_TASK_PAIR;
    const ig_task_column *column = form->n_column > 0 ? form->column : pair ? of_pair : of_single;
    if (!t->unlabelled)
        t->n_column = form->n_column > 0 ? form->n_column : pair ? 3 : 2;
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

static ig_code tab_row(table *t, char *line, ig_err *err)
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
    if (t->unlabelled)
        IG_TRY(check_texts(t, value, err));
    return add_row(t, value, err);
}

static bool has_value(const json_t *row, names *name, int column)
{
    bool has = false;
    for (int k = 0; name[column][k] != NULL; k++)
        has = has || json_object_get(row, name[column][k]) != NULL;
    return has;
}

static ig_code json_row(table *t, const char *line, int64_t size, ig_err *err)
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
    found(t,
          has_value(row, pair_names, IG_COLUMN_FIRST) ||
                  has_value(row, pair_names, IG_COLUMN_SECOND)
              ? IG_TASK_PAIR
              : IG_TASK_SINGLE,
          "names in JSON");
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
            return end_texts(t, err);
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

static ig_code read_table(table *t, const char *path, ig_err *err)
{
    IG_TRY(ig_line_open(&t->lines, path, err));
    ig_code code = read_rows(t, err);
    ig_line_close(t->lines);
    return code;
}

ig_code ig_task_read_table(ig_task_part *p, const char *path, ig_err *err)
{
    return read_table(&(table){.part = p}, path, err);
}

ig_code ig_task_read_texts(ig_task_set *out, ig_task_texts *texts, const char *path, ig_pool *pool,
                           ig_err *err)
{
    ig_task_form form = {.kind = texts->kind_given ? texts->kind : IG_TASK_SINGLE};
    ig_task_part p = {.form = &form, .pool = pool, .language = ""};
    table t = {.part = &p, .unlabelled = true, .texts = texts};
    texts->why[0] = '\0';
    texts->kind = form.kind;
    if (!texts->kind_given)
        t.open = &form;
    ig_code code = read_table(&t, path, err);
    IG_THEN(code, ig_task_part_finish(&p, out, err));
    ig_task_part_free(&p);
    return code;
}
