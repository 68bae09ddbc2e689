/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads tables of texts with a label: columns separated by tabs, with a line of column names
 * (task_head.c) or without, or JSON, an object a line. A quotation mark is an ordinary character,
 * except in files of quoted fields (task_quotes.c), and in those whose names, or whose first label,
 * are in quotation marks: there all fields may be. If labels are to be predicted none is needed,
 * and every row is kept; then a column is a label only if it is named so or has no other values,
 * since a text read as a label would be ignored.
 */
#include "task/task_internal.h"
#include "task/table/task_json.h"

#include "base/memory.h"
#include "text/white_space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    ig_task_part *part;
    ig_line_reader *lines;
    int place[IG_N_COLUMN]; /* −1: there is no such column */
    int n_column;           /* of each row */
    const char *head;       /* the label's name in the line of names; NULL: none */
    bool json;
    bool csv;              /* fields are in quotation marks where they need it (task_quotes.c) */
    ig_task_record record; /* of such a file */
    bool quotes;           /* otherwise: fields may be in quotation marks */
    bool doubled;          /* otherwise: marks are around fields with doubled ones within */
    bool unlabelled;       /* labels are not read, and no row is left out */
    bool by_place;         /* nothing names the columns */
    ig_task_places seen;
    /* of such a file */
    ig_task_texts *texts;
    ig_task_form *open; /* form whose kind the file decides; NULL: it is known */
    bool label_place;   /* a column is a label only by its position */
    bool doubt;         /* two columns are assumed to be a pair only by their number */
    int64_t n_row,
        n_as_label; /* in that case: rows, and those whose columns may not be a pair of texts */
} table;

/* Returns whether a field is in quotation marks; those within are doubled, otherwise they belong to
 * the text. */
static bool is_quoted(const char *field)
{
    const size_t n = strlen(field);
    if (n < 2 || field[0] != '"' || field[n - 1] != '"')
        return false;
    for (size_t i = 1; i + 1 < n; i++) {
        if (field[i] != '"')
            continue;
        if (i + 2 >= n || field[i + 1] != '"')
            return false;
        i++;
    }
    return true;
}

/* Removes the quotation marks around a field, and makes doubled ones single; overwrites it. */
static char *unquote(char *field)
{
    const size_t n = strlen(field);
    char *to = field;
    if (!is_quoted(field))
        return field;
    for (size_t i = 1; i + 1 < n; i++) {
        *to++ = field[i];
        i += field[i] == '"';
    }
    *to = '\0';
    return field;
}

static int cut(const table *t, char *line, char **cell)
{
    return t->csv ? ig_task_quotes_cut(line, cell) : ig_task_cut(line, true, cell);
}

/* Returns whether fields are in quotation marks, as those of the first line are. */
static bool has_quotes(const table *t, char *const *cell, int n, bool is_head)
{
    if (t->csv || t->part->form->quotes_given)
        return false;
    const int label = t->place[IG_COLUMN_LABEL];
    bool all = n > 1;
    for (int i = 0; i < n; i++)
        all &= is_quoted(cell[i]);
    return all || (!is_head && label >= 0 && label < n && is_quoted(cell[label]));
}

/* --- the kind of texts whose labels are to be predicted --- */

/* Returns whether a text is a label's name, in any case, or its number. */
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

static bool is_one_of(const char *cell, const char *const *names)
{
    for (; *names != NULL; names++)
        if (ig_task_is_name(cell, strlen(cell), *names))
            return true;
    return false;
}

static int place_of(char *const *cell, int n, const char *name)
{
    for (int i = 0; i < n && name != NULL; i++)
        if (ig_task_is_name(cell[i], strlen(cell[i]), name))
            return i;
    return -1;
}

/* Sets the indices of the columns in a line of names, those of the model's task or the usual ones;
 * false if a required one is missing. */
static bool head_places(const table *t, char *const *cell, int n, int *place)
{
    for (int c = 0; c < IG_N_COLUMN; c++) {
        const char *const *name = ig_task_names_of(t->part->form->kind)[c];
        place[c] = place_of(cell, n, t->part->form->layout.name[c]);
        for (; *name != NULL && place[c] < 0; name++)
            place[c] = place_of(cell, n, *name);
        if (ig_task_needs(t->part->form->kind, c, !t->unlabelled) && place[c] < 0)
            return false;
    }
    return true;
}

/* The name of a text's column, for messages: the first of the usual ones, if the model's task has
 * none. */
static const char *name_of(const table *t, ig_task_column c)
{
    const ig_task_form *form = t->part->form;
    const char *const name =
        form->layout.name[c] != NULL ? form->layout.name[c] : ig_task_names_of(form->kind)[c][0];
    return name != NULL ? name : "";
}

/* Counts columns of a line that are the name of a column; with `other` also names without a meaning
 * here. */
static int count_names(const table *t, char *const *cell, int n, bool other)
{
    static const char *const numbers[] = {"id", "idx", "index", "guid", "pairID", NULL};
    int n_name = 0;
    for (int i = 0; i < n; i++) {
        bool known = other && is_one_of(cell[i], numbers);
        for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN; c++)
            known = known || place_of(&cell[i], 1, t->part->form->layout.name[c]) == 0 ||
                    is_one_of(cell[i], ig_task_names_of(IG_TASK_PAIR)[c]) ||
                    is_one_of(cell[i], ig_task_names_of(IG_TASK_SINGLE)[c]);
        n_name += known;
    }
    return n_name;
}

/* Sets the kind that was inferred. */
static void found(table *t, ig_task_kind kind, const char *why)
{
    if (t->open == NULL)
        return;
    t->open->kind = t->texts->kind = kind;
    snprintf(t->texts->why, sizeof t->texts->why, "%s", why);
    t->open = NULL;
}

/* Fails for a file whose columns may have another meaning than the one assumed. */
static ig_code ambiguous_columns(const table *t, ig_err *err)
{
    return ig_hint(err, "%sa line of names says what the columns are",
                   t->texts->kind_given ? "" : "--kind pair or --kind single, or ");
}

/* Fails for a first line that is of another format, or whose only column is not named as a text. */
static ig_code check_first(const table *t, const char *cell, ig_err *err)
{
    char copy[200], *field[IG_TASK_MOST_COLUMN];
    static const char *const other[] = {"premise",   "hypothesis", "hypo",       "sentence1",
                                        "sentence2", "label",      "gold_label", NULL};
    const size_t n = strspn(cell, " [");
    if (cell[0] == '[' && (cell[n] == '{' || cell[n] == '\0'))
        return ig_line_fail(t->lines, err,
                            "found a JSON array, expected an object a line, without brackets");
    if (is_one_of(cell, other))
        return ig_line_fail(t->lines, err,
                            "found a line of names, \"%.20s\" alone, expected a text", cell);
    for (const char *between = ",;"; *between != '\0'; between++) {
        int k = 0;
        snprintf(copy, sizeof copy, "%s", cell);
        for (char *p = copy; p != NULL && k < IG_TASK_MOST_COLUMN; k++) {
            field[k] = p;
            p = strchr(p, *between);
            if (p != NULL)
                *p++ = '\0';
        }
        if (k > 1 && count_names(t, field, k, true) > 1) {
            ig_line_fail(t->lines, err, "found names with '%c' between them, expected tabs",
                         *between);
            return ig_hint(err,
                           "python3 -c 'import csv, sys; csv.writer(sys.stdout, \"excel-tab\")"
                           ".writerows(csv.reader(sys.stdin, delimiter=\"%c\"))' <FILE >NEW",
                           *between);
        }
    }
    return IG_ERR_OK;
}

/* Finds whether the first line names columns; sets the kind of texts if it is open. */
static ig_code texts_head(table *t, char *const *cell, int n, bool *is_head, ig_err *err)
{
    const bool either = t->open != NULL;
    if (n == 1)
        IG_TRY(check_first(t, cell[0], err));
    if (either)
        t->open->kind = IG_TASK_PAIR;
    *is_head = head_places(t, cell, n, t->place);
    if (!*is_head && either) {
        t->open->kind = IG_TASK_SINGLE;
        *is_head = head_places(t, cell, n, t->place);
        if (*is_head && count_names(t, cell, n, true) < n) {
            ig_line_fail(t->lines, err,
                         "found a line of names with others than those of a text and its label");
            return ambiguous_columns(t, err);
        }
    }
    if (*is_head)
        found(t, t->part->form->kind, "a line of names");
    else if (n > 1 && count_names(t, cell, n, false) > 0)
        return ig_line_fail(
            t->lines, err, "found a line of names, but %s among them, expected %s%.60s%s%.60s",
            t->part->form->kind == IG_TASK_PAIR ? "not two texts" : "no text",
            either ? "sentence1 and sentence2, or " : "", name_of(t, IG_COLUMN_FIRST),
            t->part->form->kind == IG_TASK_PAIR ? " and " : "", name_of(t, IG_COLUMN_SECOND));
    return IG_ERR_OK;
}

/* Sets the columns of rows without a line of names. */
static void texts_columns(table *t, int n)
{
    static const char *const why[] = {"one column", "two columns", "more than two columns"};
    t->doubt = t->open != NULL && n == 2;
    found(t, n == 1 ? IG_TASK_SINGLE : IG_TASK_PAIR, why[n < 3 ? n - 1 : 2]);
    const int n_text = ig_task_n_text(t->part->form->kind);
    t->label_place = n > n_text;
    t->n_column = n_text + t->label_place;
}

/* Checks a row of texts, the meaning of whose columns was inferred from their positions. */
static ig_code check_texts(table *t, const char *const *value, ig_err *err)
{
    const ig_labels *l = t->texts->labels;
    const char *label = value[IG_COLUMN_LABEL];
    t->n_row++;
    if (t->doubt)
        IG_TRY(ig_task_places_add(&t->seen, value, err));
    if (t->doubt)
        t->n_as_label += is_number(value[IG_COLUMN_FIRST]) || is_number(value[IG_COLUMN_SECOND]) ||
                         is_label(l, value[IG_COLUMN_SECOND]);
    if (!t->label_place || is_label(l, label))
        return IG_ERR_OK;
    ig_line_fail(t->lines, err, "found \"%.60s\" in column %d, expected a label of the model",
                 label, t->n_column);
    return ambiguous_columns(t, err);
}

static ig_code end_texts(const table *t, ig_err *err)
{
    if (!t->doubt || t->n_row == 0)
        return IG_ERR_OK;
    const bool labels = ig_task_places_has_labels(&t->seen);
    if (!labels && 2 * t->n_as_label < t->n_row)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT, ig_line_where(t->lines), 0,
            "found two columns, which in %lld of %lld rows are a number or a label and a text, "
            "expected texts or pairs",
            (long long)(labels ? t->n_row : t->n_as_label), (long long)t->n_row);
    return ambiguous_columns(t, err);
}

/* --- a table --- */

/* Sets the columns that neither a line of names nor TASK.yaml gives. */
static void usual_places(table *t)
{
    const int n_text = ig_task_n_text(t->part->form->kind);
    t->place[IG_COLUMN_FIRST] = 0;
    t->place[IG_COLUMN_SECOND] = n_text > 1 ? 1 : -1;
    t->place[IG_COLUMN_LABEL] = t->n_column > n_text ? n_text : -1;
    t->place[IG_COLUMN_LANGUAGE] = -1;
}

/* Finds the columns from the cells of the first line. *is_head: that line has names. */
static ig_code find_columns(table *t, char *const *cell, int n, bool *is_head, ig_err *err)
{
    const ig_task_form *form = t->part->form;
    if (t->unlabelled) {
        IG_TRY(texts_head(t, cell, n, is_head, err));
        t->n_column = n;
        if (!*is_head) {
            texts_columns(t, n);
            usual_places(t);
        }
        return IG_ERR_OK;
    }
    ig_task_head head;
    IG_TRY(ig_task_head_read(&head, form, true, cell, n, t->lines, err));
    *is_head = head.is_head;
    memcpy(t->place, head.place, sizeof t->place);
    t->n_column = form->layout.n > 0 ? form->layout.n : n;
    if (!*is_head && !form->layout.given) {
        if (n == 1)
            IG_TRY(check_first(t, cell[0], err));
        t->by_place = !form->labels_given;
        t->n_column = ig_task_n_text(form->kind) + 1;
        usual_places(t);
    }
    return IG_ERR_OK;
}

static bool is_json(const char *line)
{
    return line[strspn(line, " ")] == '{';
}

/* Detects the kind of table from its first line. *is_row: that line is a row itself. */
static ig_code begin(table *t, const char *line, bool *is_row, ig_err *err)
{
    char *cell[IG_TASK_MOST_COLUMN];
    const char *copy;
    bool is_head;
    *is_row = true;
    if (is_json(line)) {
        t->json = true;
        return IG_ERR_OK;
    }
    IG_TRY(ig_pool_text(t->part->pool, &copy, line, strlen(line), err));
    const int n = cut(t, (char *)(uintptr_t)copy, cell);
    if (n > IG_TASK_MOST_COLUMN)
        return ig_line_fail(t->lines, err, "found %d columns, expected at most %d", n,
                            IG_TASK_MOST_COLUMN);
    IG_TRY(find_columns(t, cell, n, &is_head, err));
    *is_row = !is_head;
    for (int c = 0; c < IG_N_COLUMN && t->part->form->layout.given; c++)
        if (t->place[c] >= t->n_column)
            return ig_line_fail(t->lines, err,
                                "found %d column%s between tabs, expected %d or more for 'columns' "
                                "of the task",
                                n, n == 1 ? "" : "s", t->place[c] + 1);
    t->quotes = has_quotes(t, cell, n, is_head);
    if (is_head && t->place[IG_COLUMN_LABEL] >= 0)
        t->head = cell[t->place[IG_COLUMN_LABEL]];
    return IG_ERR_OK;
}

/* Adds a row's values by column; missing ones are NULL. */
static ig_code add_row(const table *t, const char *const *value, ig_err *err)
{
    ig_task_part *p = t->part;
    const uint64_t line = ig_line_number(t->lines);
    const char *where = ig_line_where(t->lines);
    const char *const text[] = {value[IG_COLUMN_FIRST], value[IG_COLUMN_SECOND]};
    const int n = ig_task_n_text(p->form->kind);
    p->count.read++;
    if (t->unlabelled)
        return ig_task_part_row(p, text, n, NULL, line, err);
    if (value[IG_COLUMN_LANGUAGE] != NULL && strcmp(value[IG_COLUMN_LANGUAGE], p->language) != 0) {
        p->count.other_language++;
        return IG_ERR_OK;
    }
    const char *label = value[IG_COLUMN_LABEL];
    const size_t size = strlen(label);
    if (size > 0 &&
        (!isgraph((unsigned char)label[0]) || !isgraph((unsigned char)label[size - 1]))) {
        IG_TRY(ig_pool_text(p->pool, &label, label, size, err));
        label = ig_task_trim_label((char *)(uintptr_t)label);
    }
    label = ig_task_renamed(p, label);
    if (strcmp(label, "-") == 0 && !p->form->keep_dash) {
        p->count.unlabelled++;
        return IG_ERR_OK;
    }
    if (label[0] == '\0')
        return ig_fail(err, IG_ERR_INPUT, where, line, "found no label, expected one");
    if (p->form->kind == IG_TASK_PAIR && strcmp(label, "-1") == 0 && !p->form->labels_given) {
        ig_fail(err, IG_ERR_INPUT, where, line,
                "found label -1, which rows without a label have, expected one");
        return ig_hint(err, "'rename: {\"-1\": \"-\"}' in the task leaves them out");
    }
    for (int k = 0; k < n; k++) {
        if (!ig_is_blank(text[k], (int64_t)strlen(text[k])))
            continue;
        if (!p->form->skip_without_words) {
            ig_fail(
                err, IG_ERR_INPUT, where, line, "found a %s without words, expected text",
                ig_task_column_name(p->form->kind, k == 0 ? IG_COLUMN_FIRST : IG_COLUMN_SECOND));
            return ig_hint(err, "'without_words: skip' in the task leaves such rows out");
        }
        p->count.without_words++;
        return IG_ERR_OK;
    }
    if (p->form->kind == IG_TASK_PAIR && strcmp(label, "contradictory") == 0 &&
        !p->form->keep_renamed) {
        label = "contradiction";
        p->count.renamed++;
    }
    return ig_task_part_row(p, text, n, label, line, err);
}

static ig_code hint_rows(const table *t, ig_err *err)
{
    const bool pair = t->part->form->kind == IG_TASK_PAIR;
    if (t->part->form->kind == IG_TASK_MINIMAL)
        return ig_hint(err, "a line of names (sentence_good, sentence_bad, phenomenon), or three "
                            "columns of these");
    if (t->unlabelled)
        return ig_hint(err, "a line of names (%.60s%s%.60s), or %s and perhaps a label",
                       name_of(t, IG_COLUMN_FIRST), pair ? ", " : "", name_of(t, IG_COLUMN_SECOND),
                       pair ? "premise, hypothesis" : "a text");
    return ig_hint(err, "%s",
                   pair ? "a line of names (sentence1, sentence2, gold_label), three columns "
                          "(premise, hypothesis, label), or 'columns' in the task"
                        : "a line of names (text, label), two columns (text, label), or "
                          "'columns' in the task");
}

/* Checks the label of a row; IG_ERR_INPUT: it does not look like a label. */
static ig_code check_label(const table *t, const char *label, ig_err *err)
{
    if (t->head != NULL && strcmp(label, t->head) == 0)
        return ig_line_fail(t->lines, err,
                            "found the line of names again ('%.60s'), expected a row", label);
    if (t->quotes || !is_quoted(label))
        return IG_ERR_OK;
    ig_line_fail(t->lines, err, "found label %.60s in quotation marks, expected it without", label);
    return ig_hint(err,
                   "they are read as marks around fields if those of the first line have them");
}

/* Fails for a field in which marks are written as R's write.table() does. */
static ig_code escaped(const table *t, const char *field, ig_err *err)
{
    ig_line_fail(t->lines, err, "found \\\" in the field %.60s, expected \"\" for a mark within",
                 field);
    return ig_hint(err, "qmethod = \"double\" in R");
}

static ig_code tab_row(table *t, char *line, ig_err *err)
{
    char *column[IG_TASK_MOST_COLUMN];
    const char *value[IG_N_COLUMN] = {NULL};
    const int n = cut(t, line, column);
    if (n != t->n_column) {
        ig_line_fail(t->lines, err, "found %d column%s between tabs, expected %d", n,
                     n == 1 ? "" : "s", t->n_column);
        return hint_rows(t, err);
    }
    for (int c = IG_COLUMN_FIRST; c < IG_N_COLUMN; c++) {
        if (t->place[c] < 0)
            continue;
        char *field = column[t->place[c]];
        if (c != IG_COLUMN_FIRST && c != IG_COLUMN_SECOND)
            field = ig_task_trim(field);
        if (c == IG_COLUMN_LABEL && !t->unlabelled)
            IG_TRY(check_label(t, field, err));
        if (t->quotes && field[0] == '"' && strstr(field, "\\\"") != NULL)
            return escaped(t, field, err);
        t->part->count.marks += t->doubled && !t->quotes && !t->csv && is_quoted(field) &&
                                strstr(field + 1, "\"\"") != NULL;
        value[c] = t->quotes ? unquote(field) : field;
    }
    if (t->unlabelled)
        IG_TRY(check_texts(t, value, err));
    if (t->by_place)
        IG_TRY(ig_task_places_add(&t->seen, value, err));
    return add_row(t, value, err);
}

static ig_code json_row(table *t, const char *line, int64_t size, ig_err *err)
{
    const char *value[IG_N_COLUMN] = {NULL};
    json_auto_t *row = NULL;
    IG_TRY(ig_task_json_parse(&row, line, size, t->lines, err));
    found(t, ig_task_json_is_pair(row) ? IG_TASK_PAIR : IG_TASK_SINGLE, "names in JSON");
    IG_TRY(ig_task_json_values(value, row, t->part, !t->unlabelled, t->lines, err));
    return add_row(t, value, err);
}

/* A line without a row, after n of them. */
static ig_code keep_blank(ig_task_texts *texts, int64_t n, ig_err *err)
{
    IG_TRY(ig_grow(&texts->blank, &texts->have_blank, texts->n_blank + 1, sizeof *texts->blank,
                   "blank lines", err));
    texts->blank[texts->n_blank++] = n;
    return IG_ERR_OK;
}

static ig_code read_rows(table *t, ig_err *err)
{
    for (bool first = true;;) {
        char *line;
        int64_t size;
        bool is_row = true;
        IG_TRY(ig_line_next(t->lines, &line, &size, err));
        if (line == NULL)
            return t->by_place ? ig_task_places_check(&t->seen, t->part->form->kind, t->lines, err)
                               : end_texts(t, err);
        const bool blank = ig_is_blank(line, size) && strchr(line, '\t') == NULL;
        if (blank && t->unlabelled)
            IG_TRY(keep_blank(t->texts, t->part->count.read, err));
        if (blank)
            continue;
        t->csv = t->csv && !(first && is_json(line));
        if (t->csv)
            IG_TRY(ig_task_quotes_next(&t->record, t->lines, &line, &size, err));
        t->part->open_line = ig_line_ended(t->lines) ? 0 : (int64_t)ig_line_number(t->lines);
        if (first)
            IG_TRY(begin(t, line, &is_row, err));
        first = false;
        if (is_row)
            IG_TRY(t->json ? json_row(t, line, size, err) : tab_row(t, line, err));
    }
}

static ig_code read_table(table *t, const char *path, ig_err *err)
{
    const ig_task_form *form = t->part->form;
    ig_task_quotes quotes = IG_QUOTES_NONE;
    if (!form->quotes_given)
        IG_TRY(ig_task_quotes_find(&quotes, path, err));
    t->csv = form->quotes || quotes == IG_QUOTES_NEEDED ||
             (t->unlabelled && quotes == IG_QUOTES_DOUBLED);
    t->doubled = quotes == IG_QUOTES_DOUBLED;
    IG_TRY(ig_line_open(&t->lines, path, err));
    ig_code code = read_rows(t, err);
    ig_line_close(t->lines);
    ig_free(t->record.text);
    ig_task_places_free(&t->seen);
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
    for (int c = 0; c < IG_N_COLUMN; c++)
        form.layout.place[c] = -1;
    form.layout.name[IG_COLUMN_FIRST] = texts->name[0];
    form.layout.name[IG_COLUMN_SECOND] = texts->name[1];
    IG_SCOPED(ig_task_part_free) ig_task_part p = {.form = &form, .pool = pool, .language = ""};
    table t = {.part = &p, .unlabelled = true, .texts = texts};
    texts->why[0] = '\0';
    texts->kind = form.kind;
    if (!texts->kind_given)
        t.open = &form;
    IG_TRY(read_table(&t, path, err));
    return ig_task_part_finish(&p, out, err);
}
